"""What is said to the outer terminal besides the agent's own output: its state, announcements.

Holds the two speakers, `status_report` and `announcer`, each imported when the first of its kind
comes. Writes nothing itself: every method returns the bytes to be written now. Cost: theirs.

Tested in: tests/capsule/test_session.py
"""

from __future__ import annotations

import os
import select
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .announcer import Announcer
    from .status_report import StatusReporter


_LAST_WAIT = 0.25  # s for which an answer is awaited that the shell must not get


class OuterReports:
    """The speakers of one session. `owed`: how many DA1 answers the agent waits for, if that is known."""

    def __init__(self, owed: Callable[[], int | None]) -> None:
        self._owed = owed
        self._reporter: StatusReporter | None = None
        self._announcer: Announcer | None = None
        self._recent = b""  # what the agent wrote last: a speaker begins behind it

    def output(self, data: bytes) -> bytes:
        """Look at what the agent wrote, which is written; return what goes behind it."""
        self._recent = data
        report = b"" if self._reporter is None else self._reporter.output(data, time.monotonic())
        return report if self._announcer is None else report + self._announcer.output(data)

    def input(self, data: bytes) -> tuple[bytes, bytes]:
        """Split what was typed into the agent's part and what it lets us write to the terminal."""
        if self._reporter is None or not self._reporter.waiting:
            return data, b""
        data = self._reporter.input(data, time.monotonic())
        return data, self._reporter.flush(time.monotonic())

    def report(self, data: bytes) -> bytes:
        """Take the agent's state (OSC 7501)."""
        if self._reporter is None:
            from .status_report import StatusReporter

            self._reporter = StatusReporter(self._recent, self._owed)
        return self._reporter.put(data, time.monotonic())

    def announce(self, data: bytes) -> bytes | None:
        """Take sequences that the operator asked for; None where `data` is anything else."""
        from .announcer import Announcer, is_announcement

        if not is_announcement(data):
            return None
        if self._announcer is None:
            self._announcer = Announcer(self._recent)
        return self._announcer.put(data)

    def drain(self, fd: int) -> None:
        """The agent has ended: read the answers that are still on their way. Never raises."""
        end, terminal = time.monotonic() + _LAST_WAIT, select.poll()
        terminal.register(fd, select.POLLIN)
        while self._reporter is not None and self._reporter.waiting:
            left = end - time.monotonic()
            try:
                if left <= 0 or not terminal.poll(left * 1000) or not (data := os.read(fd, 4096)):
                    return
            except OSError:
                return
            self._reporter.input(data, time.monotonic())

    def close(self) -> bytes:
        """The agent has ended: what takes all of it back."""
        speakers = (self._reporter, self._announcer)
        return b"".join(speaker.close() for speaker in speakers if speaker is not None)
