"""An observer that ends is followed by another; the session never notices."""

import errno
import json
import os
import select
import signal
import sys
import time
from pathlib import Path

import pytest

from dejavu.capsule import Exit, Header, ObserverProcess, ObserverSupervisor, Output

PROGRAM = Path(__file__).parent / "programs" / "observer.py"


def follow(supervisor, condition):
    """Do what the session's loop does, until `condition`."""

    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        poll = select.poll()
        for fd, mask in supervisor.poll_fds():
            poll.register(fd, mask)
        for fd, _ in poll.poll(20):
            supervisor.ready(fd)
        if supervisor.deadline is not None and time.monotonic() >= supervisor.deadline:
            supervisor.expire()


@pytest.fixture
def started(tmp_path):
    made = []

    def start(*wishes, pauses=(0.05, 0.1, 0.1)):
        def make():
            made.append(ObserverProcess([sys.executable, str(PROGRAM), str(tmp_path), *wishes]))
            return made[-1]

        supervisor = ObserverSupervisor(make, pauses)
        supervisor.event(Header({"mode": "terminal", "columns": 80, "lines": 24}))
        return supervisor

    yield start, made
    for process in made:
        process.abort()


def test_the_next_one_is_told_what_passed(started, tmp_path):
    start, made = started
    supervisor = start()
    supervisor.event(Output(1.0, b"one "))
    pid = tmp_path / "observer.pid"
    follow(supervisor, lambda: pid.exists() and pid.read_text() == str(made[0].pid))
    os.kill(made[0].pid, signal.SIGKILL)
    follow(supervisor, lambda: supervisor.deadline is not None)  # seen without any event
    supervisor.event(Output(2.0, b"two "))
    follow(supervisor, lambda: len(made) == 2)
    supervisor.event(Output(3.0, b"three"))
    supervisor.event(Exit(4.0, 7))
    supervisor.close()
    follow(supervisor, lambda: supervisor.report and not supervisor.poll_fds())
    seen = json.loads(supervisor.report)
    assert (seen["bytes"], seen["lost"], seen["status"]) == (13, 0, 7)
    assert seen["header"]["resumed"] == supervisor.restarts == 1
    with pytest.raises(ChildProcessError):  # nobody is left to be waited for
        os.waitpid(made[0].pid, os.WNOHANG)


def test_one_that_always_fails_is_given_up(started):
    start, made = started
    supervisor = start("mortal")

    def go_on():
        for number in range(10_000):
            supervisor.event(Output(float(number), b"x"))
            follow(supervisor, lambda: supervisor.poll_fds() or supervisor.deadline)
            time.sleep(0.002)
            if supervisor.deadline is not None and time.monotonic() >= supervisor.deadline:
                supervisor.expire()

    with pytest.raises(OSError, match="has ended 4 times"):
        go_on()
    assert len(made) == 4


def test_a_session_that_ends_meanwhile_is_archived_by_the_next_one(started, tmp_path):
    start, made = started
    supervisor = start(pauses=(3600.0,))
    supervisor.event(Output(1.0, b"said"))
    follow(supervisor, lambda: made[0].pid)
    os.kill(made[0].pid, signal.SIGKILL)
    follow(supervisor, lambda: supervisor.deadline is not None)
    supervisor.event(Exit(2.0, 0))
    supervisor.close()
    follow(supervisor, lambda: supervisor.report and not supervisor.poll_fds())
    seen = json.loads(supervisor.report)
    assert (seen["bytes"], seen["status"]) == (4, 0)


def test_one_killed_while_it_archives_the_end_is_followed_by_another(started, tmp_path):
    start, made = started
    supervisor = start("mute-once", pauses=(3600.0,))
    supervisor.event(Output(1.0, b"said"))
    supervisor.event(Exit(2.0, 3))
    supervisor.close()
    follow(supervisor, (tmp_path / "observed.json").exists)
    assert not supervisor.report
    os.kill(made[0].pid, signal.SIGKILL)
    follow(supervisor, lambda: supervisor.report and not supervisor.poll_fds())
    seen = json.loads(supervisor.report)
    assert (seen["bytes"], seen["status"], seen["header"]["resumed"]) == (4, 3, 1)
    assert len(made) == 2


def test_what_always_ends_without_a_report_is_given_up_in_the_end():
    made = []

    def make():
        made.append(ObserverProcess([sys.executable, "-c", "import os; os.read(0, 1)"]))
        return made[-1]

    supervisor = ObserverSupervisor(make, (0.05, 0.05))
    supervisor.event(Header({"mode": "terminal"}))

    def end():
        supervisor.event(Exit(2.0, 0))
        supervisor.close()
        follow(supervisor, lambda: False)

    with pytest.raises(BrokenPipeError):
        end()
    assert len(made) == 3
    for process in made:
        process.abort()


def test_one_that_cannot_be_started_is_not_tried_again(tmp_path):
    supervisor = ObserverSupervisor(lambda: ObserverProcess(["/no/such/observer"]))
    with pytest.raises(FileNotFoundError) as caught:
        supervisor.event(Header({"mode": "terminal"}))
    assert caught.value.errno == errno.ENOENT
