"""What commands import, as their start costs that: modules are counted, no time is measured."""

import subprocess
import sys
from pathlib import Path

import pytest

from dejavu.model import Conversation

LISTED = """
import atexit, sys
def tell():
    loaded = sorted(name for name in sys.modules if not name.startswith("encodings"))
    with open(sys.argv.pop(), "w") as file:
        file.write("\\n".join(loaded))
path = sys.argv[-1]
atexit.register(tell)
arguments = sys.argv[1:-1]
from dejavu.interfaces.{program} import main
keep, sys.argv = sys.argv, ["dejavu", *arguments]
try:
    main()
finally:
    sys.argv = keep
"""
PARSER = {"typer", "rich", "pydantic", "argparse"}
HEAVY = {
    "asyncio",
    "mcp",
    "textual",
    "ssl",
    "email",
    "unittest",
    "inspect",
    "ctypes",
    "dataclasses",
}
SEARCH = {"tantivy", "dejavu.recall"}
SLOW = {"logging", "dataclasses", "inspect", "shutil", "tempfile", "difflib"}
"""Of the standard library: 2 to 8 ms each, for what few runs of a command need."""


def loaded(tmp_path: Path, program: str, *arguments: str) -> set[str]:
    """The modules that a command has loaded when it ends, with all that are above them."""
    path = tmp_path / "modules"
    subprocess.run(
        [sys.executable, "-P", "-c", LISTED.format(program=program), *arguments, str(path)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=60,
    )  # fmt: skip
    return set(path.read_text().split("\n"))


@pytest.mark.parametrize(
    ("arguments", "most", "without"),
    [
        (("--version",), 53, PARSER | HEAVY | {"msgspec", "lmdb", "re", "json", "dejavu.archive"}),
        (
            ("-h",),
            128,
            (HEAVY - {"inspect", "dataclasses"}) | SEARCH | {"rich", "lmdb", "dejavu.archive"},
        ),
        (
            ("list",),
            202,
            PARSER | SEARCH | {"asyncio", "mcp", "textual", "regex", "dejavu.scrapers"},
        ),
        (
            ("search", "word"),
            282,
            PARSER | {"asyncio", "mcp", "textual", "regex", "dejavu.scrapers"},
        ),
        (
            ("show", "last"),
            209,
            PARSER | SEARCH | {"asyncio", "mcp", "textual", "regex", "dejavu.scrapers"},
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_a_command_loads_what_it_needs(
    home: Path, tmp_path: Path, arguments: tuple[str, ...], most: int, without: set[str]
) -> None:
    modules = loaded(tmp_path, "cli", *arguments)
    assert not modules & without
    if arguments != ("-h",):  # help names their commands as well
        assert not any(name.startswith("dejavu.extensions") for name in modules)
    assert len(modules) <= most


@pytest.mark.parametrize(
    ("arguments", "most"),
    [(("list",), 232), (("search", "retry budget"), 225), (("show", "last"), 200)],
    ids=["list", "search", "show"],
)
def test_reading_an_archive_loads_little(
    archived: list[Conversation], tmp_path: Path, arguments: tuple[str, ...], most: int
) -> None:
    loaded(tmp_path, "cli", "sync")  # else the first command that reads syncs
    modules = loaded(tmp_path, "cli", *arguments)
    assert "dejavu.archive.store" in modules
    assert modules & (PARSER | SLOW) == set()
    assert len(modules) <= most


def test_a_recall_loads_no_installer_and_no_rules_of_memories(
    archived: list[Conversation], tmp_path: Path
) -> None:
    line = ("memory", "find", "why does the retry_budget run dry?")
    loaded(tmp_path, "cli", *line)  # makes the index
    modules = loaded(tmp_path, "cli", *line)
    assert "dejavu.recall.history.hit_loader" in modules
    others = {"email", "subprocess", "typing_extensions", "dejavu.scrapers"}
    assert modules & (PARSER | (SLOW - {"shutil", "difflib"}) | others) == set()


def test_a_wrapper_loads_no_framework(home: Path, tmp_path: Path) -> None:
    modules = loaded(tmp_path, "run", "true")
    assert not modules & {
        *HEAVY - {"unittest"},
        "typer",
        "msgspec",
        "lmdb",
        "regex",
        "subprocess",
        "dejavu.archive",
    }
    assert len(modules) <= 208
