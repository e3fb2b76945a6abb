"""Words that read as translated do not come back where a person reads: README, docs and help.

Each has a plain word in its place. Neither does the source hold any, except the words that are data.
"""

import re
from pathlib import Path

import pytest

from dejavu.interfaces.command_line.commands import COMMANDS, GROUPS
from dejavu.interfaces.command_line.parameters import parameters_of
from dejavu.interfaces.command_line.simple_line import command

REPO = Path(__file__).resolve().parent.parent
WORDS = {
    "anew": "again",
    "nobody": "no one, or name what does not",
    "somebody": "someone, or name who",
    "whoever": "name who",
    "beside": "next to, compared with",
    "stands": "is",
    "lies": "is",
    "goes on": "continues",
    "by itself": "automatically, alone",
    "of its own": "its own",
    "mend": "fix",
    "mends": "fixes",
    "mended": "fixed",
    "but for": "except",
    "is told": "gets, learns",
    "on the side": "in the background",
}
_ANY = re.compile(rf"\b({'|'.join(sorted(WORDS, key=len, reverse=True))})\b", re.IGNORECASE)

DATA = {
    "src/dejavu/ingest/merge/parts.py": ["mended"],  # a name in stored counts
    "src/dejavu/ingest/merge/provenance.py": ["mended"],
    "src/dejavu/interfaces/demo/script.py": ["lies"],  # what the demo's agent says, in goldens
    "src/dejavu/providers/opencode/integration.py": ["stands"],  # a file that is installed
    "src/dejavu/providers/overview.py": ["nobody"],  # a home that is none
    "src/dejavu/providers/protocol.py": ["beside"],  # a part of stored keys
    "src/dejavu/recall/memory/contradiction.py": ["mend"],  # what people write in prompts
    "src/dejavu/recall/memory/repetition.py": ["nobody"],
}
"""The words that are no prose of ours, by the module that needs them."""


def found(text: str) -> list[str]:
    return [match[0] for match in _ANY.finditer(text)]


@pytest.mark.parametrize(
    "page",
    [
        str(path.relative_to(REPO))
        for path in (REPO / "README.md", *sorted((REPO / "docs").rglob("*.md")))
    ],
)
def test_a_page_is_plain_english(page: str) -> None:
    words = found((REPO / page).read_text("utf-8"))
    assert not words, {word: WORDS[word.lower()] for word in words}


def test_the_source_is_plain_english() -> None:
    folders = ("archive", "capsule", "scrapers", "screen", "src/dejavu")
    paths = [path for folder in folders for path in (REPO / folder).rglob("*.py")]
    words = {
        str(path.relative_to(REPO)): found(path.read_text("utf-8"))
        for path in paths
        if not _is_linked(path)
    }
    assert {path: here for path, here in words.items() if here} == DATA


def _is_linked(path: Path) -> bool:
    return any(parent.is_symlink() for parent in path.parents)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_is_plain_english(name: str) -> None:
    sentences = [
        COMMANDS[name].summary,
        *(one.declared.help for one in parameters_of(command(name))),
    ]
    assert not found("\n".join(sentences))


def test_the_groups_are_described_in_plain_english() -> None:
    assert not found("\n".join(GROUPS.values()))
