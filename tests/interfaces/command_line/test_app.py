import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories.archive import Result

from dejavu.interfaces.command_line.app import exit_code, run
from dejavu.interfaces.command_line.commands import COMMANDS, GROUPS, OLD_NAMES
from dejavu.interfaces.command_line.simple_line import find
from dejavu.model import (
    ArchiveError,
    ArchiveLockedError,
    ConfigError,
    Conversation,
    CorruptArchiveError,
    DejavuError,
    NotFoundError,
)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NotFoundError("x"), 3),
        (CorruptArchiveError("x"), 4),
        (ArchiveLockedError("x"), 4),
        (ArchiveError("x"), 4),
        (ConfigError("x"), 2),
        (DejavuError("x"), 1),
    ],
)
def test_exit_codes_follow_the_contract(error: DejavuError, code: int) -> None:
    assert exit_code(error) == code


@pytest.mark.parametrize("command", sorted(COMMANDS))
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_every_command_has_help(
    home: Path, capsys: pytest.CaptureFixture[str], command: str, flag: str
) -> None:
    assert run([*command.split(), flag]) == 0
    assert command in capsys.readouterr().out


@pytest.mark.parametrize("old", sorted(OLD_NAMES))
def test_an_old_name_has_the_help_of_the_new_one(
    home: Path, capsys: pytest.CaptureFixture[str], old: str
) -> None:
    new = find(OLD_NAMES[old].split()).name
    if old in GROUPS:
        assert find([old, "--json"]) == (new, ["--json"], old, OLD_NAMES[old])
        return
    assert run([old, "-h"]) == 0
    assert f"Usage: dejavu {new}" in capsys.readouterr().out


def test_an_old_name_is_told_on_a_terminal_alone(
    dejavu: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "is now" not in dejavu("memories").err
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    done = dejavu("memories", "--json")
    assert done.err.splitlines()[0] == "dejavu: `memories` is now `dejavu memory list`"
    assert done.code == 0


@pytest.mark.parametrize("group", ["memory", "code", "archive"])
def test_a_group_alone_is_a_wrong_use_and_shows_its_help(
    dejavu: Callable[..., Result], group: str
) -> None:
    done = dejavu(group)
    assert (done.code, done.out) == (2, dejavu(group, "-h").out)


def test_without_a_command_it_shows_help_and_calls_it_usage(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([]) == 2
    assert "Usage" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["list", "--wrong"], ["show"], ["list", "--limit", "x"]]
)
def test_usage_errors_are_2(
    home: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert not out
    assert "Traceback" not in err


def test_version(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("dejavu 1.")


DEJAVU = f"{shlex.quote(sys.executable)} -m dejavu.interfaces.cli"


def _shell(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", script], capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize("arguments", ["list --jsonl", "-h", "export last"])
def test_a_reader_that_goes_away_ends_a_command_in_silence(
    archived: list[Conversation], arguments: str
) -> None:
    done = _shell(f"({DEJAVU} {arguments}; echo $? >&2) | true")
    assert done.stderr == "141\n"


@pytest.mark.parametrize("arguments", ["list", "list --json", "show last", "-h", "--version"])
def test_a_full_disk_behind_stdout_is_an_error(
    archived: list[Conversation], arguments: str
) -> None:
    done = _shell(f"{DEJAVU} {arguments} > /dev/full")
    assert done.returncode == 1
    assert done.stderr == "dejavu: cannot write to stdout: No space left on device\n"


SPEAKING = (
    "list", "list --json", "list --jsonl", "show last", "show last --json", "search a", "search a --json",
    "timeline last", "export last -f md", "export last -f html", "export last -f json",
    "export last -f otel", "stats", "stats --json", "status --json", "memories --json",
    "doctor", "doctor --json", "verify", "verify --json", "sync", "sync --json", "gc",
    "reparse", "secrets --json", "help", "list -h", "--plain",
    "redact",
)  # fmt: skip


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.soak)])
@pytest.mark.fault("1.19")
def test_every_command_ends_as_cat_does_where_stdout_is_full_closed_or_gone(
    archived: list[Conversation], every: bool
) -> None:
    """One line and 1, or 141 and silence, whatever the command was about to say (1.19)."""
    endings = (("> /dev/full", "No space left"), (">&-", "Bad file desc"), ("| true", ""))
    wrong: list[str] = []
    for number, words in enumerate(SPEAKING):
        unbuffered = "PYTHONUNBUFFERED=1 " if number % 2 else ""
        command = f"echo x | {unbuffered}{DEJAVU} {words}"
        for ending, reason in endings if every else (endings[number % 3],):
            done = _shell(f"{command} {ending}" if reason else f"({command}; echo $? >&2) {ending}")
            last = (done.stderr.splitlines() or [""])[-1]
            if reason:
                right = done.returncode == 1 and "cannot write" in last and reason in last
            else:
                right = last == "141"
            if not right or "Traceback" in done.stderr or "internal" in done.stderr:
                wrong.append(f"{words} {ending}: {done.returncode} {done.stderr}")
    assert wrong == []


def test_a_closed_stdout_is_an_error_and_nothing_is_opened_in_its_place(
    archived: list[Conversation],
) -> None:
    done = _shell(f"{DEJAVU} list >&-")
    assert (done.returncode, done.stderr) == (
        1,
        "dejavu: cannot write to stdout: Bad file descriptor\n",
    )
    assert _shell(f"{DEJAVU} list <&- 2>&-").returncode == 0


def test_quick_ways_load_little(home: Path) -> None:
    for arguments, most in (("--version", 100), ("-h", 190)):
        code = (
            f"import sys; sys.argv = ['dejavu', {arguments!r}]\n"
            "from dejavu.interfaces.cli import main\n"
            "try:\n    main()\nexcept SystemExit:\n    pass\n"
            "print(len(sys.modules), 'pydantic' in sys.modules, 'rich' in sys.modules)"
        )
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        count, *heavy = done.stdout.splitlines()[-1].split()
        assert heavy == ["False", "False"]
        assert int(count) < most, arguments


def test_a_quick_command_does_not_load_the_others() -> None:
    code = (
        "import sys; from dejavu.interfaces.command_line.app import run; run(['status']); "
        "heavy = ('lmdb', 'tantivy', 'textual', 'pydantic', 'dejavu.scrapers', 'dejavu.archive'); "
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip().splitlines()[-1] == "[]"


def test_a_fault_of_ours_is_one_sentence(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def explode() -> None:
        raise RuntimeError("secret-value")

    monkeypatch.setattr("dejavu.interfaces.cli.status.find_all", explode)
    assert run(["status"]) == 1
    err = capsys.readouterr().err
    assert "RuntimeError" in err
    assert "secret-value" not in err


def test_python_runs_the_package(home: Path) -> None:
    done = _shell(f"{shlex.quote(sys.executable)} -m dejavu --version")
    assert done.stdout.startswith("dejavu 1.")


def test_a_stdout_of_few_characters_shows_the_others_as_escapes(
    archived: list[Conversation],
) -> None:
    prefix = f"PYTHONIOENCODING=ascii {DEJAVU}"
    shown = _shell(f"{prefix} show {archived[1].id}")
    assert (shown.returncode, "\\u276f" in shown.stdout) == (0, True)
    document = json.loads(_shell(f"{prefix} show {archived[1].id} --json").stdout)
    assert document == json.loads(_shell(f"{DEJAVU} show {archived[1].id} --json").stdout)


def test_a_stdin_that_is_not_utf8(home: Path) -> None:
    stored = _shell(f"printf 'caf\\351 opens' | {DEJAVU} remember --json")
    assert json.loads(stored.stdout)["text"] == "caf\ufffd opens"
