"""Words that read as translated do not come back where a person reads: README, docs and help.

Each has a plain word in its place. The source itself still holds many of them; their number is written
down here and may only fall.
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

OPEN = {
    "docs/agents.md": 4,
    "docs/guides/memory.md": 1,
    "docs/guides/orchestrators.md": 10,
    "docs/guides/privacy.md": 13,
    "docs/guides/teams.md": 20,
    "docs/threat-model.md": 5,
    "source": 92,
}
"""How often they still occur in pages that were not gone through yet; a smaller number goes in here."""


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
    assert len(words) <= OPEN.get(page, 0), {word: WORDS[word.lower()] for word in words}


def test_the_source_holds_no_more_of_them_than_before() -> None:
    folders = ("archive", "capsule", "scrapers", "screen", "src/dejavu")
    paths = [path for folder in folders for path in (REPO / folder).rglob("*.py")]
    texts = [path.read_text("utf-8") for path in paths if not _is_linked(path)]
    assert sum(len(found(text)) for text in texts) <= OPEN["source"]


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
