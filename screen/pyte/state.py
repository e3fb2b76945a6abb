"""What a `Screen` of pyte is, without its events: attributes, cells, size, and text interpreted.

Everything is in the grid and is translated when it is read.
Cost: `display` O(cells), a cell O(1), text O(length).

Tested in: tests/screen/test_pyte.py
"""

from collections.abc import Iterable

from pyte import charsets as cs
from pyte import modes as mo
from pyte.screens import Char, Margins

from ..row import EMPTY, Row
from .buffer import Buffer
from .chars import CharTable, composed, style_of
from .grid import PyteGrid

_BLOCK = 1 << 15  # characters interpreted at a time, which bounds the list of tokens
PRIVATE = 5  # pyte keeps private modes shifted by so many bits
_ALTERNATE_SCREEN, _SYNCHRONIZED = 1049 << PRIVATE, 2026 << PRIVATE


class Cursor:
    """The cursor of a screen: column and row counted from 0, its style, whether it is hidden."""

    __slots__ = ("_screen",)

    def __init__(self, screen: "ScreenState") -> None:
        self._screen = screen

    @property
    def x(self) -> int:
        """The column; `screen.columns` where the line is full and the next character wraps."""
        return self._screen.grid.x

    @x.setter
    def x(self, column: int) -> None:
        self._screen.grid.x = column

    @property
    def y(self) -> int:
        """The row."""
        return self._screen.grid.y

    @y.setter
    def y(self, row: int) -> None:
        self._screen.grid.y = row

    @property
    def attrs(self) -> Char:
        """The style the next character gets, as a blank."""
        return self._screen.chars[" ", self._screen.grid.pen]

    @attrs.setter
    def attrs(self, char: Char) -> None:
        grid = self._screen.grid
        grid.style = style_of(char)
        grid.pen = grid.palette.intern(grid.style)

    @property
    def hidden(self) -> bool:
        """Whether the cursor is not shown."""
        return not self._screen.grid.cursor_visible or self._screen.paged_back

    @hidden.setter
    def hidden(self, hidden: bool) -> None:
        self._screen.grid.cursor_visible = not hidden


class Savepoint:
    """What `Screen.save_cursor` puts on its stack."""

    __slots__ = ("charset", "g0_charset", "g1_charset", "origin", "style", "wrap", "x", "y")

    def __init__(self, screen: "ScreenState") -> None:
        grid = screen.grid
        self.x, self.y, self.style = grid.x, grid.y, grid.style
        self.origin, self.wrap = grid.origin, grid.autowrap
        self.g0_charset, self.g1_charset = screen.g0_charset, screen.g1_charset
        self.charset = screen.charset


class ScreenState:
    """A screen of `columns` by `lines`; see `pyte.Screen`.

    `buffer`: the cells, `buffer[row][column]`. `dirty`: rows that changed since it was cleared,
    exact where a stream drew them.
    `grid` is the grid underneath, which knows more: soft wraps, links, the alternate screen.
    """

    paged_back = False  # whether older lines are shown (`HistoryScreen`)

    def __init__(self, columns: int, lines: int) -> None:
        self._make(columns, lines, 0)

    def _make(self, columns: int, lines: int, history: int) -> None:
        self.grid = PyteGrid(columns, lines, history, self._clip)
        self.cursor = Cursor(self)
        self.savepoints: list[Savepoint] = []
        self.dirty = set(range(lines))
        self.buffer = Buffer(self)
        self._chars = CharTable(self.grid.palette, self.grid.clusters, inverted=False)
        self._reset_charsets()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.columns}, {self.lines})"

    # ------------------------------------------------------------------------------- attributes

    @property
    def columns(self) -> int:
        """The width."""
        return self.grid.columns

    @property
    def lines(self) -> int:
        """The height."""
        return self.grid.lines

    @property
    def title(self) -> str:
        """The window's title."""
        return self.grid.title

    @property
    def icon_name(self) -> str:
        """The icon's name."""
        return self.grid.icon_name

    @property
    def tabstops(self) -> set[int]:
        """The columns with a tab stop."""
        return self.grid.tabs

    @property
    def saved_columns(self) -> int | None:
        """The width before DECCOLM was set."""
        return self.grid.saved_columns

    @property
    def margins(self) -> Margins | None:
        """First and last row of the scroll region; None where that is the whole screen."""
        margins = Margins(self.grid.top, self.grid.bottom)
        return None if margins == (0, self.lines - 1) else margins

    @property
    def mode(self) -> set[int]:
        """The modes that are set, by pyte's numbers; a new set each time."""
        grid = self.grid
        known = {
            mo.IRM: grid.insert,
            mo.LNM: grid.newline,
            mo.DECAWM: grid.autowrap,
            mo.DECOM: grid.origin,
            mo.DECTCEM: grid.cursor_visible,
            _ALTERNATE_SCREEN: grid.screen is grid.alternate,
            _SYNCHRONIZED: grid.frame is not None,
        }
        return {mode for mode, on in known.items() if on} | {m << PRIVATE for m in grid.modes}

    @property
    def default_char(self) -> Char:
        """An empty cell."""
        return Char(" ", reverse=self.inverted_screen)

    @property
    def inverted_screen(self) -> bool:
        """DECSCNM: all colours are swapped."""
        return mo.DECSCNM >> PRIVATE in self.grid.modes

    @property
    def display(self) -> list[str]:
        """The rows as text, blanks kept; a wide character occurs once."""
        text, columns = self.grid.clusters.text, self.columns
        return [composed(text(row[0].ljust(columns))) for row in self.grid.rows]

    # -------------------------------------------------------------------- what `buffer` reads

    @property
    def chars(self) -> CharTable:
        """How cells read now."""
        grid, table = self.grid, self._chars
        if (
            table.palette is not grid.palette
            or table.clusters is not grid.clusters
            or table.inverted is not self.inverted_screen
        ):
            table = self._chars = CharTable(grid.palette, grid.clusters, self.inverted_screen)
        return table

    def write_char(self, y: int, x: int, char: Char | None) -> Row:
        """Write one cell, or empty it; the row it is in then."""
        if not 0 <= x < self.columns:
            return self.grid.rows[y]
        text, style = (EMPTY, 0) if char is None else (char.data, style_of(char))
        return self.grid.write_cell(y, x, text, style)

    def row(self, y: int) -> Row | None:
        """A row of the screen; None where it has no such row."""
        return self.grid.rows[y] if 0 <= y < self.lines else None

    # ---------------------------------------------------------------------------------- streams

    def interpret(self, text: str) -> None:
        """What a stream does: text as it came, controls and all, on the grid itself."""
        grid = self.grid
        before = grid.rows.copy()
        for start in range(0, len(text), _BLOCK):
            grid.write(text[start : start + _BLOCK])
            grid.compact()
        self.end_event(self.changed_rows(before))

    def changed_rows(self, before: list[Row]) -> list[int]:
        """The rows that are other objects than before."""
        rows = self.grid.rows
        if len(before) != len(rows):
            return list(range(len(rows)))
        return [y for y, row in enumerate(rows) if row is not before[y]]

    def end_event(self, dirty: Iterable[int] = ()) -> None:
        """After anything that may draw, scroll or answer."""
        grid = self.grid
        self.dirty.update(dirty)
        grid.end_feed()
        if grid.replies:
            replies, grid.replies = grid.replies, ""
            self.write_process_input(replies)

    def write_process_input(self, data: str) -> None:
        """What the terminal answers its program; does nothing, to be overridden."""

    # ------------------------------------------------------------------------------ size, resets

    def reset(self) -> None:
        """RIS, by which also the icon's name and the charsets go; saved cursors stay."""
        self.grid.reset()
        self.grid.icon_name = ""
        self.grid.saved_columns = None
        self._reset_charsets()
        self.end_event(range(self.lines))

    def _reset_charsets(self) -> None:
        self.charset = 0
        self.g0_charset: str = cs.LAT1_MAP
        self.g1_charset: str = cs.VT100_MAP

    def resize(self, lines: int | None = None, columns: int | None = None) -> None:
        """Another size, clipped: rows go from the top, columns from the right; nothing reflows."""
        lines, columns = lines or self.lines, columns or self.columns
        if (lines, columns) != (self.lines, self.columns):
            self._clip(lines, columns)

    def _clip(self, lines: int, columns: int) -> None:
        self.grid.clip(columns, lines)
        self.dirty.update(range(lines))

    def set_margins(self, top: int | None = None, bottom: int | None = None) -> None:
        """DECSTBM, counted from 1; without arguments the whole screen."""
        self.grid.set_margins(top or 0, bottom or 0)
