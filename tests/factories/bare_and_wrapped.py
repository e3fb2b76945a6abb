"""One command run in a real terminal by a real shell, alone and below `dejavu-run`.

The shell is bash without its start-up files, so what is typed and printed is the same on every
machine. `Terminal.run` types lines and gives what the terminal showed until the last one's mark.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

QUIET = 0.7  # seconds without output
PATIENCE = 40.0  # seconds: the machine may be busy
WRAPPER = f"{sys.executable} -EP -m dejavu.interfaces.run"
_NOTES = re.compile(rb"^dejavu-run: [^\n]*\n", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    """What is typed into the shell; `RUN` in it becomes the wrapper, or nothing.

    A step is a line, or a function that is called with the terminal. `shows` is what the bare run
    must show, so that a case that does nothing is noticed.
    """

    name: str
    steps: tuple["str | Callable[[Terminal], None]", ...]
    shows: str = ""
    prepare: Callable[[Path], None] | None = None


class Terminal:
    """A terminal with an interactive bash on it, in a home of its own."""

    def __init__(self, home: Path, wrapper: str) -> None:
        self.home = home
        self.wrapper = wrapper
        self.seen = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGPIPE):
                signal.signal(number, signal.SIG_DFL)
            env = {
                "HOME": str(home), "PATH": "/usr/bin:/bin", "TERM": "xterm", "LANG": "C.UTF-8",
                "PS1": "", "PYTHON": sys.executable, "ODD": "a b'c\"", "BASH_SILENCE_DEPRECATION_WARNING": "1",
            }  # fmt: skip
            os.chdir(home)
            os.execve("/bin/bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"], env)
        self.resize(100, 30)
        self._number = 0
        self.line("stty -echo; PS1=; PS2=; set +H; unset PROMPT_COMMAND")
        self.mark()
        self.seen = b""

    def resize(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def type(self, data: bytes) -> None:
        os.write(self.fd, data)

    def line(self, text: str) -> None:
        self.type(text.replace("RUN ", self.wrapper and self.wrapper + " ").encode() + b"\n")

    def read_until(self, text: bytes, after: int = 0) -> int:
        deadline = time.monotonic() + PATIENCE
        while (at := self.seen.find(text, after)) < 0:
            left = deadline - time.monotonic()
            assert left > 0, f"never saw {text!r}: {self.seen[-800:]!r}"
            if select.select([self.fd], [], [], left)[0]:
                self.seen += os.read(self.fd, 65536)
        return at + len(text)

    def mark(self) -> None:
        """Wait until the shell has done all that was typed. A key that signals empties its input."""
        while select.select([self.fd], [], [], QUIET)[0]:
            self.seen += os.read(self.fd, 65536)
        self._number += 1
        self.line(f"echo MA''RK{self._number}=$?")
        self.read_until(b"\n", self.read_until(f"MARK{self._number}=".encode()))

    def shown(self) -> str:
        """What came, without numbers of processes and our own sentences."""
        text = _NOTES.sub(b"", self.seen.replace(b"\r\n", b"\n")).decode("utf-8", "replace")
        if self.wrapper:
            text = text.replace(self.wrapper + " ", "")
        return re.sub(r"^(\[\d+\]) \d+$", r"\1 PID", text, flags=re.MULTILINE)

    def close(self) -> None:
        """End the shell and its jobs, as a window that is closed does."""
        os.close(self.fd)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def shown(case: Case, home: Path, *, wrapped: bool) -> str:
    """What the terminal showed of a case."""
    home.mkdir()
    if case.prepare is not None:
        case.prepare(home)
    terminal = Terminal(home, WRAPPER if wrapped else "")
    try:
        for step in case.steps:
            if callable(step):
                step(terminal)
            else:
                terminal.line(step)
        terminal.mark()
        return terminal.shown()
    finally:
        terminal.close()
