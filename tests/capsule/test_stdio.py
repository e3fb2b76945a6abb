"""What a session's bytes come from and go to, above all without a terminal of our own."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from dejavu.capsule import SpawnError, read_recording
from dejavu.capsule.control import send
from dejavu.capsule.stdio import HEADLESS, PIPE, mode_of, open_io
from dejavu.capsule.tty import Size

MB = 1 << 20


def test_without_a_terminal_the_mode_is_direct():
    reader, writer = os.pipe()
    try:
        assert mode_of(reader, writer) == PIPE
    finally:
        os.close(reader)
        os.close(writer)


def test_a_missing_agent_opens_nothing():
    with ExitStack() as stack, pytest.raises(SpawnError):
        open_io(HEADLESS, ["/no/such/agent"], {}, stack, size=Size(80, 24))


def test_a_headless_agent_has_no_keyboard_and_an_output_only_with_an_echo():
    with ExitStack() as stack:
        io = open_io(HEADLESS, ["true"], {"PATH": "/bin:/usr/bin"}, stack, size=Size(90, 20))
        stack.callback(io.child.close)
        assert (io.stdin, io.tty, io.output_inherited) == (-1, None, False)
        assert io.size == Size(90, 20)
        assert io.out.closed


@pytest.fixture
def headless(tmp_path):
    """Start the wrapper headless around a command, its echo to a pipe."""

    def start(command, **options):
        options = {"mode": "headless", "size": [100, 30], "echo": 1} | options
        return subprocess.Popen(
            [sys.executable, str(Path(__file__).parent / "programs" / "wrapper.py"), *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env={**os.environ, "WRAP": json.dumps(options)},
        )

    return start


def test_headless_gives_the_agent_a_terminal_of_that_size(headless, agent_command):
    out, err = headless(agent_command("report")).communicate(timeout=60)
    seen = eval(out.decode())
    assert seen["tty"] == [True, True, True]
    assert seen["size"] == [100, 30]
    assert seen["foreground"]
    assert err == b""


def test_headless_needs_no_reader(headless, agent_command, stream, tmp_path):
    path = tmp_path / "out.cast"
    process = headless(agent_command("flood", MB, 5), echo=None, record=str(path))
    assert process.communicate(timeout=60) == (b"", b"")
    assert process.returncode == 5
    written = b"".join(e.data for e in read_recording(path) if e.kind == "o")
    assert written == b"ready\n" + stream(MB)


def test_headless_goes_on_when_its_reader_goes_away(headless, agent_command):
    process = headless(agent_command("flood", 4 * MB, 5))
    assert process.stdout.readline() == b"ready\n"
    process.stdout.close()
    assert process.wait(timeout=60) == 5
    process.stderr.close()


@pytest.mark.parametrize("name", ["TERM", "HUP", "INT", "QUIT"])
def test_headless_signals_reach_the_agent(headless, agent_command, name):
    process = headless(agent_command("idle"))
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.Signals[f"SIG{name}"])
    process.communicate(timeout=60)
    assert process.returncode == 128 + signal.Signals[f"SIG{name}"]


def test_headless_an_agent_that_suspends_itself_goes_on(headless, agent_command, tmp_path):
    path = tmp_path / "control"
    process = headless(agent_command("sleeper"), control=str(path))
    assert process.stdout.readline() == b"ready\n"
    while not path.exists():
        time.sleep(0.005)
    send(path, b"zq", timeout=60)
    out, _ = process.communicate(timeout=60)
    assert out == b"going\nagain\n"
    assert process.returncode == 0
