"""The terminal around a wrapped agent, played: it answers what it is asked and notes when it read what.

`Puppet` is the agent: a program that draws given screens one after the other and notes when it wrote each.
"""

import json
import os
import pty
import re
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dejavu.capsule.status_report import QUERY
from dejavu.capsule.tty import Size, set_size
from dejavu.screen.program_status import parse_report

DA1 = b"\x1b[c"
PLAIN = {DA1: b"\x1b[?62;22c"}
KNOWS_STATUS = {QUERY: QUERY, **PLAIN}
STATUS = re.compile(rb"\x1b\]7501;(state=[^\x07\x1b]*)(?:\x07|\x1b\\)")

_PUPPET = """
import json, os, sys, termios, time, tty
plan, done = json.load(open(sys.argv[1])), sys.argv[2]
tty.setraw(0)
moments, typed = [], b""
time.sleep(plan["before"])
for state, screen, pause in plan["screens"]:
    os.write(1, screen.encode())
    moments.append((state, time.time()))
    time.sleep(pause)
os.set_blocking(0, False)
try:
    typed = os.read(0, 65536)
except BlockingIOError:
    pass
with open(done + ".part", "w") as file:
    json.dump({"moments": moments, "typed": typed.decode("latin-1")}, file)
os.rename(done + ".part", done)
time.sleep(plan["after"])
"""

Told = tuple[float, bytes]


class Puppet:
    """An agent that draws screens: `(state, text of a screen, seconds for which it stays)` each."""

    def __init__(
        self, folder: Path, agent: str, screens: Sequence[tuple[str, str, float]],
        *, before: float = 2.5, after: float = 1.5,
    ) -> None:  # fmt: skip
        folder.mkdir(parents=True, exist_ok=True)
        self._plan, self._done, self.program = folder / "plan", folder / "done", folder / agent
        drawn = [
            (state, "\x1b[m\x1b[2J\x1b[H" + "\r\n".join(text.split("\n")), pause)
            for state, text, pause in screens
        ]
        self._plan.write_text(json.dumps({"before": before, "after": after, "screens": drawn}))
        self.program.write_text(f"#!{sys.executable}\n{_PUPPET}")
        self.program.chmod(0o755)

    @property
    def argv(self) -> list[str]:
        """How it is started, inside the wrapper."""
        wrapper = [sys.executable, "-m", "dejavu.interfaces.run", "--"]
        return [*wrapper, str(self.program), str(self._plan), str(self._done)]

    @property
    def is_done(self) -> bool:
        """Whether it has drawn everything."""
        return self._done.exists()

    @property
    def moments(self) -> list[tuple[str, float]]:
        """Each state and when it was written (Unix seconds)."""
        return [(state, at) for state, at in self._said["moments"]]

    @property
    def typed(self) -> bytes:
        """What was typed into it."""
        return str(self._said["typed"]).encode("latin-1")

    @property
    def _said(self) -> dict[str, Any]:
        said: dict[str, Any] = json.loads(self._done.read_text())
        return said


class OuterTerminal:
    """A terminal of 120x40 that runs a program. `answers`: what it answers to which question."""

    def __init__(
        self, argv: Sequence[str], environ: Mapping[str, str], answers: Mapping[bytes, bytes]
    ) -> None:
        self.read: list[Told] = []
        self._answers, self._tail = answers, b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                os.execvpe(argv[0], list(argv), dict(environ))
            finally:
                os._exit(127)
        set_size(self.fd, Size(120, 40))

    @property
    def shown(self) -> bytes:
        """Every byte that it was sent."""
        return b"".join(data for _, data in self.read)

    def run(self, until: Callable[[], bool], seconds: float = 40.0) -> bool:
        """Read and answer until something is so; whether it came to be."""
        end = time.monotonic() + seconds
        while not until():
            if time.monotonic() > end or not self._step(0.05):
                return until()
        return True

    def _step(self, seconds: float) -> bool:
        """Read once; False where the program has ended."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.read.append((time.time(), data))
        text = self._tail + data
        for question, answer in self._answers.items():
            if question in text and question not in self._tail:
                os.write(self.fd, answer)
        self._tail = text[-16:]
        return bool(data)

    def close(self) -> None:
        """End the program, and read its last words."""
        os.kill(self.pid, signal.SIGTERM)
        end = time.monotonic() + 10
        while time.monotonic() < end and self._step(0.5):
            pass
        os.close(self.fd)
        os.waitpid(self.pid, 0)

    def matches(self, pattern: re.Pattern[bytes]) -> list[tuple[float, re.Match[bytes]]]:
        """Every match in what it was sent, and when its last byte was read."""
        ends: list[tuple[int, float]] = []
        size = 0
        for at, data in self.read:
            size += len(data)
            ends.append((size, at))
        return [
            (next(at for end, at in ends if end >= match.end()), match)
            for match in pattern.finditer(self.shown)
        ]

    def statuses(self) -> list[tuple[float, str, str]]:
        """Program status reports: when, of which record, which state."""
        return [
            (at, report.id, report.state)
            for at, match in self.matches(STATUS)
            if (report := parse_report(match[1].decode())) is not None
        ]
