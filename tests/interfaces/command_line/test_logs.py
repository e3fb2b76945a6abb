import logging
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.factories.archive import Result

from dejavu.config.paths import state_home
from dejavu.interfaces.command_line import logs


@pytest.fixture(autouse=True)
def reset() -> Iterator[None]:
    yield
    logs.configure(verbose=False)


def test_warnings_go_to_a_private_file_without_the_texts_of_exceptions(home: Path) -> None:
    logs.configure(verbose=False)
    assert not (state_home() / logs.LOG).exists()
    try:
        int("somebody")
    except ValueError:
        logging.getLogger("dejavu.x").warning("reading %s failed", "a.jsonl", exc_info=True)
    logging.getLogger("dejavu.x").info("nothing of this")
    path = state_home() / logs.LOG
    text = path.read_text("utf-8")
    assert path.stat().st_mode & 0o777 == 0o600
    assert "WARNING dejavu.x: reading a.jsonl failed" in text
    assert "test_logs.py" in text
    assert "ValueError" in text
    assert "somebody" not in text
    assert "nothing of this" not in text


def test_the_file_is_rotated_and_stays_private(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "_BYTES", 200)
    logs.configure(verbose=False)
    for number in range(9):
        logging.getLogger("dejavu.x").warning("line %d %s", number, "x" * 60)
    names = sorted(path.name for path in state_home().iterdir())
    assert names == [logs.LOG, f"{logs.LOG}.1"]
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in state_home().iterdir())


def test_a_state_folder_that_cannot_be_written_stops_nothing(home: Path) -> None:
    state_home().parent.mkdir(parents=True)
    state_home().write_text("a file")
    logs.configure(verbose=False)
    logging.getLogger("dejavu.x").warning("lost")


def test_verbose_shows_where_an_internal_error_happened(
    dejavu: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    def explode() -> None:
        raise RuntimeError("why")

    monkeypatch.setattr("dejavu.interfaces.cli.status.find_all", explode)
    assert "Traceback" not in dejavu("status").err
    shown = dejavu("-v", "status")
    assert shown.code == 1
    assert "in explode" in shown.err
    assert "internal error (RuntimeError)" in shown.err


def test_loggers_are_set_up_where_a_command_loads_logging_late(home: Path) -> None:
    lines = [
        "import sys",
        "from dejavu.interfaces.command_line import app",
        "app._configure_logs()",
        "assert 'logging' not in sys.modules",
        "import logging",
        "logging.getLogger('dejavu.x').warning('late')",
        "assert not [one for one in sys.meta_path if isinstance(one, app._LateLogs)]",
    ]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "WARNING dejavu.x: late" in (state_home() / logs.LOG).read_text("utf-8")


def test_an_internal_error_is_in_the_file_where_nothing_loaded_logging(home: Path) -> None:
    lines = [
        "import sys",
        "from dejavu.interfaces.command_line import app",
        "def fail(*_): raise RuntimeError('why')",
        "app.simple_line.parse = lambda name, words: {}",
        "app.simple_line.command = lambda name: fail",
        "sys.exit(app.run(['list']))",
    ]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert "internal error (RuntimeError)" in done.stderr
    assert "RuntimeError in `dejavu list`" in (state_home() / logs.LOG).read_text("utf-8")
