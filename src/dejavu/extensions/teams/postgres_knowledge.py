"""What a process knows of an archive on a server from one commit to the next, and the numbers it reserved.

All of it may be old: before a commit made from it the server checks that it still holds. Does no I/O.

Tested in: tests/extensions/teams/test_postgres_prepare.py
"""

from collections.abc import Sequence

from dejavu.archive.backends.known_ranges import KnownRanges
from dejavu.archive.keys import TABLES, number_key

_MOST_RESERVED = 64


class Numbers:
    """Numbers that were reserved and not used yet: those above `used`, up to `last`."""

    def __init__(self) -> None:
        self.used = self.last = 0
        self._reserved = 0

    @property
    def left(self) -> int:
        """How many there are."""
        return self.last - self.used

    def to_reserve(self, wanted: int) -> int:
        """How many to ask for where `wanted` are needed: more with each time, 0 where there are enough.

        None wanted: for what may come, where there were some and all are used.
        """
        if self.left >= max(wanted, 1) or not (wanted or self._reserved):
            return 0
        return max(wanted, min(2 * self._reserved, _MOST_RESERVED))

    def add(self, before: int, count: int) -> None:
        """Have `count` more, after `before`; older ones that others came between are left out."""
        if count:
            self.used = self.used if before == self.last else before
            self.last, self._reserved = before + count, count


class Knowledge:
    """What a process keeps from one commit to the next: records, stretches, the archive's own record."""

    def __init__(self) -> None:
        self.conversations, self.sources = Numbers(), Numbers()
        self.clear()

    def clear(self) -> None:
        """Forget all but the numbers."""
        self.seen: dict[bytes, bytes | None] = {}
        self.known = KnownRanges()
        self.size = 0

    def __bool__(self) -> bool:
        return bool(self.seen)

    def to_reserve(self, conversations: int, sources: int) -> tuple[int, int]:
        """How many numbers to ask for (`Numbers.to_reserve`)."""
        return self.conversations.to_reserve(conversations), self.sources.to_reserve(sources)

    def reserved(self, before: Sequence[int], counts: Sequence[int]) -> None:
        """Have so many numbers more, after the ones given `before`: there is nothing under them yet."""
        kinds = ("turns", self.conversations), ("raw", self.sources)
        for (table, numbers), last, count in zip(kinds, before, counts, strict=True):
            numbers.add(last, count)
            for number in range(last + 1, last + 1 + count):
                low, high = number_key(number), number_key(number + 1)
                self.known.learn(TABLES[table] + low, TABLES[table] + high, [])
