"""The session, as a user sees it: real terminals, real processes, real signals."""

import hashlib
import os
import random
import signal
import subprocess
import sys
import termios
import threading
import time

import pytest

from dejavu import capsule

MB = 1 << 20


def same(one, other):
    """Equality without a diff: pytest would compare megabytes line by line for minutes."""
    return bytes(one) == bytes(other)


def finish(outer, code):
    """The end every session must have: its exit code, and the terminal as it was."""
    assert outer.exit_code() == code
    assert outer.modes == outer.before


# -- transparency


@pytest.mark.parametrize("size", [20 * MB, pytest.param(200 * MB, marks=pytest.mark.soak)])
def test_output_arrives_unchanged(outer, agent_command, stream, size):
    outer.start(agent_command("flood", size))
    begin = outer.read_until(b"ready\n")
    outer.read_some(begin + size)
    finish(outer, 0)
    assert hashlib.sha256(outer.seen[begin:]).digest() == hashlib.sha256(stream(size)).digest()


def test_output_arrives_unchanged_at_a_terminal_that_sleeps(outer, agent_command, stream):
    size = 2 * MB
    outer.start(agent_command("flood", size, 5))
    begin = outer.read_until(b"ready\n")
    for _ in range(20):
        time.sleep(0.01)
        outer.read()
    outer.read_some(begin + size)
    finish(outer, 5)
    assert same(outer.seen[begin:], stream(size))


def test_what_was_written_before_the_exit_waits_for_a_terminal_that_does_not_read(
    outer, agent_command, stream, wait_until, processes
):
    size = 60_000  # fits what the wrapper and the kernel hold: the agent can end
    outer.start(agent_command("flood", size, 9))
    agents = wait_until(lambda: processes.children(outer.pid), "the agent's leader")
    wait_until(
        lambda: not processes.children(outer.pid) or processes.ended(agents[0]), "the agent's end"
    )
    outer.read_some(len(b"ready\n") + size)
    finish(outer, 9)
    assert same(outer.seen, b"ready\n" + stream(size))


@pytest.mark.parametrize("pause", [0, 0.01])
def test_input_arrives_unchanged(outer, agent_command, pause):
    data = random.Random(1).randbytes(5 * MB)
    outer.start(agent_command("swallow", len(data), pause))
    outer.read_until(b"ready\n")
    outer.type(data)
    outer.read_until(hashlib.sha256(data).hexdigest().encode())
    finish(outer, 0)


def test_both_directions_at_once(outer, agent_command):
    data = random.Random(2).randbytes(5 * MB)
    outer.start(agent_command("both", len(data)))
    begin = outer.read_until(b"ready\n")
    outer.type(data)
    outer.read_some(begin + len(data))
    finish(outer, 0)
    assert same(outer.seen[begin:], data)


def test_a_flood_of_input_for_an_agent_that_does_not_read_harms_nobody(outer, agent_command):
    outer.start(agent_command("idle"))
    outer.read_until(b"ready\n")
    os.set_blocking(outer.master, False)
    refused = 0
    while refused < 20:  # full, and still full a moment later
        try:
            os.write(outer.master, bytes(4096))
            refused = 0
        except BlockingIOError:
            refused += 1
            time.sleep(0.002)
    os.set_blocking(outer.master, True)
    outer.kill(signal.SIGTERM)
    finish(outer, 143)


def test_the_agent_sees_what_it_would_see_alone(agent_command, outer):
    def seen(wrapped):
        start = len(outer.seen)
        outer.start(agent_command("report"), wrapped=wrapped)
        outer.read_until(b"\n", start)
        assert outer.exit_code() == 0
        return eval(outer.seen[start:].decode())

    bare = seen(wrapped=False)
    outer.renew()
    assert seen(wrapped=True) == bare


@pytest.mark.parametrize("code", [0, 1, 42, 255])
def test_exit_codes_are_the_agents(outer, agent_command, code):
    outer.start(agent_command("bye", code))
    finish(outer, code)
    assert b"bye" in outer.seen


def test_a_missing_agent_changes_nothing(outer):
    outer.start(["no-such-agent-anywhere"])
    assert outer.exit_code() == 1  # the test's wrapper does not catch it
    assert b"SpawnError: cannot start 'no-such-agent-anywhere': not found in PATH" in outer.seen
    assert outer.modes == outer.before


@pytest.mark.parametrize("talk", ["", "noise"])
def test_a_grandchild_that_keeps_the_terminal_does_not_keep_the_user(outer, agent_command, talk):
    outer.start(agent_command("orphan", 60, talk))
    outer.read_until(b"left")
    finish(outer, 3)
    pid = int(outer.seen.split(b"pid ")[1].split(b".")[0])
    os.kill(pid, signal.SIGKILL)


# -- signals: each of them in each state


def idle(outer, agent_command, stream, wait_until):
    outer.start(agent_command("idle"))
    outer.read_until(b"ready\n")
    return lambda: outer.seen == b"ready\n"


def flooding(outer, agent_command, stream, wait_until):
    outer.start(agent_command("flood"))
    begin = outer.read_until(b"ready\n")
    outer.read_some(begin + MB)
    return lambda: outer.seen[begin:] == stream(len(outer.seen) - begin)


def slow(outer, agent_command, stream, wait_until):
    outer.start(agent_command("flood"))
    begin = outer.read_until(b"ready\n")
    time.sleep(0.05)  # let every buffer on the way fill
    return lambda: outer.seen[begin:] == stream(len(outer.seen) - begin)


STATES = {"idle": idle, "flooding": flooding, "slow": slow}


@pytest.fixture(params=STATES)
def running(request, outer, agent_command, stream, wait_until):
    """A session in that state; calling it tells whether the bytes seen are right so far."""
    return STATES[request.param](outer, agent_command, stream, wait_until)


@pytest.mark.parametrize("name", ["TERM", "HUP", "INT", "QUIT"])
def test_a_deadly_signal_reaches_the_agent_and_ends_both(outer, running, name):
    number = signal.Signals[f"SIG{name}"]
    assert outer.is_raw
    outer.kill(number)
    # A Python agent dies of SIGINT by raising, then by the signal itself; it says so on stderr.
    finish(outer, 128 + number)
    if name != "INT":
        assert running()


def test_suspending_gives_the_terminal_back_and_continuing_takes_it_again(outer, running):
    outer.kill(signal.SIGTSTP)
    outer.told("stopped")
    assert outer.modes == outer.before
    outer.go_on()
    while not outer.is_raw:
        outer.drain()
        time.sleep(0.005)
    outer.kill(signal.SIGTERM)
    finish(outer, 143)
    assert running()


def test_a_storm_of_resizes_loses_no_byte(outer, running, wait_until):
    for number in range(300):
        outer.resize(40 + number % 100, 10 + number % 50)
        outer.kill(signal.SIGWINCH)
        if number % 50 == 0:
            outer.drain()
    outer.kill(signal.SIGTERM)
    finish(outer, 143)
    assert running()


def test_the_agent_has_the_last_size_after_a_storm(outer, agent_command):
    outer.start(agent_command("sizes"))
    outer.read_until(b"size 100x30")
    outer.read_until(b"ready")
    for number in range(300):
        outer.resize(40 + number % 100, 10 + number % 50)
    outer.resize(133, 44)
    outer.read_until(b"size 133x44")
    outer.kill(signal.SIGTERM)
    finish(outer, 143)


@pytest.mark.parametrize("name", ["TERM", "HUP", "INT", "QUIT"])
def test_a_signal_after_the_agents_end_ends_the_delivery(
    outer, agent_command, wait_until, name, processes
):
    outer.start(agent_command("flood", 60_000, 9))
    leader = wait_until(lambda: processes.children(outer.pid), "the agent's leader")[0]
    wait_until(lambda: leader not in processes.children(outer.pid), "the agent's end")
    outer.kill(signal.Signals[f"SIG{name}"])
    finish(outer, 9)


def test_a_suspension_after_the_agents_end_changes_nothing(
    outer, agent_command, stream, wait_until, processes
):
    outer.start(agent_command("flood", 60_000, 9))
    leader = wait_until(lambda: processes.children(outer.pid), "the agent's leader")[0]
    wait_until(lambda: leader not in processes.children(outer.pid), "the agent's end")
    for number in (signal.SIGTSTP, signal.SIGCONT, signal.SIGWINCH):
        outer.kill(number)
    # The agent's end may still be unknown to the wrapper, which then suspends itself, perhaps
    # after the SIGCONT above: a shell would see its job stopped and continue it later.
    over = threading.Event()
    shell = threading.Thread(target=continue_whenever_stopped, args=(outer, over, processes))
    shell.start()
    try:
        outer.read_some(len(b"ready\n") + 60_000)
        finish(outer, 9)
    finally:
        over.set()
        shell.join()
    assert same(outer.seen, b"ready\n" + stream(60_000))


def continue_whenever_stopped(outer, over, processes):
    """What a user does with a job that stopped, until it is over."""
    while not over.wait(0.05):
        if processes.stopped(outer.pid):
            outer.go_on()  # a mere SIGCONT would leave it in the background


def test_an_agent_that_suspends_its_job_suspends_us_too(outer, agent_command):
    outer.start(agent_command("sleeper"))
    outer.read_until(b"ready\n")
    for _ in range(3):
        place = len(outer.seen)
        outer.type(b"z")
        outer.told("stopped")
        assert outer.modes == outer.before
        assert b"going" in outer.seen[place:]
        outer.go_on()
        outer.read_until(b"again", place)
        assert outer.is_raw
    outer.type(b"aq")
    finish(outer, 0)
    assert outer.seen.endswith(b"[a]")


def test_stop_and_cont_from_outside(outer, agent_command):
    outer.start(agent_command("sleeper"))
    outer.read_until(b"ready\n")
    outer.kill(signal.SIGSTOP)
    outer.told("stopped")
    termios.tcsetattr(outer.slave, termios.TCSANOW, outer.before)  # as a shell does
    outer.go_on()
    outer.type(b"x")
    outer.read_until(b"[x]")
    assert outer.is_raw
    outer.type(b"q")
    finish(outer, 0)


def test_an_agent_that_ignores_signals_goes_on(outer, agent_command):
    outer.start(agent_command("deaf"))
    outer.read_until(b"ready\n")
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        outer.kill(number)
    outer.kill(signal.SIGUSR1)  # this one it does not ignore
    finish(outer, 128 + signal.SIGUSR1)


# -- a terminal that goes away


@pytest.mark.parametrize("kind", ["idle", "flood", "deaf"])
def test_closing_the_terminal_ends_the_session(outer, agent_command, kind, wait_until, processes):
    outer.start(agent_command(kind))
    outer.read_until(b"ready\n")
    leader = processes.children(outer.pid)[0]
    agents = processes.children(leader)
    os.close(outer.slave)
    os.close(outer.master)
    outer.slave = outer.master = -1
    outer.shell.kill()  # its terminal is gone; what it knew of its job goes with it
    wait_until(lambda: processes.ended(outer.pid), "the wrapper's end")
    if kind == "deaf":  # it lives on without a terminal, as it would without us
        assert not processes.ended(agents[0])
        os.kill(agents[0], signal.SIGKILL)
    wait_until(lambda: processes.ended(leader), "the agent's end")


# -- what it costs to start


def test_nothing_heavy_is_imported_to_start_an_agent():
    script = (
        "import sys; from dejavu.capsule import Session\n"
        "code = Session(['true'], {'PATH': '/bin:/usr/bin'}, mode='headless').run()\n"
        "print(code, *sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    code, *modules = done.stdout.split()
    assert code == "0"
    heavy = "typer click rich textual lmdb msgspec dejavu.model asyncio subprocess socket json"
    assert not set(heavy.split()) & set(modules)


def test_every_public_name_loads():
    assert capsule.__all__ == sorted(capsule.__all__, key=lambda n: (not n.isupper(), n))
    assert all(getattr(capsule, name) is not None for name in capsule.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        capsule.Nothing  # noqa: B018 - the access is the test


def test_a_fault_of_ours_ends_the_capture_and_not_the_agent() -> None:
    code = """
import os, sys
from dejavu.capsule import Session

class Bad:
    seen, deadline = 0, None
    def event(self, event): self.seen += 1
    def close(self): pass
    def abort(self): pass
    def poll_fds(self): raise TypeError("not this way")

bad = Bad()
session = Session(["sh", "-c", "echo one; sleep .3; echo two; exit 5"], os.environ, mode="direct", sinks=[bad])
print(session.run(), session.notes, bad.seen)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == (
        "one\ntwo\n5 ['nothing more is captured: TypeError: not this way'] 1\n"
    ), done.stderr
