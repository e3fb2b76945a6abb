import re
from collections.abc import Callable

import pytest
from tests.factories.archive import Result

from dejavu.interfaces.command_line.commands import COMMANDS, GROUPS, OLD_NAMES, in_group
from dejavu.interfaces.command_line.entry import HEADINGS, REST
from dejavu.interfaces.command_line.help import description
from dejavu.interfaces.command_line.topics import TOPICS


def test_summaries_fit_one_line_of_80_columns_and_are_the_docstrings_first_line() -> None:
    for name, entry in COMMANDS.items():
        assert len(entry.summary) <= 60, name
        assert not entry.summary.endswith("."), name
        assert description(name).splitlines()[0] == entry.summary + ".", name
    assert {entry.heading for entry in COMMANDS.values()} == {*HEADINGS, *GROUPS, *REST}


def test_the_first_screen_teaches_in_40_lines(
    dejavu: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    rows = dejavu("-h").out.splitlines()
    visible = [name for heading in HEADINGS for name in in_group(heading)]
    for name in visible:
        assert f"  {name:9}  {COMMANDS[name].summary}" in rows
    for group, summary in GROUPS.items():
        assert f"  {group:9}  {summary}" in rows
    assert len(rows) <= 40
    assert max(map(len, rows)) <= 80
    assert len(visible) <= 20


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_help_keeps_to_the_width(
    dejavu: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    for words in (["list", "-h"], ["-h"], ["memory", "-h"]):
        text = dejavu(*words).out.partition("Examples:")[0]
        assert max(map(len, text.splitlines()[1:])) <= max(columns, 72)


@pytest.mark.parametrize("group", [name for name in GROUPS if name not in COMMANDS])
def test_a_group_shows_its_commands(dejavu: Callable[..., Result], group: str) -> None:
    asked = dejavu(group, "-h")
    assert (asked.code, asked.out) == (0, dejavu("help", group).out)
    for name, entry in in_group(group).items():
        assert re.search(
            rf"(?m)^  {name.partition(' ')[2]} +{re.escape(entry.summary)}$", asked.out
        )


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_fits_a_screen(dejavu: Callable[..., Result], topic: str) -> None:
    done = dejavu("help", topic)
    assert done.code == 0
    assert len(done.out.splitlines()) <= 24
    assert max(map(len, done.out.splitlines())) <= 100


def test_help_commands_names_every_command_and_every_old_name(
    dejavu: Callable[..., Result],
) -> None:
    text = dejavu("help", "commands").out
    for name in (*COMMANDS, *OLD_NAMES):
        assert re.search(rf"(?m)^  {name}( |$)", text), name


def test_search_teaches_its_language_in_four_lines(dejavu: Callable[..., Result]) -> None:
    text = dejavu("search", "-h").out
    table = text[text.index("  retry budget") : text.index("  All of it")].strip().splitlines()
    assert len(table) == 4
    for word in ("agent:", "in:", "after:", "path:", '"ring buffer"', "-java", "retr*", "re:/"):
        assert word in "".join(table)


@pytest.mark.parametrize("command", ["", *sorted(COMMANDS)])
def test_help_is_plain(dejavu: Callable[..., Result], command: str) -> None:
    done = dejavu("help", *command.split())
    assert done.code == 0
    usage = done.out.splitlines()[0]
    assert usage.startswith(f"Usage: dejavu {command}".rstrip())
    assert not re.search(r"[{}]|\.\.\.\.|\]\]", usage)
    assert not re.search(r"<(bool|str|int|float|path|dir|list)|[╭│]|x[<>]=", done.out)


def test_what_was_typed_cannot_act_on_the_terminal(dejavu: Callable[..., Result]) -> None:
    assert "\x1b" not in dejavu("list\x1b[2J").err
