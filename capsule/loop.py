"""What the two loops of the capsule (a session's and a relay's) work with, each its own part.

`SinkDispatcher` hands events to the sinks and ready descriptors to those that wait for them; one
that fails, whatever its fault, is removed and noted, and the others go on: capture must never hurt
the session. `PollSet` registers descriptors again only where they changed. `ShutdownState` says when
a session is over: the agent has ended, and what it wrote is delivered or cannot be. Others may hold
the agent's terminal open for ever, and an agent may ignore the hang-up: every wait has its bound.
Times are monotonic seconds. Only `drain` waits. Cost: O(listeners) an event.
"""

from __future__ import annotations

import select
import signal
import time
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    from .events import Event, Pollable, Sink

    class PollableSink(Sink, Pollable, Protocol):
        """A sink that works through its own descriptors."""

    from collections.abc import Mapping

SINK_TIMEOUT = 10.0  # s: how long the end of a session waits for the sinks ...
BACKLOG_TIMEOUT = 0.2  # s: ... and for sinks that a flood of output has left behind


class SinkDispatcher:
    """The listeners of one session. `notes` are sentences about those that were let go."""

    def __init__(self, sinks: Sequence[Sink]) -> None:
        self.notes: list[str] = []
        self._sinks = list(sinks)
        self._pollables: list[Pollable] = [s for s in sinks if hasattr(s, "poll_fds")]  # type: ignore[misc]

    def add(self, peer: PollableSink) -> None:
        """Another sink with its own descriptors, from now on."""
        self._sinks.append(peer)
        self._pollables.append(peer)

    def emit(self, event: Event) -> None:
        """Hand an event to every sink."""
        for sink in tuple(self._sinks):
            try:
                sink.event(event)
            except Exception as error:
                self._drop(sink, error)

    def emit_keys(self, event: Event) -> None:
        """Hand what was typed to the sinks that take keys."""
        for sink in tuple(self._sinks):
            if getattr(sink, "takes_keys", False):
                try:
                    sink.event(event)
                except Exception as error:
                    self._drop(sink, error)

    def poll_fds(self) -> dict[int, int]:
        """Descriptors the peers wait for, with their poll masks."""
        return {fd: mask for pollable in self._pollables for fd, mask in pollable.poll_fds()}

    def is_behind(self) -> bool:
        """Whether a peer may need long for what it was given so far."""
        with suppress(Exception):
            return any(pollable.is_behind() for pollable in self._pollables)
        return False

    def ready(self, fd: int) -> None:
        """A descriptor is ready: serve the one that waits for it."""
        for pollable in tuple(self._pollables):
            try:
                if any(fd == waited for waited, _ in pollable.poll_fds()):
                    pollable.ready(fd)
            except Exception as error:
                self._drop(pollable, error)

    def timeout(self, now: float, timeout: float | None) -> float | None:
        """`timeout` (milliseconds), or less where a peer wants its `expire` earlier."""
        for pollable in self._pollables:
            if (deadline := pollable.deadline) is not None:
                left = max(0.0, deadline - now) * 1000 + 1
                timeout = left if timeout is None else min(timeout, left)
        return timeout

    def expire(self, now: float) -> None:
        """Tell the peers whose deadline has passed."""
        for pollable in tuple(self._pollables):
            if pollable.deadline is not None and now >= pollable.deadline:
                try:
                    pollable.expire()
                except Exception as error:
                    self._drop(pollable, error)

    def close(self) -> None:
        """No event follows; peers may still have something to write or to read."""
        for sink in tuple(self._sinks):
            try:
                sink.close()
            except Exception as error:
                self._drop(sink, error)

    def remove(self, pollable: Pollable) -> None:
        """Let a peer go."""
        self._pollables = [other for other in self._pollables if other is not pollable]
        with suppress(Exception):
            pollable.abort()

    def drop_all(self) -> None:
        """Let everyone go, and hand on nothing from now on."""
        self._sinks = []
        self.abort_all()

    def drain(
        self, poll: PollSet, limit: float, signals: int, on_signal: Callable[[], bool]
    ) -> None:
        """Wait for the sinks after `close`, `limit` seconds at the most; less where they are behind.

        on_signal: called when `signals` can be read; False ends the waiting.
        """
        most = BACKLOG_TIMEOUT if self.is_behind() else SINK_TIMEOUT
        deadline = time.monotonic() + min(most, limit)
        while want := self.poll_fds():
            if (left := deadline - time.monotonic()) <= 0:
                break
            want[signals] = select.POLLIN
            for fd, _ in poll.poll(want, self.timeout(time.monotonic(), left * 1000)):
                if fd != signals:
                    self.ready(fd)
                elif not on_signal():
                    return
            self.expire(time.monotonic())

    def abort_all(self) -> None:
        """Let everyone go."""
        for pollable in tuple(self._pollables):
            self.remove(pollable)

    def _drop(self, listener: Sink | Pollable, error: Exception) -> None:
        reason = str(error) or type(error).__name__
        self.notes.append(f"{type(listener).__name__} was dropped: {reason}")
        self._sinks = [sink for sink in self._sinks if sink is not listener]
        for pollable in self._pollables:
            if pollable is listener:
                self.remove(pollable)


class PollSet:
    """A poll(2) that gets each time what matters now. O(descriptors) a change."""

    def __init__(self) -> None:
        self._poll = select.poll()
        self._watched: dict[int, int] = {}

    def poll(self, want: Mapping[int, int], timeout: float | None) -> list[tuple[int, int]]:
        """Wait for descriptors by their masks, `timeout` milliseconds at most (None: for ever)."""
        if want != self._watched:
            for fd in self._watched.keys() - want.keys():
                self._poll.unregister(fd)
            for fd, mask in want.items():
                self._poll.register(fd, mask)
            self._watched = {**want}
        return self._poll.poll(timeout)


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
