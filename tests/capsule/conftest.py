"""An outer terminal for the capsule's tests: a real PTY with a one-job shell on it.

Every wait is for a condition and bounded by `PATIENCE`, which is long: the machine may be busy.
"""

import fcntl
import json
import os
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from dejavu.sessions.process_table import process_rows

PROGRAMS = Path(__file__).parent / "programs"
SINK_TIMEOUT = 60.0


def agent(*arguments: object) -> list[str]:
    return [sys.executable, "-S", str(PROGRAMS / "agent.py"), *map(str, arguments)]


def until(condition: Callable[[], Any], what: str) -> Any:
    """The first true answer of `condition`."""
    deadline = time.monotonic() + SINK_TIMEOUT
    while not (answer := condition()):
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.005)
    return answer


class Outer:
    """A terminal, its shell and the wrapper running in it."""

    def __init__(self, folder: Path) -> None:
        self.result_file = folder / "result.json"
        self.open()

    def open(self) -> None:
        """A new terminal, nothing running in it."""
        self.master, self.slave = os.openpty()
        self.resize(100, 30)
        self.before = termios.tcgetattr(self.slave)
        self.seen = bytearray()
        self.lines: list[str] = []
        self._half = b""
        self.pid = 0

    def start(self, command: list[str], *, wrapped: bool = True, **options: Any) -> "Outer":
        told, its_told = os.pipe()
        its_asked, asked = os.pipe()
        self._told, self._asked = told, asked
        options.setdefault("result", str(self.result_file))
        jobs = [sys.executable, "-S", str(PROGRAMS / "jobs.py")]
        wrapper = [sys.executable, str(PROGRAMS / "wrapper.py")] if wrapped else []
        self.shell = subprocess.Popen(
            [*jobs, str(its_told), str(its_asked), *wrapper, *command],
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
            pass_fds=(its_told, its_asked),
            env={**os.environ, "WRAP": json.dumps(options), "TERM": "xterm-256color"},
        )
        os.close(its_told)
        os.close(its_asked)
        self.pid = int(self.told("pid ").split()[1])
        return self

    def told(self, prefix: str) -> str:
        """The next line of the shell that begins so."""
        deadline = time.monotonic() + SINK_TIMEOUT
        while True:
            for line in self.lines:
                if line.startswith(prefix):
                    self.lines.remove(line)
                    return line
            left = deadline - time.monotonic()
            assert left > 0, (
                f"the shell never said {prefix!r}; terminal: {bytes(self.seen[-500:])!r}"
            )
            ready, _, _ = select.select([self._told, self.master], [], [], left)
            if self.master in ready:
                self.read()
            if self._told in ready:
                data = os.read(self._told, 4096)
                assert data, f"the shell is gone: {bytes(self.seen[-500:])!r}"
                *whole, self._half = (self._half + data).split(b"\n")
                self.lines += [line.decode() for line in whole]

    def read(self) -> bytes:
        data = os.read(self.master, 65536)
        self.seen += data
        return data

    def read_until(self, text: bytes, after: int = 0) -> int:
        """Read until `text` was seen; where it ends."""
        deadline = time.monotonic() + SINK_TIMEOUT
        while (at := self.seen.find(text, after)) < 0:
            left = deadline - time.monotonic()
            assert left > 0, f"never saw {text!r}: {bytes(self.seen[-500:])!r}"
            if select.select([self.master], [], [], left)[0]:
                self.read()
        return at + len(text)

    def read_some(self, size: int) -> None:
        """Read until `size` bytes in all were seen."""
        deadline = time.monotonic() + SINK_TIMEOUT
        while len(self.seen) < size:
            left = deadline - time.monotonic()
            assert left > 0, f"{len(self.seen)} of {size} bytes came"
            if select.select([self.master], [], [], left)[0]:
                self.read()

    def drain(self) -> None:
        while select.select([self.master], [], [], 0)[0]:
            self.read()

    def type(self, data: bytes, *, pause: Callable[[], None] = lambda: None) -> None:
        """Type all of it, reading what comes meanwhile."""
        os.set_blocking(self.master, False)
        view = memoryview(data)
        deadline = time.monotonic() + SINK_TIMEOUT
        while view:
            assert time.monotonic() < deadline, f"{len(view)} bytes were never taken"
            ready, room, _ = select.select([self.master], [self.master], [], 1.0)
            if ready:
                self.read()
            if room:
                try:
                    view = view[os.write(self.master, view[:4096]) :]
                except BlockingIOError:
                    time.sleep(0.001)
            pause()
        os.set_blocking(self.master, True)

    def resize(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 7, 9))

    @property
    def modes(self) -> list[Any]:
        return termios.tcgetattr(self.slave)

    @property
    def is_raw(self) -> bool:
        return not self.modes[3] & termios.ICANON

    def kill(self, number: int) -> None:
        os.kill(self.pid, number)

    def go_on(self) -> None:
        os.write(self._asked, b"fg\n")

    def exit_code(self) -> int:
        code = int(self.told("exit ").split()[1])
        self.drain()
        return code

    @property
    def result(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.result_file.read_text())
        return answer

    def renew(self) -> None:
        self.close()
        self.open()

    def close(self) -> None:
        for fd in (self.slave, self.master):
            if fd >= 0:
                os.close(fd)
        if self.pid:
            for pid in (self.pid, self.shell.pid):
                try:
                    os.kill(pid, signal.SIGCONT)
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            self.shell.wait()
            os.close(self._told)
            os.close(self._asked)


@pytest.fixture
def outer(tmp_path: Path) -> Iterator[Outer]:
    terminal = Outer(tmp_path)
    try:
        yield terminal
    finally:
        terminal.close()


@pytest.fixture(scope="session")
def agent_command() -> Callable[..., list[str]]:
    """The command line of the test agent doing what the arguments say."""
    return agent


@pytest.fixture(scope="session")
def wait_until() -> Callable[[Callable[[], Any], str], Any]:
    return until


@pytest.fixture(scope="session")
def stream() -> Callable[[int], bytes]:
    """The first bytes of what the flooding agent writes after its "ready" line."""

    def first(size: int) -> bytes:
        import random

        source = random.Random(7)
        data = b"".join(source.randbytes(1 << 16) for _ in range(-(-size // (1 << 16))))
        return data[:size]

    return first


_PROC = Path("/proc/self/stat").exists()


class Processes:
    """What /proc tells of processes, or ps where there is none (macOS)."""

    @staticmethod
    def children(pid: int) -> list[int]:
        try:
            text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
        except FileNotFoundError:
            return [] if _PROC else [row.pid for row in process_rows() if row.parent == pid]
        return [int(child) for child in text.split()]

    @staticmethod
    def stopped(pid: int) -> bool:
        with suppress(OSError):
            stat = Path(f"/proc/{pid}/stat").read_text()
            return stat.rsplit(")", 1)[1].split()[0] == "T"
        return not _PROC and any(row.state.startswith("T") for row in process_rows(pid))

    @staticmethod
    def ended(pid: int) -> bool:
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return _PROC or all(row.state.startswith("Z") for row in process_rows(pid))
        return stat.rsplit(")", 1)[1].split()[0] == "Z"


@pytest.fixture(scope="session")
def processes() -> type[Processes]:
    if not _PROC and not process_rows(os.getpid()):
        pytest.skip("neither /proc nor ps tells of processes")
    return Processes
