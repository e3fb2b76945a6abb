"""When a session is over: the agent has ended, and what it wrote is delivered or cannot be.

The session reports what it sees (output, the agent's exit, a terminal that is gone) with the time
in monotonic seconds, and asks whether it is complete. Others may hold the agent's terminal open for ever, an
agent may ignore the hang-up: every wait has its bound. Cost: O(1) a call.
"""

from __future__ import annotations

import signal

DRAIN_QUIET = 0.1  # s of silence after the agent's exit that end a terminal still held by others
DRAIN_LIMIT = 2.0  # s: the same, when they are not silent
DRAIN_BYTES = 8 << 20  # bytes: the same, when they never pause
HANGUP_GRACE = 1.5  # s an agent may still write after its terminal has gone


class ShutdownState:
    """What is known of a session's end.

    `status` is the agent's exit code once it has one; `abandoned`: a signal came after that, so
    nothing more is delivered.
    """

    __slots__ = (
        "_drained",
        "_exited_at",
        "_hung_up_at",
        "_last_output",
        "_leftover",
        "abandoned",
        "status",
    )

    def __init__(self) -> None:
        self.status: int | None = None
        self.abandoned = False
        self._exited_at = 0.0
        self._last_output = 0.0
        self._hung_up_at = 0.0
        self._drained = False  # all that was written before the exit has been read
        self._leftover = 0  # bytes read after it

    def exit(self, status: int, now: float) -> None:
        """The agent has ended."""
        self.status = status
        self._exited_at = self._last_output = now

    def read(self, count: int, now: float) -> None:
        """So many bytes of output came."""
        self._last_output = now
        if self.status is not None:
            self._leftover += count

    def on_drained(self) -> None:
        """A read found nothing: what was written before an exit is here."""
        self._drained = self.status is not None

    def mark_hung_up(self, now: float) -> bool:
        """Our terminal is gone. True the first time, if there is an agent to tell."""
        if self._hung_up_at or self.status is not None:
            return False
        self._hung_up_at = now
        return True

    def hangup_ignored(self, now: float) -> bool:
        """Whether the agent runs on though its terminal is gone for long enough.

        The grace starts again: the caller may close its terminal, and then `give_up`.
        """
        deaf = bool(self._hung_up_at) and now >= self._hung_up_at + HANGUP_GRACE
        if deaf:
            self._hung_up_at = now
        return deaf

    def assume_killed(self) -> None:
        """The agent will not end: for us it died of the hang-up."""
        self.status = 128 + signal.SIGHUP

    def is_complete(self, now: float, *, eof: bool, pending: int) -> bool:
        """Whether nothing is left to do after the exit; `pending` bytes wait for our terminal."""
        if self.abandoned:
            return True
        if not eof:
            # Others hold the terminal open. What the agent wrote is here once a read found none.
            pausing = self._drained and now > self._last_output + DRAIN_QUIET
            lingering = self._drained and now > self._exited_at + DRAIN_LIMIT
            if not (pausing or lingering or self._leftover > DRAIN_BYTES):
                return False
        return not pending

    def is_held(self, *, eof: bool) -> bool:
        """Whether the agent has ended and others still hold its terminal or stdout."""
        return self.status is not None and self._drained and not eof

    def timeout(self, *, eof: bool) -> float | None:
        """Milliseconds until time itself may change something; None: never."""
        if self.status is not None and not eof:
            return DRAIN_QUIET * 200
        return 200 if self._hung_up_at else None
