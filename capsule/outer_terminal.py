"""What the capsule itself says to the outer terminal, and the one thing of ours an agent may read.

`StatusQueryResponder` answers "does this terminal know program status?". A program asks
`OSC 7501 ; ? ST`, mostly with a `CSI c` (DA1) behind it, which every terminal answers; one that
knows program status answers the first with the same bytes. Where ours is the agent's only terminal
(headless) the answer is given at once. Behind a terminal it is put in front of the DA1 answer, and
only if none came before that: a terminal that answers for itself is left alone, for good. Nothing
else is added, changed or taken away; while an answer is awaited, the start of what may be one (an
ESC, too) is held back for `HOLD` seconds at most.

`OuterReports` says the session's state and announcements. It holds the two speakers,
`status_report` and `announcer`, each imported when the first of its kind comes, and writes nothing
itself: every method returns the bytes to be written now.

Cost: one search of the output, and of the input only while an answer is awaited.
"""

from __future__ import annotations

import os
import re
import select
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .announcer import Announcer
    from .status_report import StatusReporter

HOLD = 0.05  # s: a terminal writes an answer at once; what comes later is another key
PATIENCE = 5.0  # s: how long an answer is awaited
# DA1 queries that go before are counted in so many bytes of output: agents ask as they start.
_STARTUP = 1 << 18
# Terminals that show what they do not know of OSC: the agent's reports must not get there.
_NO_OSC = frozenset({"", "dumb", "linux"})

_MARK = b"]7501;?"
_ASKED = re.compile(rb"(\x1b\]7501;\?(?:\x07|\x1b\\))|\x1b\[0?c")
_ANSWERED = re.compile(rb"(\x1b\]7501;\?)|\x1b\[\?[0-9;]{0,64}c")
_CUT_SHORT = re.compile(rb"\x1b(?:\[(?:\?[0-9;]{0,64})?|\](?:7(?:5(?:0(?:1;?)?)?)?)?)?\Z")
_LONGEST = 11  # bytes of the longest question


class StatusQueryResponder:
    """Watches one session; times are of a monotonic clock.

    `at_once`: no other terminal answers. `term`: the outer terminal's name. `allowed` is asked
    once, at the first query (it may read a file); None: nothing is ever answered.
    """

    def __init__(self, *, at_once: bool, term: str, allowed: Callable[[], bool] | None) -> None:
        self._at_once = at_once
        self._allowed = allowed
        self._left_alone = allowed is None or (not at_once and term in _NO_OSC)
        self._deadline: float | None = None
        self._tail = b""
        self._startup = 0 if at_once else _STARTUP
        self._asked_before = 0  # DA1 queries without an answer, sent before the status query ...
        self._asked_after = 0  # ... and after it: the first answer to one of these decides
        self._query = b""
        self._since = 0.0
        self._held = b""

    @property
    def waiting(self) -> bool:
        """Whether input must go through `input` now."""
        return bool(self._query) or self._asked_before > 0

    def outstanding(self) -> int | None:
        """How many answers to DA1 the agent waits for; None where that was not followed."""
        if self._startup <= 0 or self._left_alone:
            return None
        return self._asked_before + self._asked_after

    def output(self, data: bytes, now: float) -> bytes:
        """Look at what the agent wrote; return what is to be typed at once."""
        if self._left_alone:
            return b""
        text = self._tail + data
        seen = len(self._tail)
        self._tail = text[1 - _LONGEST :]
        if self._startup > 0:
            self._startup -= len(data)
        elif not self._query and text.rfind(_MARK) < 0:
            return b""
        answer = b""
        for match in _ASKED.finditer(text):
            if match.end() <= seen:
                continue
            if not match[1]:
                if self._query:
                    self._asked_after += 1
                elif not self._at_once:
                    self._asked_before += 1
            elif not self._is_allowed():
                self._left_alone = True
                break
            elif self._at_once:
                answer += match[1]
            else:
                # Asked again: what was asked after the last one is now before.
                self._asked_before += self._asked_after
                self._asked_after, self._query, self._since = 0, match[1], now
                self._deadline = now + PATIENCE
        return answer

    def input(self, data: bytes, now: float) -> bytes:
        """Return what the agent is to read of `data` now: all of it, perhaps with our answer."""
        text, self._held = self._held + data, b""
        for match in _ANSWERED.finditer(text):
            if match[1]:
                self._left_alone = True
                self._give_up()
                return text
            if self._asked_before:
                self._asked_before -= 1
            elif self._asked_after:
                answer = self._query
                self._give_up()
                return text[: match.start()] + answer + text[match.start() :]
        cut = _CUT_SHORT.search(text) if self._query else None
        if cut is None:
            return text
        self._held = text[cut.start() :]
        self._deadline = now + HOLD
        return text[: cut.start()]

    def timeout(self, now: float, other: float | None) -> float | None:
        """Milliseconds until `expire` is wanted, if that is sooner than `other`."""
        if self._deadline is None:
            return other
        left = max(0.0, self._deadline - now) * 1000 + 1
        return left if other is None else min(left, other)

    def expire(self, now: float) -> bytes:
        """Return what was held back for long enough; an answer is not awaited for ever."""
        if self._deadline is None or now < self._deadline:
            return b""
        held, self._held = self._held, b""
        if now >= self._since + PATIENCE:
            self._give_up()
        else:
            self._deadline = self._since + PATIENCE
        return held

    def _give_up(self) -> None:
        self._query, self._asked_before, self._asked_after = b"", 0, 0
        self._deadline = None

    def _is_allowed(self) -> bool:
        """Ask the operator's settings, once."""
        if self._allowed is not None:
            ask, self._allowed = self._allowed, None
            try:
                return ask()
            except Exception:  # the settings cannot be read: they may say no
                return False
        return True


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
