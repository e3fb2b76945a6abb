"""A program that is spoken to over stdin and stdout, with us between: nothing is other than without."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

RELAY = [sys.executable, str(Path(__file__).parent / "programs" / "relay.py")]
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started: list[subprocess.Popen[bytes]] = []

    def run(*command: str, **options: Any) -> "subprocess.Popen[bytes]":
        environment = {**os.environ, "SEEN": str(tmp_path / "seen"), **options.pop("env", {})}
        streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE} | options
        started.append(
            subprocess.Popen([*RELAY, *command], env=environment, start_new_session=True, **streams)
        )
        return started[-1]

    yield run
    for process in started:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError, AttributeError):
                pipe.close()  # type: ignore[union-attr]


def python(source: str) -> list[str]:
    return [sys.executable, "-c", source]


def seen(tmp_path: Path) -> dict[str, bytes]:
    """What the sink was told, by kind."""
    told: dict[str, bytes] = {}
    with (tmp_path / "seen").open("rb") as file:
        while head := file.readline():
            event = json.loads(head)
            told[event["kind"]] = told.get(event["kind"], b"") + file.read(event["size"])
            if event["status"] is not None:
                told["status"] = str(event["status"]).encode()
    return told


def test_every_byte_passes_both_ways_and_is_told(start: Start, tmp_path: Path) -> None:
    data = os.urandom(5 << 20)
    out, _ = start("cat").communicate(data, timeout=60)
    assert out == data
    told = seen(tmp_path)
    assert told["i"] == told["o"] == data
    assert told["status"] == b"0"


def test_over_sockets_as_node_has_them(start: Start, tmp_path: Path) -> None:
    """Node gives its children sockets: nobody else's flags change, and the agent sees sockets, too."""
    ours, its = socket.socketpair()
    source = (
        "import os, stat, sys\n"
        "kinds = [stat.S_ISSOCK(os.fstat(n).st_mode) for n in (0, 1)]\n"
        "sys.stdout.write(f'{kinds}\\n'); sys.stdout.flush()\n"
        "while data := os.read(0, 65536): sys.stdout.buffer.write(data); sys.stdout.flush()\n"
    )
    process = start(*python(source), stdin=its, stdout=its)
    its.close()
    data = os.urandom(3 << 20)
    sent = 0
    ours.setblocking(False)
    got = b""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            if sent < len(data):
                sent += ours.send(data[sent : sent + 65536])
                if sent == len(data):
                    ours.shutdown(socket.SHUT_WR)
        except BlockingIOError:
            pass
        try:
            piece = ours.recv(1 << 20)
            if not piece:
                break
            got += piece
        except BlockingIOError:
            time.sleep(0.001)
    assert got == b"[True, True]\n" + data
    ours.close()
    assert process.wait(10) == 0


def test_an_end_of_input_reaches_it_and_it_may_go_on(start: Start) -> None:
    process = start(*python("import sys,time; n=len(sys.stdin.read()); time.sleep(.2); print(n)"))
    out, _ = process.communicate(b"x" * 70_000, timeout=30)
    assert out == b"70000\n"


def test_an_output_that_it_closes_ends_while_it_runs_on(start: Start) -> None:
    process = start(*python("import os,time; os.write(1,b'x'); os.close(1); time.sleep(30)"))
    assert process.stdout is not None
    assert process.stdout.read() == b"x"  # returns: it is at its end
    assert process.poll() is None
    process.terminate()
    assert process.wait(10) == 128 + signal.SIGTERM


def test_who_writes_to_a_program_that_reads_no_more_learns_it(start: Start) -> None:
    process = start(*python("import os,time; os.close(0); time.sleep(30)"))
    assert process.stdin is not None
    for _ in range(2000):
        try:
            os.write(process.stdin.fileno(), b"x" * 100)
        except BrokenPipeError:
            return
        time.sleep(0.005)
    pytest.fail("it was written on and on")


def test_a_reader_that_has_gone_is_gone_for_the_program(start: Start, tmp_path: Path) -> None:
    left = tmp_path / "left"
    source = f"""
import os, time
try:
    while True: os.write(1, b'x' * 100); time.sleep(.01)
except BrokenPipeError:
    open({str(left)!r}, 'w').close()
"""
    process = start(*python(source))
    assert process.stdout is not None
    process.stdout.read(1)
    process.stdout.close()
    process.wait(20)
    assert left.exists()


def test_a_slow_reader_slows_it_down(start: Start, tmp_path: Path) -> None:
    written = tmp_path / "written"
    source = f"""
import os
count = 0
for _ in range(2000):
    count += os.write(1, b'x' * 10_000)
    open({str(written)!r}, 'w').write(str(count))
"""
    process = start(*python(source))
    last = -1
    for _ in range(100):
        time.sleep(0.1)
        count = int(written.read_text() or 0) if written.exists() else 0
        if count and count == last:
            break
        last = count
    assert 0 < last < 1_000_000  # of 20 MB
    out, _ = process.communicate(timeout=60)
    assert len(out) == 20_000_000


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1, signal.SIGINT])
def test_signals_reach_it(start: Start, number: int) -> None:
    source = f"""
import signal, sys, time
def take(number, _): print(number, flush=True); sys.exit(9)
signal.signal({number}, take)
print('ready', flush=True)
time.sleep(30)
"""
    process = start(*python(source))
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(number)
    assert process.stdout.read() == b"%d\n" % number
    assert process.wait(10) == 9


def test_killed_it_leaves_the_program_at_the_end_of_its_input(start: Start, tmp_path: Path) -> None:
    left = tmp_path / "left"
    source = f"import sys; print('ready', flush=True); sys.stdin.read(); open({str(left)!r}, 'w')"
    process = start(*python(source))
    assert process.stdout is not None
    process.stdout.readline()
    process.kill()
    for _ in range(200):
        if left.exists():
            return
        time.sleep(0.05)
    pytest.fail("the program did not notice")


def test_a_sink_that_fails_is_let_go(start: Start) -> None:
    out, _ = start("cat", env={"BROKEN_AFTER": "2"}).communicate(b"x" * 1_000_000, timeout=30)
    assert out == b"x" * 1_000_000


def test_what_a_grandchild_holds_open_does_not_keep_us(start: Start) -> None:
    began = time.monotonic()
    process = start("sh", "-c", "sleep 20 & echo done; exit 3")
    assert process.wait(15) == 3
    assert time.monotonic() - began < 10
    assert process.stdout is not None
    assert os.read(process.stdout.fileno(), 10) == b"done\n"
