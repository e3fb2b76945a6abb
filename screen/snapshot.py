"""Snapshots: the screen at one moment, immutable.

It shares the grid's rows, which never change. Text, styles and crops are made when they are first
read, so a snapshot costs nothing until it is read. Cost: O(columns) a row read.
"""

from collections.abc import Sequence

from .attributes import DEFAULT, Palette
from .row import CONTINUED, FILLER, MARK_LETTERS, Clusters, Row, Run, from_text, runs, split_wide


class RowTexts:
    """The text of the rows that were read last: most rows of a screen stood in the one before.

    A row that is there again has the same string, whose hash is known. Memory: one screen.
    """

    __slots__ = ("_cells", "_clusters", "_columns", "_texts", "_trimmed")

    def __init__(self) -> None:
        self._cells: list[str] = []
        self._clusters: Clusters | None = None
        self._columns = 0
        self._texts: tuple[str, ...] = ()
        self._trimmed: tuple[str, ...] = ()

    def read(
        self, rows: tuple[Row, ...], columns: int, clusters: Clusters
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the text of each row, up to `columns` and without trailing blanks.

        The same tuples as before if no cell has changed.
        """
        text, cells = clusters.text, [row[0] for row in rows]
        same = clusters is self._clusters and columns == self._columns
        if not same or len(cells) != len(self._cells):
            self._clusters, self._columns = clusters, columns
            self._texts = tuple([text(row.ljust(columns)) for row in cells])
            self._trimmed = tuple([row.rstrip() for row in self._texts])
        elif cells != self._cells:
            texts, trimmed = list(self._texts), list(self._trimmed)
            for index, row in enumerate(cells):
                if row != self._cells[index]:
                    texts[index] = shown = text(row.ljust(columns))
                    trimmed[index] = shown.rstrip()
            self._texts, self._trimmed = tuple(texts), tuple(trimmed)
        self._cells = cells
        return self._texts, self._trimmed


class Snapshot:
    """The screen at one moment; equal ones show the same text, styles, wraps, cursor, title, screen."""

    __slots__ = (
        "_alternate",
        "_clusters",
        "_columns",
        "_cursor",
        "_cursor_visible",
        "_palette",
        "_rows",
        "_styles",
        "_text",
        "_texts",
        "_title",
        "_trimmed",
        "_wrapped",
    )

    def __init__(
        self,
        columns: int,
        rows: tuple[Row, ...],
        palette: Palette,
        clusters: Clusters,
        *,
        cursor: tuple[int, int] = (0, 0),
        cursor_visible: bool = True,
        title: str = "",
        alternate: bool = False,
        texts: RowTexts | None = None,
    ) -> None:
        self._columns, self._cursor, self._cursor_visible = columns, cursor, cursor_visible
        self._title, self._alternate = title, alternate
        self._rows, self._palette, self._clusters = rows, palette, clusters
        self._texts = texts or RowTexts()
        self._text: tuple[str, ...] | None = None
        self._trimmed: tuple[str, ...] = ()
        self._styles: tuple[tuple[Run, ...], ...] | None = None
        self._wrapped: tuple[bool, ...] | None = None

    @classmethod
    def from_rows(
        cls,
        rows: Sequence[str],
        columns: int | None = None,
        *,
        title: str = "",
        alternate: bool = False,
        cursor: tuple[int, int] = (0, 0),
    ) -> "Snapshot":
        """A snapshot of plain text, one string a row, cut or filled to `columns` (widest row's)."""
        clusters = Clusters()
        cells = [from_text(row, clusters) for row in rows]
        if columns is None:
            columns = max(1, *map(len, cells)) if cells else 1
        cells = [split_wide(row, columns)[:columns] for row in cells]
        cut = tuple((row, DEFAULT * len(row), 0) for row in cells)
        return cls(
            columns, cut, Palette(), clusters, title=title, alternate=alternate, cursor=cursor
        )

    @property
    def columns(self) -> int:
        """How many columns the screen has."""
        return self._columns

    @property
    def cursor(self) -> tuple[int, int]:
        """Row and column of the cursor, counted from 0; at most the last column."""
        return self._cursor

    @property
    def cursor_visible(self) -> bool:
        """Whether the cursor is shown."""
        return self._cursor_visible

    @property
    def title(self) -> str:
        """The window's title (OSC 0 or 2)."""
        return self._title

    @property
    def alternate(self) -> bool:
        """Whether this is the alternate screen."""
        return self._alternate

    @property
    def lines(self) -> int:
        """How many rows the screen has."""
        return len(self._rows)

    @property
    def rows(self) -> tuple[str, ...]:
        """The text of each row, blanks kept up to `columns`; a wide character occurs once."""
        if self._text is None:
            read = self._texts.read(self._rows, self._columns, self._clusters)
            self._text, self._trimmed = read
        return self._text

    @property
    def trimmed(self) -> tuple[str, ...]:
        """The text of each row without the blanks at its end.

        Of two snapshots of a terminal, one taken after the other, it is the same tuple if no cell differs.
        """
        return self._trimmed if self.rows else ()

    @property
    def wrapped(self) -> tuple[bool, ...]:
        """For each row: the next row continues it (a soft wrap)."""
        if self._wrapped is None:
            self._wrapped = (*[bool(row[2] & CONTINUED) for row in self._rows[1:]], False)
        return self._wrapped

    @property
    def marks(self) -> tuple[str, ...]:
        """For each row: the prompt marks (OSC 133) set on it, as letters, mostly none.

        Shells mark prompts with A, command lines with B and output with C; agents that mark
        messages put A on the first row of one, and B and C on its last.
        """
        return tuple([MARK_LETTERS[flags >> 1] for _, _, flags in self._rows])

    @property
    def styles(self) -> tuple[tuple[Run, ...], ...]:
        """For each row: its styled stretches, in columns; the plain ones are left out."""
        if self._styles is None:
            self._styles = tuple([runs(row[1], self._palette) for row in self._rows])
        return self._styles

    def row_styles(self, row: int) -> tuple[Run, ...]:
        """The same of one row, for who does not look at all of them."""
        if self._styles is not None:
            return self._styles[row]
        return runs(self._rows[row][1], self._palette)

    def cells(self, row: int) -> tuple[str, ...]:
        """The text of each column of a row; the right half of a wide character is empty."""
        text = self._clusters.text
        return tuple(
            "" if cell == FILLER else text(cell) for cell in self._rows[row][0].ljust(self.columns)
        )

    def crop(self, row: int, left: int, right: int) -> str:
        """The text of columns `[left, right)` of a row; half a wide character is a blank."""
        cells = self._rows[row][0].ljust(self.columns)[left:right]
        if cells.startswith(FILLER):
            cells = " " + cells[1:]
        rest = self._rows[row][0][right : right + 1]
        if cells and rest == FILLER:
            cells = cells[:-1] + " "
        return self._clusters.text(cells)

    def _shown(self) -> tuple[object, ...]:
        return (
            self.columns,
            self.cursor,
            self.cursor_visible,
            self.title,
            self.alternate,
            self.rows,
            self.wrapped,
            self.styles,
        )

    def __eq__(self, other: object) -> bool:
        return self._shown() == other._shown() if isinstance(other, Snapshot) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.columns, self.cursor, self.rows))

    def __repr__(self) -> str:
        return f"<Snapshot {self.columns}x{self.lines} cursor={self.cursor} {self.title!r}>"
