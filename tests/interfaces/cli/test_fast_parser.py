import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st

from dejavu.interfaces.cli import app
from dejavu.interfaces.cli.app import COMMANDS
from dejavu.interfaces.cli.fast_parser import Option, read

WORDS = [
    "a",
    "7",
    "0.5",
    ".",
    "nothing/here",
    "-n",
    "-a",
    "x=y",
    "--",
    "-5",
    "0",
    "retry budget",
    "",
]


def as_typer_reads(
    monkeypatch: pytest.MonkeyPatch, name: str, command: Callable[..., Any], words: list[str]
) -> dict[str, Any] | None:
    """What typer would call `command` with; None where it refuses."""
    seen: list[dict[str, Any]] = []

    @wraps(command)
    def noted(**given: Any) -> None:
        seen.append(given)

    monkeypatch.setattr(app, "_function", lambda _: noted)
    group = typer.main.get_command(app.build([name]))
    try:
        group.main(args=[name, *words], prog_name="dejavu", standalone_mode=False)
    except (typer.Exit, typer.exceptions.TyperException):
        return None
    return seen[0] if seen else None


def names_of(command: Callable[..., Any]) -> list[str]:
    """The options of a command, as they are written."""
    found: list[str] = []
    for parameter in inspect.signature(command).parameters.values():
        info = parameter.annotation.__metadata__[0]
        names = (
            info.names if isinstance(info, Option) else (info.default, *(info.param_decls or ()))
        )
        found += [part for name in names if name is not ... for part in str(name).split("/")]
    return found


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_what_is_read_is_what_typer_reads(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    command = app._function(name)
    options = names_of(command)
    lines: list[list[str]] = [[], ["a"], ["a", "b"], ["."], ["-h"], ["--wrong"]]
    for option in options:
        lines += [[option], [option, "7"], [option, ".", "a"], [f"{option}=7"], ["a", option]]
    for words in lines:
        given = read(command, words)
        if given is not None:
            assert given == as_typer_reads(monkeypatch, name, command, words), words


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_any_line_of_words_is_read_as_typer_reads_it_or_left_to_it(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["sync", "list", "search", "recall", "export"]))
    command = app._function(name)
    words = data.draw(st.lists(st.sampled_from([*names_of(command), *WORDS]), max_size=5))
    given = read(command, words)
    with pytest.MonkeyPatch.context() as patch:
        if given is not None:
            assert given == as_typer_reads(patch, name, command, words)


def test_plain_lines_of_the_commands_that_scripts_call_need_no_typer(tmp_path: Path) -> None:
    sync, search = app._function("sync"), app._function("search")
    given = read(sync, ["--json", "--agent", "claude", f"--home={tmp_path}"])
    assert given is not None
    assert (given["json"], given["agent"], given["home"]) == (True, "claude", tmp_path)
    assert given["watch"] is False
    given = read(search, ["retry", "--limit", "3", "budget"])
    assert given is not None
    assert (given["query"], given["limit"]) == (["retry", "budget"], 3)


def test_what_is_not_plain_is_left_to_typer(tmp_path: Path) -> None:
    sync, search = app._function("sync"), app._function("search")
    for words in (["--home", str(tmp_path / "none")], ["--js"], ["-h"], ["--agent"], ["x"]):
        assert read(sync, words) is None
    for words in ([], ["--limit", "0", "x"], ["--limit", "x", "x"], ["--", "-x"], ["-n5", "x"]):
        assert read(search, words) is None


def test_a_parameter_with_a_callback_is_left_to_typer() -> None:
    def command(one: Annotated[str, typer.Option("--one", callback=print)] = "") -> None: ...

    assert read(command, []) is None
