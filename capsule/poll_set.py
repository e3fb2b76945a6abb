"""The descriptors that a loop waits for, registered again only where they changed.

Tested in: tests/capsule/test_stdio_relay.py
"""

from __future__ import annotations

import select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


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
