import subprocess
import sys
from pathlib import Path

import pytest
from tests.factories.archive import Result  # noqa: F401 - the fixture's type

from dejavu.interfaces.cli.app import COMMANDS, exit_code, run
from dejavu.model import (
    ArchiveError,
    ArchiveLockedError,
    ConfigError,
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
    assert run([command, flag]) == 0
    assert command in capsys.readouterr().out


def test_help_names_every_command(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["-h"]) == 0
    out = capsys.readouterr().out
    assert all(command in out for command in COMMANDS)


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
    assert capsys.readouterr().out.startswith("dejavu 0.")


def test_a_reader_that_goes_away_is_no_error(home: Path) -> None:
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{sys.executable} -m dejavu.interfaces.cli list | true"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "Traceback" not in done.stderr


def test_a_quick_command_does_not_load_the_others() -> None:
    code = (
        "import sys; from dejavu.interfaces.cli.app import run; run(['status']); "
        "heavy = ('lmdb', 'tantivy', 'textual', 'dejavu.scrapers', 'dejavu.archive'); "
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
