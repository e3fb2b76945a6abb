"""Who listens to a session: sinks that are told, peers whose descriptors the loop watches.

Takes events and ready descriptors; hands them on. One that fails, whatever its fault, is let go
and noted, and the others go on: capture must never hurt the session. Never blocks by itself.
Cost: O(listeners) an event.
"""

from __future__ import annotations

from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .events import Event, Peer, Sink


class Audience:
    """The listeners of one session. `notes` are sentences about those that were let go."""

    def __init__(self, sinks: Sequence[Sink]) -> None:
        self.notes: list[str] = []
        self._sinks = list(sinks)
        self._peers: list[Peer] = [s for s in sinks if hasattr(s, "waits")]  # type: ignore[misc]

    def add(self, peer: Peer) -> None:
        """Another peer, who is no sink."""
        self._peers.append(peer)

    def tell(self, event: Event) -> None:
        """Hand an event to every sink."""
        for sink in tuple(self._sinks):
            try:
                sink.event(event)
            except Exception as error:
                self._drop(sink, error)

    def waits(self) -> dict[int, int]:
        """Descriptors the peers wait for, with their poll masks."""
        return {fd: mask for peer in self._peers for fd, mask in peer.waits()}

    def ready(self, fd: int) -> None:
        """A descriptor is ready: whoever waits for it is served."""
        for peer in tuple(self._peers):
            try:
                if any(fd == waited for waited, _ in peer.waits()):
                    peer.ready(fd)
            except Exception as error:
                self._drop(peer, error)

    def close(self) -> None:
        """No event follows; peers may still have something to write or to read."""
        for sink in tuple(self._sinks):
            try:
                sink.close()
            except Exception as error:
                self._drop(sink, error)

    def dismiss(self, peer: Peer) -> None:
        """Let a peer go."""
        self._peers = [other for other in self._peers if other is not peer]
        with suppress(Exception):
            peer.leave()

    def dismiss_all(self) -> None:
        """Let everyone go."""
        for peer in tuple(self._peers):
            self.dismiss(peer)

    def _drop(self, listener: Sink | Peer, error: Exception) -> None:
        reason = str(error) or type(error).__name__
        self.notes.append(f"{type(listener).__name__} was dropped: {reason}")
        self._sinks = [sink for sink in self._sinks if sink is not listener]
        for peer in self._peers:
            if peer is listener:
                self.dismiss(peer)
