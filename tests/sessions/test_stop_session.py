"""The end of a wrapped agent's processes: launchers, their children, deaf ones, the report."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.factories.waiting import until

from dejavu.sessions import session_store as sessions
from dejavu.sessions.send_input import press
from dejavu.sessions.session_store import SessionView, process_started
from dejavu.sessions.stop_session import stop

SLEEPS = "import sys, time; print('on', flush=True); time.sleep(600)"
DEAF = f"import signal; [signal.signal(n, signal.SIG_IGN) for n in (1, 15)]; {SLEEPS}"
# A launcher that waits for its child and hands no signal on; it dies of one itself.
LAUNCHER = """
import json, subprocess, sys
code, group = sys.argv[2], json.loads(sys.argv[3])
child = subprocess.Popen([sys.executable, "-c", code], process_group=0 if group else None)
open(sys.argv[1], "a").write(f"{child.pid}\\n")
child.wait()
"""


@pytest.fixture
def launched(home: Path, tmp_path: Path) -> Iterator[Callable[..., tuple[SessionView, int]]]:
    """Starts a launcher under the wrapper: its session, and the number of its child."""
    children: list[int] = []
    runs: list[subprocess.Popen[bytes]] = []

    def start(code: str, *options: str, group: bool = False) -> tuple[SessionView, int]:
        pids = tmp_path / "pids"
        run = [sys.executable, "-m", "dejavu.interfaces.run", *options, "--name", "launched", "--"]
        agent = [sys.executable, "-c", LAUNCHER, str(pids), code, "true" if group else "false"]
        if "--detach" in options:
            subprocess.run([*run, *agent], check=True, stdout=subprocess.DEVNULL, timeout=60)
        else:
            null = subprocess.DEVNULL
            runs.append(subprocess.Popen([*run, *agent], stdin=null, stdout=null))
        until(lambda: pids.exists() and pids.read_text().strip())
        until(lambda: sessions.find("launched").session.agent_pid)
        children.append(int(pids.read_text()))
        time.sleep(0.3)  # the child sets its signals
        return sessions.find("launched"), children[-1]

    yield start
    for child in children:
        if process_started(child) is not None:
            os.kill(child, 9)
    for run in runs:
        run.terminate()
        run.wait(20)


@pytest.mark.fault("L1")
@pytest.mark.parametrize("group", [False, True])
@pytest.mark.parametrize("options", [["--detach"], []])
def test_what_a_launcher_started_ends_with_it(
    launched: Callable[..., tuple[SessionView, int]], options: list[str], group: bool
) -> None:
    view, child = launched(SLEEPS, *options, group=group)
    stop(view)
    assert not sessions.with_liveness(view).live
    assert process_started(child) is None


@pytest.mark.fault("L1")
def test_what_runs_on_is_named_and_killed_only_when_told(
    launched: Callable[..., tuple[SessionView, int]],
) -> None:
    _, child = launched(DEAF, "--detach", group=True)
    done = subprocess.run(
        [sys.executable, "-m", "dejavu.interfaces.cli", "stop", "launched", "--timeout", "6"],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert f"(pid {child})" in done.stderr
    assert f"kill -9 {child}" in done.stderr
    assert process_started(child) is not None


@pytest.mark.fault("L1")
def test_kill_ends_the_deaf_too(launched: Callable[..., tuple[SessionView, int]]) -> None:
    view, child = launched(DEAF, "--detach")
    stop(view, timeout=1, kill=True)
    assert process_started(child) is None


def started(name: str, *options: str) -> SessionView:
    """An interactive shell, in a session that `run --detach` has just said is started."""
    run = [
        sys.executable,
        "-m",
        "dejavu.interfaces.run",
        "--detach",
        "--name",
        name,
        *options,
        "--",
    ]
    subprocess.run(
        [*run, "bash", "--norc", "-i"], check=True, stdout=subprocess.DEVNULL, timeout=60
    )
    return sessions.find(name)


@pytest.mark.fault("L1")
def test_a_shell_ends_by_the_hang_up_long_before_half_of_the_time(
    home: Path, tmp_path: Path
) -> None:
    view = started("shell", f"--record={tmp_path / 'cast'}")
    until(
        lambda: "$ " in (tmp_path / "cast").read_text() or "# " in (tmp_path / "cast").read_text()
    )
    begun = time.monotonic()
    stop(view, timeout=60)
    assert time.monotonic() - begun < 30


@pytest.mark.fault("L1")
def test_a_stop_right_after_the_start_is_not_lost(home: Path) -> None:
    view = started("early")
    assert view.session.agent_pid is not None  # no observer is needed for it
    stop(view, timeout=60)
    assert process_started(view.session.agent_pid) is None


@pytest.mark.fault("L1")
def test_a_shell_in_the_middle_of_a_key_ends_too(home: Path, tmp_path: Path) -> None:
    view = started("escape", f"--record={tmp_path / 'cast'}")
    until(
        lambda: "$ " in (tmp_path / "cast").read_text() or "# " in (tmp_path / "cast").read_text()
    )
    until(lambda: (view.folder / "screen").exists())
    press(view, ["Escape"])
    stop(view, timeout=20)


def test_another_session_of_the_same_user_is_left_alone(
    launched: Callable[..., tuple[SessionView, int]],
) -> None:
    with subprocess.Popen([sys.executable, "-c", SLEEPS], stdout=subprocess.DEVNULL) as other:
        view, _ = launched(SLEEPS)
        stop(view)
        assert other.poll() is None
        other.kill()
