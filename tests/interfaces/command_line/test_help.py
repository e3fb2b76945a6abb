import re
from collections.abc import Callable

import pytest
from tests.factories.archive import Result

from dejavu.interfaces.command_line.commands import COMMANDS, GROUPS
from dejavu.interfaces.command_line.help import description


def test_summaries_fit_one_line_of_80_columns_and_are_the_docstrings_first_line() -> None:
    for name, entry in COMMANDS.items():
        assert len(entry.summary) <= 60, name
        assert not entry.summary.endswith("."), name
        assert description(name).splitlines()[0] == entry.summary + ".", name
    assert {entry.group for entry in COMMANDS.values()} == set(GROUPS)


def test_nothing_of_the_help_is_cut(
    dejavu: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    rows = dejavu("-h").out.splitlines()
    for name, entry in COMMANDS.items():
        assert f"  {name:14}  {entry.summary}" in rows
    assert max(map(len, rows)) <= 80


@pytest.mark.parametrize("command", ["", *sorted(COMMANDS)])
def test_help_is_plain(dejavu: Callable[..., Result], command: str) -> None:
    done = dejavu("help", command) if command else dejavu("help")
    assert done.code == 0
    usage = done.out.splitlines()[0]
    assert usage.startswith(f"Usage: dejavu {command}".rstrip())
    assert not re.search(r"[{}]|\.\.\.\.|\]\]", usage)
    assert not re.search(r"<(bool|str|int|float|path|dir|list)|[╭│]|x[<>]=", done.out)


def test_what_was_typed_cannot_act_on_the_terminal(dejavu: Callable[..., Result]) -> None:
    assert "\x1b" not in dejavu("list\x1b[2J").err
