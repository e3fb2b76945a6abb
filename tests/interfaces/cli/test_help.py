import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories.archive import Result

from dejavu.interfaces.cli.app import COMMANDS
from dejavu.interfaces.cli.help import SECTIONS


def test_every_command_stands_in_one_section() -> None:
    placed = [name for names in SECTIONS.values() for name in names]
    assert sorted(placed) == sorted(set(placed))
    assert set(placed) <= set(COMMANDS)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("lst", "dejavu: there is no command 'lst'; did you mean 'list'?"),
        ("--verison", "dejavu: there is no option --verison; did you mean --version?"),
        ("list --agnt x", "dejavu list: there is no option --agnt; did you mean --agent"),
        ("list --limit x", "dejavu list: --limit: not a whole number"),
        ("list --limit 0", "dejavu list: --limit: must be 1 or more"),
        ("show", "dejavu show: ID is missing"),
        ("wait", "dejavu wait: SESSION is missing"),
        ("export last --format pdf", "dejavu export: --format: 'pdf' is not one of 'md', 'json'"),
        ("restore /nope", "dejavu restore: dir '/nope' does not exist"),
        ("init nosuch", "dejavu init: 'nosuch' is not one of"),
        ("export", "dejavu export: name one conversation, or give --all"),
    ],
)
def test_a_wrong_use_is_told_in_one_sentence_and_the_usage(
    dejavu: Callable[..., Result], line: str, told: str
) -> None:
    done = dejavu(*line.split())
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
