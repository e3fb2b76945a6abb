"""The lines that left the top of the main screen, oldest first, no more than were asked for.

`History` is live; its lines are made when they are read.
Cost: keeping a line costs two strings and a tuple; reading one is O(its length).
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import overload

from .line import Line, lines_of
from .state import State


class History(Sequence[Line]):
    """A live sequence of `Line`, oldest first: it grows as the terminal is fed."""

    __slots__ = ("_state",)

    def __init__(self, state: State) -> None:
        self._state = state

    def __len__(self) -> int:
        return len(self._state.history)

    def __iter__(self) -> Iterator[Line]:
        return self._lines(0, len(self))

    @overload
    def __getitem__(self, index: int) -> Line: ...
    @overload
    def __getitem__(self, index: slice) -> list[Line]: ...
    def __getitem__(self, index: int | slice) -> Line | list[Line]:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step == 1:
                return list(self._lines(start, max(start, stop)))
            return [self[i] for i in range(start, stop, step)]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(f"history has {len(self)} lines, there is no line {index}")
        return next(self._lines(index, index + 1))

    def _lines(self, start: int, stop: int) -> Iterator[Line]:
        state = self._state
        rows = state.history
        below = rows[stop] if stop < len(rows) else state.main.rows[0]
        return lines_of(islice(rows, start, stop), below, state.palette, state.clusters)
