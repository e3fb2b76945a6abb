"""A plain line is read as typer reads it, and every other one is left to typer."""

import json
import subprocess
import sys
from functools import cache
from inspect import signature
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import typer

from dejavu.interfaces.command_line.help import load
from dejavu.interfaces.command_line.simple_line import TABLE, command, parse

PARAMETERS: dict[str, Any] = json.loads(Path(TABLE).read_text("utf-8"))
WORDS = (
    "1",
    "0",
    "-1",
    "007",
    "99999999999",
    "\u0663",
    "x",
    "",
    "-",
    "--",
    "-x",
    "--json",
    "\udcff",
    "a b",
)


VALUES = {"text": ["1"], "number": ["1"], "time": ["2026-11-21"]}


typer_command = cache(load)


def read_by_typer(name: str, words: list[str]) -> dict[str, Any] | None:
    """The values that typer calls the command with; None for a usage error."""
    try:
        return dict(typer_command(name).make_context(name, list(words)).params)
    except (typer.TyperException, typer.Exit):
        return None


def check(line: list[str]) -> bool:
    """Whether the line was plain; if so, typer must give the command the same values."""
    name, *words = line
    ours = parse(line)
    if ours is None:
        return False
    defaults = {key: value.default for key, value in signature(command(name)).parameters.items()}
    theirs = read_by_typer(name, words)
    assert theirs is not None, line
    # An absent `str ...` is () for typer and None in the signature: the commands ask whether it is empty.
    both = {key: (value or None) for key, value in (defaults | ours).items()}
    assert both == {key: (value or None) for key, value in theirs.items()}, line
    given = {key: (value, type(value)) for key, value in ours.items()}
    assert given == {key: (theirs[key], type(theirs[key])) for key in ours}, line
    return True


@pytest.mark.parametrize("name", sorted(PARAMETERS))
def test_a_plain_line_means_what_it_means_to_typer(name: str) -> None:
    arguments = ["word" for _, required, many in PARAMETERS[name]["arguments"] if required or many]
    assert check([name, *arguments])
    for option, (_, kind, *_) in PARAMETERS[name]["options"].items():
        own = VALUES.get(kind, [])
        assert check([name, *arguments, option, *own])
        assert check([name, option, *own, *arguments])
        for value in WORDS:
            check([name, *arguments, option, value])
            check([name, *arguments, f"{option}={value}"])
            check([name, *arguments, f"{option}{value}"])
            check([name, *arguments, option, *own, option, value])
    for count in range(4):
        for several in product(("a", "", "-", "-h", "\u00e9\udcff"), repeat=count):
            check([name, *several])


@pytest.mark.parametrize(
    "line",
    ["", "-h", "--version", "nonsense", "-v list", "list -h", "list x", "list --limit", "list --lim 3",
     "list --limit 0", "list --limit x", "list --limit=3", "list -n3", "list --json=1", "list -n 1 -n 2",
     "list --since soon", "timeline", "show a b", "show -- a", "search --role user x", "sync --home /"],
)  # fmt: skip
def test_what_is_not_plain_is_left_to_typer(line: str) -> None:
    assert parse(line.split()) is None


@pytest.mark.parametrize(
    "line", ["list", "search x --limit 3", "show last", "status", "sync", "recall x"]
)
def test_a_plain_line_loads_neither_typer_nor_what_it_needs(home: Path, line: str) -> None:
    code = (
        "import sys; from dejavu.interfaces.command_line.app import run; run(sys.argv[1:]); "
        "print([name for name in ('typer', 'pydantic') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *line.split()], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.splitlines()[-1] == "[]"
