"""A plain line is read as typer reads it, and every other one is left to typer."""

import subprocess
import sys
from functools import cache
from inspect import signature
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import typer

from dejavu.interfaces.command_line.commands import COMMANDS
from dejavu.interfaces.command_line.parameters import Parameter, parameters_of
from dejavu.interfaces.command_line.simple_line import command, find, parse
from dejavu.interfaces.command_line.typer_app import load

WORDS = ("1", "0", "-1", "007", "99999999999", "\u0663", "x", "", "-", "--", "-x", "--json", "\udcff",
         "a b", "/", "/nope", "user", "md", "120x40", "nan")  # fmt: skip

typer_command = cache(load)


def right_value(one: Parameter) -> list[str]:
    """A word that the option takes, after its name."""
    if one.is_switch:
        return []
    for word in ("1", "80", "2026-11-21", "user", "md", "default", "/"):
        try:
            one.value(word)
        except ValueError:
            continue
        return [word]
    return [one.label.partition("|")[0]]


def read_by_typer(name: str, words: list[str]) -> dict[str, Any] | None:
    """The values that typer calls the command with; None for a usage error."""
    try:
        return dict(typer_command(name).make_context(name, list(words)).params)
    except (typer.TyperException, typer.Exit):
        return None


def check(name: str, words: list[str]) -> bool:
    """Whether the line was plain; if so, typer must give the command the same values."""
    ours = parse(name, words)
    if ours is None:
        return False
    theirs = read_by_typer(name, words)
    assert theirs is not None, (name, words)
    given = {key: value for key, value in theirs.items() if value not in (None, ())}
    assert {key: (value, type(value)) for key, value in ours.items()} == {
        key: (value, type(value)) for key, value in given.items()
    }, (name, words)
    assert set(ours) <= set(signature(command(name)).parameters)
    return True


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_plain_line_means_what_it_means_to_typer(name: str) -> None:
    parameters = parameters_of(command(name))
    arguments = [
        (right_value(one) or ["x"])[0] for one in parameters if one.is_argument and one.required
    ]
    if any("/" in word for word in arguments) or parse(name, arguments) is None:
        arguments = []
    for one in parameters:
        own = right_value(one)
        for option in (*one.on, *one.off):
            if arguments or not any(each.required for each in parameters):
                assert check(name, [option, *own, *arguments]), (option, own)
            if own:
                check(name, [f"{option}={own[0]}", *arguments])
            for value in WORDS:
                check(name, [*arguments, option, value])
                check(name, [*arguments, f"{option}={value}"])
                check(name, [*arguments, f"{option}{value}"])
                check(name, [*arguments, option, *own, option, value])
    for count in range(4):
        for several in product(("a", "", "-", "-h", "\u00e9\udcff"), repeat=count):
            check(name, [*several])


@pytest.mark.parametrize(
    "line",
    ["list -h", "stats x", "list --limit", "list --lim 3", "list --limit 0", "list --limit x", "list -n3",
     "list --json=1", "list -n 1 -n 2", "list --since soon", "memory find", "show a b",
     "search --role boss x", "show -- a b", "replay /nope"],
)  # fmt: skip
def test_what_is_not_plain_is_left_to_typer(line: str) -> None:
    name, words, *_ = find(line.split())
    assert parse(name, words) is None


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("list -n 3 --agent=amp", {"limit": 3, "agent": "amp"}),
        ("memory add - --tag a --tag b", {"text": ["-"], "tag": ["a", "b"]}),
        ("show -- -a", {"conversation_id": "-a"}),
        ("run --name x -- claude -- -p", {"name": "x", "agent": ["claude", "--", "-p"]}),
        ("run --name x claude -p --name y", {"name": "x", "agent": ["claude", "-p", "--name", "y"]}),
    ],
)  # fmt: skip
def test_what_is_plain_is_read_here(line: str, values: dict[str, Any]) -> None:
    name, words, *_ = find(line.split())
    assert parse(name, words) == values


@pytest.mark.parametrize(
    "line",
    ["list", "list -n 3", "list -h", "-h", "search x --limit 3", "show last", "status", "sync", "recall x"],
)  # fmt: skip
def test_a_plain_line_loads_neither_typer_nor_what_it_needs(home: Path, line: str) -> None:
    code = (
        "import sys; from dejavu.interfaces.command_line.app import run; run(sys.argv[1:]); "
        "print([name for name in ('typer', 'pydantic') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *line.split()], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.splitlines()[-1] == "[]"
