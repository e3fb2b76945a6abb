"""What the documents name exists: commands, options, make targets, variables, files."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from dejavu.surfaces.cli.app import COMMANDS

REPO = Path(__file__).resolve().parent.parent
DOCS = sorted([REPO / "README.md", REPO / "CONTRIBUTING.md", *(REPO / "docs").rglob("*.md")])


def _code(path: Path) -> list[str]:
    """Indented lines and what stands between backticks."""
    text = path.read_text("utf-8")
    return re.findall(r"(?m)^    (.*)$", text) + re.findall(r"`([^`\n]+)`", text)


def _commands(path: Path) -> set[tuple[str, str]]:
    """(command, rest of the line) of every `dejavu ...` in code of a document."""
    found: set[tuple[str, str]] = set()
    for line in _code(path):
        for name, rest in re.findall(r"(?:^|\$ |; )dejavu ([a-z-]+)([^#;]*)", line):
            found.add((name, rest))
    return found


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_named_commands_and_their_options_exist(path: Path, home: Path) -> None:
    for name, rest in sorted(_commands(path)):
        assert name in COMMANDS, f"{path.name} names `dejavu {name}`"
        shown = subprocess.run(
            [sys.executable, "-m", "dejavu.surfaces.cli", name, "-h"],
            capture_output=True,
            text=True,
            timeout=60,
        ).stdout
        for option in re.findall(r"(?<![\w-])--[a-z-]+", rest):
            assert option in shown, f"{path.name} names `dejavu {name} {option}`"


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_named_make_targets_exist(path: Path) -> None:
    makefile = (REPO / "Makefile").read_text()
    named = [target for line in _code(path) for target in re.findall(r"^make ([a-z0-9-]+)", line)]
    for target in named:
        assert re.search(rf"(?m)^{target}:", makefile), f"{path.name} names `make {target}`"


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_named_variables_are_read_somewhere(path: Path) -> None:
    sources = "".join(
        p.read_text("utf-8") for p in REPO.glob("*/**/*.py") if ".venv" not in p.parts
    )
    for name in set(re.findall(r"\bDEJAVU_[A-Z_]+\b", path.read_text("utf-8"))):
        kind = re.fullmatch(r"DEJAVU_(CONFIG|DATA|STATE)_HOME", name)
        assert name in sources or kind, f"{path.name} names {name}"


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text("utf-8")):
        assert (path.parent / target).exists(), f"{path.name} links to {target}"


def test_every_command_is_in_the_readme_or_the_reference() -> None:
    text = "".join(path.read_text("utf-8") for path in [*DOCS, REPO / "CHANGELOG.md"])
    for command in COMMANDS:
        assert re.search(rf"\b{command}\b", text), f"no document names `dejavu {command}`"
