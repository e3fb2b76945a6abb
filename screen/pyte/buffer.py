"""pyte's `buffer`: lines of `Char`, by row and column, made from the grid's rows when read.

A line is a dict, as in pyte, of the row as it was when it was asked for: rows are immutable, so it
stays what it was when the screen scrolls (pyte's line objects move on with their rows). Setting or
deleting one cell of a line of the screen changes the screen; a column never written to reads as the
screen's default character.
Cost: O(columns) for a row that changed since it was last asked for; then one look-up a cell.

Tested in: tests/screen/test_pyte.py
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, overload

from pyte.screens import Char, StaticDefaultDict

from ..row import BLANK, Row
from .chars import CharTable


class Cells(Protocol):
    """What lines need of their screen."""

    @property
    def default_char(self) -> Char:
        """What a column never written to reads as."""
        ...

    @property
    def chars(self) -> CharTable:
        """The table in force."""
        ...

    @property
    def lines(self) -> int:
        """How many rows there are."""
        ...

    def row(self, y: int) -> Row | None:
        """A row of the screen; None where it has no such row."""
        ...

    def write_char(self, y: int, x: int, char: Char | None) -> Row:
        """Write one cell, or empty it; the row it is in then."""
        ...


class Line(StaticDefaultDict[int, Char]):
    """The cells of one row by column."""

    def __init__(self, cells: Cells, row: Row) -> None:
        super().__init__(cells.default_char)
        self.cells, self.table, self.row = cells, cells.chars, row
        self._read()

    def _read(self) -> None:
        char = self.table.__getitem__
        dict.update(self, enumerate(map(char, zip(self.row[0], self.row[1], strict=True))))


class ScreenLine(Line):
    """A line of the screen, which can be written to."""

    def __init__(self, cells: Cells, row: Row, y: int) -> None:
        super().__init__(cells, row)
        self._y = y

    def __setitem__(self, x: int, char: Char) -> None:
        self._write(x, char)

    def __delitem__(self, x: int) -> None:
        self._write(x, None)

    def _write(self, x: int, char: Char | None) -> None:
        self.row = self.cells.write_char(self._y, x, char)
        dict.clear(self)
        self._read()


class Buffer(Mapping[int, Line]):
    """The lines of a screen by row; -1 is the last."""

    __slots__ = ("_cells", "_made")

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        self._made: dict[int, ScreenLine] = {}  # lines made before, used while they are true

    def __getitem__(self, y: int) -> Line:
        cells = self._cells
        if y < 0:
            y += cells.lines
        row = cells.row(y)
        if row is None:
            return Line(cells, BLANK)
        line = self._made.get(y)
        if line is None or line.row is not row or line.table is not cells.chars:
            line = self._made[y] = ScreenLine(cells, row, y)
        return line

    def __iter__(self) -> Iterator[int]:
        return iter(range(self._cells.lines))

    def __len__(self) -> int:
        return self._cells.lines


class HistoryLines(Sequence[Line]):
    """A queue of rows that are not on the screen, as lines; live."""

    __slots__ = ("_cells", "_rows")

    def __init__(self, cells: Cells, rows: deque[Row]) -> None:
        self._cells, self._rows = cells, rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Line: ...
    @overload
    def __getitem__(self, index: slice) -> list[Line]: ...
    def __getitem__(self, index: int | slice) -> Line | list[Line]:
        if isinstance(index, slice):
            return [Line(self._cells, row) for row in list(self._rows)[index]]
        return Line(self._cells, self._rows[index])

    def __iter__(self) -> Iterator[Line]:
        return (Line(self._cells, row) for row in list(self._rows))

    def clear(self) -> None:
        """Forget these lines."""
        self._rows.clear()
