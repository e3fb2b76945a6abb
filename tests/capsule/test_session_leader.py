"""The leader of the agent's session: when the wrapper is killed, and what it ignores."""

import os
import signal
import termios

import pytest


@pytest.mark.parametrize("kind", ["idle", "flood"])
@pytest.mark.parametrize("rounds", [2, pytest.param(100, marks=pytest.mark.soak)])
def test_a_killed_wrapper_leaves_a_usable_terminal(
    outer, agent_command, wait_until, kind, rounds, processes
):
    for _ in range(rounds):
        outer.start(agent_command(kind))
        outer.read_until(b"ready\n")
        assert outer.is_raw
        leader = processes.children(outer.pid)[0]
        family = [leader, *processes.children(leader)]
        outer.kill(signal.SIGKILL)
        assert outer.exit_code() == 137
        wait_until(lambda: not outer.is_raw, "the terminal's repair")
        assert outer.modes == outer.before
        wait_until(lambda f=family: all(map(processes.ended, f)), "the agent's end")
        outer.renew()


def test_a_terminal_the_shell_has_taken_over_is_left_alone(
    outer, agent_command, wait_until, processes
):
    outer.start(agent_command("idle"))
    outer.read_until(b"ready\n")
    leader = processes.children(outer.pid)[0]
    outer.kill(signal.SIGSTOP)
    outer.told("stopped")
    taken = list(outer.before)
    taken[3] &= ~(termios.ICANON | termios.ECHO)  # a shell editing its command line
    termios.tcsetattr(outer.slave, termios.TCSANOW, taken)
    outer.kill(signal.SIGKILL)
    wait_until(lambda: processes.ended(leader), "the leader's end")
    assert outer.modes[:4] == taken[:4]
    outer.drain()
    assert outer.seen == b"ready\n"


def test_what_pkill_by_name_sends_to_the_leader_does_not_end_it(outer, agent_command, processes):
    outer.start(agent_command("sleeper"))
    outer.read_until(b"ready\n")
    leader = processes.children(outer.pid)[0]
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT):
        os.kill(leader, number)
    outer.type(b"xq")
    outer.read_until(b"[x]")
    assert outer.exit_code() == 0


def test_what_the_agent_left_running_is_not_hung_up(outer, agent_command, processes):
    outer.start(["sh", "-c", "sleep 60 & echo pid $!.; exit 4"])
    outer.read_until(b".")
    assert outer.exit_code() == 4
    pid = int(outer.seen.split(b"pid ")[1].split(b".")[0])
    assert not processes.ended(pid)
    os.kill(pid, signal.SIGKILL)
