"""Moving the cursor: absolutely, relatively, by tab stops, and back to where it was saved.

Counts and positions are counted from 1, as on the wire. A move ends a pending wrap.
Cost: O(1), tabs O(columns).
"""

from .drawing import Graphemes


class CursorMovement(Graphemes):
    """Everything that moves the cursor."""

    __slots__ = ()

    def move_to(self, y: int, x: int) -> None:
        """The cursor to a row and column counted from 0, held inside the screen or the margins."""
        if self.origin:
            self.y = min(max(self.top + y, self.top), self.bottom)
        else:
            self.y = min(max(y, 0), self.lines - 1)
        self.x = min(max(x, 0), self.columns - 1)

    def cursor_position(self, line: int = 1, column: int = 1) -> None:
        """CUP, HVP."""
        y, x = line - 1, column - 1
        if 0 <= y < self.lines and 0 <= x < self.columns and not self.origin:
            self.y, self.x = y, x
        else:
            self.move_to(max(y, 0), x)

    def cursor_to_column(self, column: int = 1) -> None:
        """CHA, HPA."""
        self.x = min((column or 1) - 1, self.columns - 1)

    def cursor_to_line(self, line: int = 1) -> None:
        """VPA."""
        self.move_to((line or 1) - 1, self.x)

    def cursor_up(self, count: int = 1) -> None:
        """CUU: as far as the top margin, or the top of the screen from above it."""
        limit = self.top if self.y >= self.top else 0
        self.y = max(self.y - (count or 1), limit)
        self.x = min(self.x, self.columns - 1)

    def cursor_down(self, count: int = 1) -> None:
        """CUD, VPR: as far as the bottom margin, or the end of the screen from below it."""
        limit = self.bottom if self.y <= self.bottom else self.lines - 1
        self.y = min(self.y + (count or 1), limit)
        self.x = min(self.x, self.columns - 1)

    def cursor_forward(self, count: int = 1) -> None:
        """CUF, HPR."""
        self.x = min(self.x + (count or 1), self.columns - 1)

    def cursor_back(self, count: int = 1) -> None:
        """CUB."""
        self.x = max(min(self.x, self.columns - 1) - (count or 1), 0)

    def cursor_down1(self, count: int = 1) -> None:
        """CNL."""
        self.cursor_down(count)
        self.x = 0

    def cursor_up1(self, count: int = 1) -> None:
        """CPL."""
        self.cursor_up(count)
        self.x = 0

    def cursor_to_next_line(self) -> None:
        """NEL: to the start of the next row, scrolling at the bottom margin."""
        self.x = 0
        self.index()

    def carriage_return(self) -> None:
        """CR."""
        self.x = 0

    def backspace(self) -> None:
        """BS: one column back, which also ends a pending wrap."""
        self.x = max(min(self.x, self.columns - 1) - 1, 0)

    # ---------------------------------------------------------------------------------- tabs

    def tab(self) -> None:
        """HT: to the next tab stop; a full line stays full."""
        self.tab_forward(1)

    def tab_forward(self, count: int = 1) -> None:
        """CHT: to the count-th tab stop, or the last column."""
        if self.x < self.columns:
            stops = sorted(stop for stop in self.tabs if stop > self.x)
            count = count or 1
            self.x = stops[count - 1] if count <= len(stops) else self.columns - 1

    def tab_back(self, count: int = 1) -> None:
        """CBT: back to the count-th tab stop, or the first column."""
        if self.x < self.columns:
            stops = sorted((stop for stop in self.tabs if stop < self.x), reverse=True)
            count = count or 1
            self.x = stops[count - 1] if count <= len(stops) else 0

    def set_tab_stop(self) -> None:
        """HTS."""
        self.tabs.add(min(self.x, self.columns - 1))

    def clear_tab_stop(self, how: int = 0) -> None:
        """TBC: 0 the one here, 3 all."""
        if how == 0:
            self.tabs.discard(self.x)
        elif how == 3:
            self.tabs.clear()

    # ------------------------------------------------------------------- margins, saved cursor

    def set_margins(self, top: int = 0, bottom: int = 0) -> None:
        """DECSTBM: the scroll region; a region of fewer than two rows is no region. Homes."""
        top = top or 1
        bottom = min(bottom or self.lines, self.lines)
        if top < bottom:
            self.top, self.bottom = self.screen.top, self.screen.bottom = top - 1, bottom - 1
            self.move_to(0, 0)

    def save_cursor(self) -> None:
        """DECSC, SCOSC."""
        saved = self.screen.saved
        saved.x, saved.y, saved.style, saved.origin = self.x, self.y, self.style, self.origin
        saved.charset, saved.charsets = self.charset, self.charsets

    def restore_cursor(self) -> None:
        """DECRC, SCORC: what was saved, any number of times; home and plain if nothing was."""
        saved = self.screen.saved
        self.x = min(saved.x, self.columns - 1)
        self.y = min(saved.y, self.lines - 1)
        self.style, self.origin = saved.style, saved.origin
        self.pen = self.palette.intern(self.style)
        self.charset, self.charsets = saved.charset, saved.charsets
        self.update_fast_path()
