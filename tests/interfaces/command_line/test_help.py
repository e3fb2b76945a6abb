import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.factories.archive import Result

from dejavu.interfaces.command_line.commands import COMMANDS, GROUPS
from dejavu.interfaces.command_line.help import load


def test_summaries_fit_one_line_of_80_columns_and_are_the_docstrings_first_line() -> None:
    for name, entry in COMMANDS.items():
        assert len(entry.summary) <= 60, name
        assert not entry.summary.endswith("."), name
        assert (load(name).help or "").splitlines()[0] == entry.summary + ".", name
    assert {entry.group for entry in COMMANDS.values()} == set(GROUPS)


def test_nothing_of_the_help_is_cut(
    dejavu: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    rows = dejavu("-h").out.splitlines()
    for name, entry in COMMANDS.items():
        assert f"  {name:14}  {entry.summary}" in rows
    assert max(map(len, rows)) <= 80


def test_every_value_is_converted_without_pydantic() -> None:
    for name in COMMANDS:
        for parameter in load(name).params:
            plain: Any = parameter
            assert plain._runtime_param is not None, f"{name} {parameter.name}"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("lst", "dejavu: unknown command 'lst'; did you mean 'list'?"),
        ("--verison", "dejavu: unknown option --verison; did you mean --version?"),
        ("list --agnt x", "dejavu list: unknown option --agnt; did you mean --agent"),
        ("search -ring", "dejavu search: unknown option -r; put -- before words that begin with"),
        ("list --limit x", "dejavu list: --limit: 'x' is not a whole number"),
        ("list --limit 0", "dejavu list: --limit: must be 1 or more"),
        ("list --limit", "dejavu list: --limit needs a value"),
        ("list --json=3", "dejavu list: --json takes no value"),
        ("list --since 32d2", "dejavu list: --since: '32d2' is not a time; try 2d"),
        ("list --agent=cluade", "dejavu list: unknown agent 'cluade'; did you mean 'claude'?"),
        ("list --since 2d --until 5d", "dejavu list: --since is after --until"),
        ("search x --role boss", "dejavu search: --role: 'boss' is not one of user, assistant"),
        ("replay /nope", "dejavu replay: /nope: no such file"),
        ("show x y", "dejavu show: got unexpected extra argument(s) (y)"),
        ("show", "dejavu show: name a conversation"),
        ("wait", "dejavu wait: SESSION is missing (Ids, unique prefixes or names)"),
        ("packs", "dejavu packs: ACTION is missing (learn: propose rules from aligned sessions)"),
        ("team", "dejavu team: ACTION is missing (init | invite | grant | "),
        (
            "diff",
            "dejavu: unknown command 'diff'; `dejavu show` prints what a conversation changed",
        ),
        ("recall ''", "dejavu recall: the text is empty; give a prompt, or its topic"),
        ("search agent:cluade", "dejavu search: unknown agent 'cluade'; did you mean 'claude'?"),
        ("export last --format pdf", "dejavu export: --format: 'pdf' is not one of md, json"),
        ("restore /nope", "dejavu restore: /nope: no such folder"),
        ("init nosuch", "dejavu init: 'nosuch' is not one of"),
        ("export", "dejavu export: name one conversation, or give --all"),
    ],
)
def test_a_wrong_use_is_told_in_one_sentence_and_the_usage(
    dejavu: Callable[..., Result], line: str, told: str
) -> None:
    done = dejavu(*shlex.split(line))
    first, usage = done.err.rstrip().splitlines()
    assert done.code == 2
    assert done.out == ""
    assert first.startswith(told)
    assert re.fullmatch(r"usage: dejavu .*\(`dejavu.* -h` tells more\)", usage)


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


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_made(home: Path, shell: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dejavu.interfaces.cli"],
        env={"HOME": str(home), "_DEJAVU_COMPLETE": f"source_{shell}", "PATH": "/usr/bin"},
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert "_DEJAVU_COMPLETE" in done.stdout
