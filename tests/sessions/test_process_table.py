"""Processes without `/proc`, as on macOS: what `ps` of this machine tells is read here."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.factories.waiting import until

from dejavu.extensions.panes import processes
from dejavu.sessions import process_table
from dejavu.sessions.observer import screen_follower

pytestmark = pytest.mark.skipif(not Path(process_table.PS).exists(), reason="needs ps")


@pytest.fixture(autouse=True)
def hidden(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for module in (processes, screen_follower):
        monkeypatch.setattr(module, "_PROC", tmp_path / "no-proc")


@pytest.fixture
def agent() -> Iterator[subprocess.Popen[bytes]]:
    """A process whose first word is `claude`."""
    with subprocess.Popen(["claude", "60"], executable="/bin/sleep") as process:
        yield process
        process.kill()


def test_a_row_has_what_was_asked(agent: subprocess.Popen[bytes]) -> None:
    (row,) = process_table.process_rows(agent.pid)
    assert (row.pid, row.parent, row.command) == (agent.pid, os.getpid(), "claude 60")
    assert abs(row.started - time.time()) < 60
    assert process_table.process_rows(2**22 + 1) == []


@pytest.mark.parametrize(
    ("text", "seconds"), [("00:01:02", 62), ("2-03:00:00", 183600), ("1:02.50", 62.5)]
)
def test_times_of_linux_and_macos(text: str, seconds: float) -> None:
    row = process_table._row(f" 1 0 Mon Nov 23 07:00:00 2026 {text} Ss ?? /sbin/launchd")
    assert row is not None
    assert (row.cpu, row.tty, row.command) == (seconds, "??", "/sbin/launchd")
    assert process_table._row("no such line") is None


def test_an_agent_is_found_below_a_process(agent: subprocess.Popen[bytes]) -> None:
    found = processes.agent_below(agent.pid)
    assert found is not None
    assert (found.agent, found.pid) == ("claude", agent.pid)
    # Below one of its own: the tests' process may be called as a wrapper is, which is passed over.
    start = "import subprocess; subprocess.run(['claude', '60'], executable='/bin/sleep')"
    with subprocess.Popen([sys.executable, "-c", start], start_new_session=True) as parent:
        try:
            below = until(lambda: processes.agent_below(parent.pid))
            assert (below.agent, below.pid != parent.pid) == ("claude", True)
        finally:
            os.killpg(parent.pid, signal.SIGKILL)
    assert processes.agent_on_terminal("/dev/null") is None
    assert processes.processes_with(("HOME",)) == []
    assert processes.environment_of(agent.pid) == {}
    assert processes.working_folder(agent.pid) == ""


def test_a_wrapped_agent_is_passed_over() -> None:
    rows = [
        process_table.ProcessRow(1, 0, 5, 0, "S", "ttys001", "-zsh"),
        process_table.ProcessRow(2, 1, 6, 0, "S", "ttys001", "python /bin/dejavu-run claude"),
        process_table.ProcessRow(3, 2, 7, 0, "S", "ttys001", "claude"),
        process_table.ProcessRow(4, 1, 8, 0, "S", "ttys002", "codex"),
    ]
    assert processes._first_agent(1, rows) is None
    assert processes._first_agent(4, rows) is not None


def test_work_is_seen_by_its_cpu_time(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = [0.0]

    def rows() -> list[process_table.ProcessRow]:
        shell = process_table.ProcessRow(7, 1, 5, 0, "S", "ttys001", "sh")
        return [shell, process_table.ProcessRow(8, 7, 5, seconds[0], "R", "ttys001", "cc")]

    monkeypatch.setattr(screen_follower, "process_rows", rows)
    activity = screen_follower.CpuActivity(7)
    assert activity.is_busy() is None
    time.sleep(0.1)
    seconds[0] = 60.0
    assert activity.is_busy() is True
    time.sleep(0.1)
    assert activity.is_busy() is False
    assert screen_follower.CpuActivity(9).is_busy() is None
