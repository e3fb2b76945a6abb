"""The PTY's five verbs."""

import os
import select
import signal
import termios
import time
from pathlib import Path

import pytest

from dejavu.capsule import Size, SpawnError
from dejavu.capsule.pty import Pty


@pytest.fixture
def spawn():
    started = []

    def start(*argv, size=None, env=None, **options):
        pty = Pty.spawn(argv, env or dict(os.environ), size or Size(80, 24), **options)
        started.append(pty)
        return pty

    yield start
    for pty in started:
        if pty.wait() is None:
            pty.signal(signal.SIGKILL)
        end(pty)
        pty.close()


def everything(pty):
    data = b""
    while (chunk := pty.read()) != b"":
        if chunk is None:
            select.select([pty.fd], [], [], 60)
        else:
            data += chunk
    return data


def end(pty):
    deadline = time.monotonic() + 60
    while (code := pty.wait()) is None:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    return code


def test_the_size_is_there_before_the_program(spawn):
    assert everything(spawn("stty", "size", size=Size(99, 33))) == b"33 99\r\n"


def test_a_resize_is_told(spawn):
    pty = spawn("sh", "-c", "trap 'stty size; exit' WINCH; echo on; while :; do sleep 0.01; done")
    while b"on" not in (pty.read() or b""):
        pass
    pty.resize(Size(132, 50))
    assert b"50 132" in everything(pty)


@pytest.mark.parametrize(
    ("command", "code"), [("exit 7", 7), ("kill -TERM $$", 143), ("kill -KILL $$", 137)]
)
def test_waiting_gives_a_shells_exit_code(spawn, command, code):
    pty = spawn("sh", "-c", command)
    assert end(pty) == code
    assert pty.wait() == code


def test_the_pid_is_the_agents(spawn):  # also of one that is over before we look
    pty = spawn("sh", "-c", "echo $$")
    assert everything(pty) == b"%d\r\n" % pty.pid


def test_all_output_of_a_fast_agent_arrives_late(spawn):
    pty = spawn("sh", "-c", "seq 1000; exit 3")
    assert end(pty) == 3
    assert everything(pty) == b"".join(b"%d\r\n" % n for n in range(1, 1001))


def test_writing_never_waits(spawn):
    pty = spawn("sleep", "60")
    pty.write(bytes(1 << 20))  # ptyprocess hangs for ever here
    assert pty.input.pending > 0
    assert pty.input.full


def test_the_modes_are_the_given_ones(spawn):
    master, slave = os.openpty()
    modes = termios.tcgetattr(slave)
    modes[6][termios.VERASE] = b"\x08"
    os.close(master)
    os.close(slave)
    assert b"erase = ^H" in everything(spawn("stty", "-a", modes=modes))


def test_stopping_is_seen_and_resuming_undoes_it(spawn):
    pty = spawn("sh", "-c", "kill -TSTP 0; echo awake")
    deadline = time.monotonic() + 60
    while not pty.stopped:
        assert pty.wait() is None
        assert time.monotonic() < deadline
        time.sleep(0.005)
    pty.resume()
    assert b"awake" in everything(pty)
    assert end(pty) == 0


@pytest.mark.parametrize("content", ["#!/no/such/interpreter\n", "\x7fELF nonsense"])
def test_a_failed_exec_is_reported_here(spawn, tmp_path, content):
    broken = tmp_path / "broken"
    broken.write_text(content)
    broken.chmod(0o755)
    if content.startswith("#!"):
        with pytest.raises(SpawnError, match=r"cannot start .*broken"):
            spawn(str(broken))
    else:
        assert end(spawn(str(broken))) in (2, 126, 127)  # the shell tried it, as execvp(3) has it


def test_a_missing_program_is_not_forked_for(spawn):
    with pytest.raises(SpawnError, match="not found in PATH"):
        spawn("agent", env={"PATH": "/nowhere"})


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="the script writes to /dev/fd")
def test_descriptors_handed_to_us_reach_the_agent_and_ours_do_not(spawn):
    ours, its = os.pipe()
    os.set_inheritable(its, True)
    script = f"echo through > /dev/fd/{its}; test -e /dev/fd/{ours} && echo leaked"
    assert b"leaked" not in everything(spawn("sh", "-c", script))
    os.set_blocking(ours, False)
    assert os.read(ours, 100) == b"through\n"
    os.close(ours)
    os.close(its)


def test_closing_hangs_the_agent_up(spawn):
    pty = spawn("sh", "-c", "echo on; exec sleep 60")
    while b"on" not in (pty.read() or b""):
        pass
    pty.close()
    assert end(pty) == 128 + signal.SIGHUP
