"""Dispatch of a session's events to its sinks, and of ready descriptors to those that poll them.

Events and ready descriptors are handed on. One that fails, whatever its fault, is removed and
noted, and the others go on: capture must never hurt the session. Never blocks.
Cost: O(listeners) an event.
"""

from __future__ import annotations

from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from .events import Event, Pollable, Sink

    class PollableSink(Sink, Pollable, Protocol):
        """A sink that works through its own descriptors."""


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
