"""Stretches of keys of which every record is known, for a reader whose store is far away.

Stretches that overlap are made one. Does no I/O; a look-up costs O(log n), joining O(what is joined).
"""

from bisect import bisect_left, bisect_right

Row = tuple[bytes, bytes]


class KnownRanges:
    """Stretches of keys with their rows in order; none overlaps another."""

    def __init__(self) -> None:
        """Know nothing."""
        self._starts: list[bytes] = []
        self._ranges: dict[bytes, tuple[bytes, list[Row]]] = {}

    def learn(self, start: bytes, stop: bytes, rows: list[Row]) -> None:
        """From `start` on, up to `stop`, there are these rows and no others."""
        if start >= stop:
            return
        first = bisect_left(self._starts, start)
        if first and self._ranges[self._starts[first - 1]][0] > start:
            first -= 1
        last = max(first, bisect_left(self._starts, stop))
        if last > first:
            merged = dict(rows)
            for old in self._starts[first:last]:
                old_stop, old_rows = self._ranges.pop(old)
                start, stop = min(start, old), max(stop, old_stop)
                merged.update(old_rows)
            rows = sorted(merged.items())
        self._starts[first:last] = [start]
        self._ranges[start] = stop, rows

    def below(self, high: bytes) -> tuple[bytes, bytes, list[Row]]:
        """(start, stop, rows) of the last stretch that begins below `high`; an empty one if none does."""
        position = bisect_left(self._starts, high) - 1
        if position < 0:
            return high, b"", []
        start = self._starts[position]
        return (start, *self._ranges[start])

    def cover(self, low: bytes, high: bytes) -> bool:
        """Whether all of [low, high) is known."""
        start, stop, _ = self.below(high)
        return start <= low and high <= stop

    def change(self, key: bytes, value: bytes | None) -> None:
        """A record was set, or taken away (None); outside the stretches it stays unknown."""
        position = bisect_right(self._starts, key) - 1
        if position < 0:
            return
        stop, rows = self._ranges[self._starts[position]]
        if key < stop:
            place = bisect_left(rows, (key,))
            there = place < len(rows) and rows[place][0] == key
            rows[place : place + there] = [] if value is None else [(key, value)]

    def clear(self) -> None:
        """Forget everything."""
        self._starts, self._ranges = [], {}
