"""Which records a log told before: of a few at its beginning, and of many of late.

Tests ids and times, in the order of the log, for repetition. A log repeats itself in two ways: its
last records (a retry), or all of it from its first record on (a resumed session that repeats its
history). Both are seen with a memory that does not grow with the log: O(1) an id, at most `LAST`
numbers of 8 bytes to remember between feeds.
"""

import struct
from collections import deque
from collections.abc import Collection
from hashlib import blake2b

FIRST, LAST = 64, 4096


class RecentIds:
    """The ids of a log."""

    def __init__(self, first: bytes = b"", last: bytes = b"", newest: float = 0.0) -> None:
        self._first = _numbers(first)
        self._last = deque(_numbers(last), maxlen=LAST)
        self._known = {*self._first, *self._last}
        self._newest = newest
        self._repeating = False
        self._asked = ("", 0)  # the id asked for last, and its number: it is added next

    def __contains__(self, name: str) -> bool:
        """Whether the id is remembered."""
        return number(name) in self._known

    def is_replay(self, name: str, at: float | None) -> bool:
        """Whether a record says nothing new: known, or of a history that is being repeated."""
        index = number(name)
        self._asked = (name, index)
        if index in self._known:
            self._repeating = True
            return True
        if not self._repeating:
            return False
        # Repeated records keep their time; the first that is newer ends the repetition.
        self._repeating = len(self._last) == LAST and at is not None and at < self._newest
        return self._repeating

    def add(self, name: str, at: float | None) -> None:
        """Remember a record."""
        cached_name, index = self._asked
        if cached_name != name:
            index = number(name)
        if index in self._known:
            return
        if at is not None and at > self._newest:
            self._newest = at
        self._known.add(index)
        if len(self._first) < FIRST:
            self._first.append(index)
            return
        if len(self._last) == LAST:
            self._known.discard(self._last[0])
        self._last.append(index)

    def dump(self) -> tuple[bytes, bytes, float]:
        """What `Recent(*...)` needs to go on."""
        return _packed(self._first), _packed(self._last), self._newest


def number(name: str) -> int:
    """64 bits for an id: the random end of a UUID, any other id's digest."""
    if len(name) == 36:
        try:
            return int(name[19:23] + name[24:], 16)
        except ValueError:
            pass
    return int.from_bytes(blake2b(name.encode("utf-8", "replace"), digest_size=8).digest(), "big")


def _packed(numbers: Collection[int]) -> bytes:
    return struct.pack(f">{len(numbers)}Q", *numbers)


def _numbers(packed: bytes) -> list[int]:
    return list(struct.unpack(f">{len(packed) // 8}Q", packed))
