"""Erasing, inserting, deleting, scrolling: everything that makes a new row without text.

The cursor moves only where the control function says so (line feeds, IL, DL). Erased cells take
the background in force (BCE). Cost: O(columns) a row touched.
"""

from .attributes import BG, DEFAULT
from .changes import Cleared
from .row import BLANK, CONTINUED, EMPTY, FILLER, Row, split_wide
from .state import State


class Editing(State):
    """Everything that makes a new row without text."""

    __slots__ = ()

    # ----------------------------------------------------------------- erasing, inside one row

    def blank(self) -> str:
        """The attribute of an erased cell: the background in force and nothing else."""
        background = self.style & BG
        return self.palette.intern(background) if background else DEFAULT

    def blank_row(self) -> Row:
        """An erased row."""
        blank = self.blank()
        return BLANK if blank == DEFAULT else (EMPTY * self.columns, blank * self.columns, 0)

    def erase(self, y: int, left: int, right: int, blank: str) -> None:
        """Blank the columns `[left, right)` of row `y`."""
        cells, attributes, flags = self.rows[y]
        if left >= right:
            return
        if FILLER in cells:
            cells = split_wide(split_wide(cells, left), right)
        if right >= len(cells) and blank == DEFAULT:
            self.rows[y] = (cells[:left], attributes[:left], flags)
            return
        width = right - left
        self.rows[y] = (
            cells[:left].ljust(left, EMPTY) + EMPTY * width + cells[right:],
            attributes[:left].ljust(left, DEFAULT) + blank * width + attributes[right:],
            flags,
        )

    def erase_in_line(self, how: int = 0, private: bool = False) -> None:  # noqa: ARG002 - pyte passes it
        """EL, and DECSEL as nothing is protected: 0 to the end, 1 from the start, 2 the row."""
        if how == 0:
            x, y = self.x, self.y
            cells, attributes, flags = self.rows[y]
            if self.style & BG or FILLER in cells:
                self.erase(y, x, self.columns, self.blank())
            elif x < len(cells):
                self.rows[y] = (cells[:x], attributes[:x], flags)
            if flags and x == 0:
                self.start_line(y)
        elif how == 1:
            self.erase(self.y, 0, min(self.x + 1, self.columns), self.blank())
        elif how == 2:
            self.rows[self.y] = self.blank_row()

    def start_line(self, y: int) -> None:
        """Row `y` no longer continues the one above; what was marked there is gone."""
        cells, attributes, flags = self.rows[y]
        if flags:
            self.rows[y] = (cells, attributes, 0)

    def erase_in_display(self, how: int = 0, private: bool = False) -> None:  # noqa: ARG002 - pyte passes it
        """ED, DECSED: 0 to the end, 1 from the start, 2 the whole screen, 3 the history."""
        if how == 0:
            self.erase_in_line(0)
            self._erase_rows(self.y + 1, self.lines)
        elif how == 1:
            self.erase_in_line(1)
            self.start_line(self.y)
            if self.x + 1 >= self.columns and self.y + 1 < self.lines:
                self.start_line(self.y + 1)
            self._erase_rows(0, self.y)
        elif how == 2:
            self._erase_rows(0, self.lines)
            self.events.append(Cleared())
        elif how == 3:
            self.clear_history()

    def _erase_rows(self, first: int, after: int) -> None:
        self.rows[first:after] = [self.blank_row()] * (after - first)

    def clear_history(self) -> None:
        """Forget the lines that left the screen; those of this feed are still reported."""
        self.history.clear()
        self.wiped_rows = len(self.scrolled)
        self.events.append(Cleared(self.wiped_rows))

    def erase_characters(self, count: int = 1) -> None:
        """ECH: blank cells from the cursor on."""
        x = self.x = min(self.x, self.columns - 1)
        self.erase(self.y, x, min(x + (count or 1), self.columns), self.blank())

    def insert_characters(self, count: int = 1) -> None:
        """ICH: blank cells at the cursor, what stood there moves right."""
        self.x = min(self.x, self.columns - 1)
        self.open_gap(self.y, self.x, count or 1, self.blank())

    def delete_characters(self, count: int = 1) -> None:
        """DCH: cells at the cursor go, the rest of the row moves left."""
        self.x = min(self.x, self.columns - 1)
        self.close_gap(self.y, self.x, count or 1)

    def open_gap(self, y: int, x: int, count: int, blank: str) -> None:
        """Insert blank cells at column `x`; what passes the right margin is lost."""
        cells, attributes, flags = self.rows[y]
        count = min(count, self.columns - x)
        if x >= len(cells) and blank == DEFAULT:
            return
        cells = split_wide(cells.ljust(x, EMPTY), x)
        cells = split_wide(cells[:x] + EMPTY * count + cells[x:], self.columns)[: self.columns]
        attributes = attributes.ljust(x, DEFAULT)
        attributes = (attributes[:x] + blank * count + attributes[x:])[: self.columns]
        self.rows[y] = (cells, attributes, flags)

    def close_gap(self, y: int, x: int, count: int) -> None:
        """Delete cells at column `x`; blank ones come in at the right margin."""
        cells, attributes, flags = self.rows[y]
        blank = self.blank()
        end = min(x + count, self.columns)
        if blank != DEFAULT:
            cells, attributes = (
                cells.ljust(self.columns, EMPTY),
                attributes.ljust(self.columns, DEFAULT),
            )
        cells = split_wide(split_wide(cells, x), end)
        cells, attributes = cells[:x] + cells[end:], attributes[:x] + attributes[end:]
        if blank != DEFAULT:
            cells, attributes = (
                cells.ljust(self.columns, EMPTY),
                attributes.ljust(self.columns, blank),
            )
        self.rows[y] = (cells, attributes, flags)

    # ------------------------------------------------------------------------------ whole rows

    def shift_rows_up(self, top: int, bottom: int, count: int) -> None:
        """Rows `top..bottom` move up, blank ones come in below; those above are gone."""
        rows = self.rows
        count = min(count, bottom - top + 1)
        del rows[top : top + count]
        rows[bottom - count + 1 : bottom - count + 1] = [self.blank_row()] * count

    def shift_rows_down(self, top: int, bottom: int, count: int) -> None:
        """Rows `top..bottom` move down, blank ones come in above."""
        rows = self.rows
        count = min(count, bottom - top + 1)
        del rows[bottom - count + 1 : bottom + 1]
        rows[top:top] = [self.blank_row()] * count

    def index(self) -> None:
        """IND: down a row; at the bottom margin the rows of the region move up instead.

        A row that leaves the top of the main screen goes to history.
        """
        if self.x >= self.columns:
            self.x = self.columns - 1
        y = self.y
        if y == self.bottom:
            top, rows = self.top, self.rows
            if top == 0 and self.screen is self.main:
                self.scrolled.append(rows[0])
            del rows[top]
            rows.insert(y, self.blank_row() if self.style & BG else BLANK)
        elif y < self.lines - 1:
            self.y = y + 1

    def linefeed(self) -> None:
        """LF, VT, FF: down a row, scrolling at the bottom margin; LNM adds a carriage return."""
        if self.newline:
            self.x = 0
        before = self.y
        self.index()
        y = self.y
        if y != before and self.rows[y][2] & CONTINUED:
            self.start_line(y)

    def reverse_index(self) -> None:
        """RI: up a row, scrolling down at the top margin."""
        self.x = min(self.x, self.columns - 1)
        if self.y == self.top:
            self.shift_rows_down(self.top, self.bottom, 1)
        elif self.y > 0:
            self.y -= 1

    def insert_lines(self, count: int = 1) -> None:
        """IL: blank rows at the cursor, inside the margins."""
        if self.top <= self.y <= self.bottom:
            self.shift_rows_down(self.y, self.bottom, count or 1)
            self.x = 0

    def delete_lines(self, count: int = 1) -> None:
        """DL: rows at the cursor go, inside the margins."""
        if self.top <= self.y <= self.bottom:
            self.shift_rows_up(self.y, self.bottom, count or 1)
            self.x = 0

    def scroll_up(self, count: int = 1) -> None:
        """SU: the scroll region moves up.

        As in tmux and xterm, rows that leave the top of the main screen go to history (xterm.js
        drops them): programs with an inline viewport scroll their transcript off this way.
        """
        count = min(count or 1, self.bottom - self.top + 1)
        if self.top == 0 and self.screen is self.main:
            self.scrolled += self.rows[:count]
        self.shift_rows_up(self.top, self.bottom, count)

    def scroll_down(self, count: int = 1) -> None:
        """SD: the scroll region moves down."""
        self.shift_rows_down(self.top, self.bottom, count or 1)

    def scroll_left(self, count: int = 1) -> None:
        """SL: every row of the region loses columns at its start."""
        self._delete_columns(0, count or 1)

    def scroll_right(self, count: int = 1) -> None:
        """SR: every row of the region gets blank columns at its start."""
        self._insert_columns(0, count or 1)

    def insert_columns(self, count: int = 1) -> None:
        """DECIC: every row of the region gets blank columns at the cursor."""
        self._insert_columns(min(self.x, self.columns - 1), count or 1)

    def delete_columns(self, count: int = 1) -> None:
        """DECDC: every row of the region loses columns at the cursor."""
        self._delete_columns(min(self.x, self.columns - 1), count or 1)

    def _insert_columns(self, x: int, count: int) -> None:
        if self.top <= self.y <= self.bottom:
            for y in range(self.top, self.bottom + 1):
                self.open_gap(y, x, count, self.blank())
                self.start_line(y)

    def _delete_columns(self, x: int, count: int) -> None:
        if self.top <= self.y <= self.bottom:
            for y in range(self.top, self.bottom + 1):
                self.close_gap(y, x, count)
                self.start_line(y)
