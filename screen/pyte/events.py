"""pyte's `Screen`: an event method for every control function.

A method does what pyte documents for it, while bytes of a stream do what they do on a terminal;
where these differ (a stack of saved cursors, ED 3, positions outside the margins) it is said.
Cost: O(1), except those that draw, erase or scroll: O(cells touched + lines).

Tested in: tests/screen/test_pyte.py
"""

import warnings
from collections.abc import Iterable
from typing import Any

from pyte import charsets as cs
from pyte import modes as mo

from .state import PRIVATE, Savepoint, ScreenState


class Screen(ScreenState):
    """A screen of `columns` by `lines`; see `pyte.Screen`."""

    # ------------------------------------------------------------------------------------ modes

    def set_mode(self, *modes: int, **kwargs: Any) -> None:
        """SM; DECSET where `private`, or by the constants of `pyte.modes`."""
        self._switch(modes, True, bool(kwargs.get("private")))

    def reset_mode(self, *modes: int, **kwargs: Any) -> None:
        """RM; DECRST where `private`, or by the constants of `pyte.modes`."""
        self._switch(modes, False, bool(kwargs.get("private")))

    def _switch(self, modes: tuple[int, ...], on: bool, private: bool) -> None:
        before, inverted = self.grid.rows.copy(), self.inverted_screen
        for mode in modes:
            if private:
                self.grid.switch((mode,), on, private=True)
            elif mode >> PRIVATE:
                self.grid.switch((mode >> PRIVATE,), on, private=True)
            else:
                self.grid.switch((mode,), on, private=False)
        everything = self.inverted_screen is not inverted
        self.end_event(range(self.lines) if everything else self.changed_rows(before))

    def define_charset(self, code: str, mode: str) -> None:
        """SCS for `draw`: one of `charsets.MAPS` as G0 (`mode` is "(") or G1 (")")."""
        if code in cs.MAPS:
            if mode == "(":
                self.g0_charset = cs.MAPS[code]
            elif mode == ")":
                self.g1_charset = cs.MAPS[code]

    def shift_in(self) -> None:
        """SI."""
        self.charset = 0

    def shift_out(self) -> None:
        """SO."""
        self.charset = 1

    def select_graphic_rendition(self, *attrs: int, **kwargs: Any) -> None:
        """SGR; private ones are none."""
        self.grid.select_graphic_rendition(*attrs, private=bool(kwargs.get("private")))

    # ---------------------------------------------------------------------------------- drawing

    def draw(self, data: str) -> None:
        """Printable text at the cursor; wraps where DECAWM is set."""
        charset = self.g1_charset if self.charset else self.g0_charset
        if charset is not cs.LAT1_MAP:
            data = data.translate(charset)
        grid = self.grid
        y = grid.y
        wraps = 1 + 2 * len(data) // max(1, grid.columns - 1)  # at most, all of them wide
        before = grid.rows.copy() if y + wraps >= grid.bottom else None  # it may scroll
        grid.draw(data)
        grid.compact()
        drawn = range(y, grid.y + 1)
        self.end_event(drawn if before is None else {*self.changed_rows(before), *drawn})

    def set_title(self, param: str) -> None:
        """OSC 0 and 2."""
        self.grid.set_title(param)
        self.end_event()

    def set_icon_name(self, param: str) -> None:
        """OSC 0 and 1."""
        self.grid.set_icon_name(param)

    def bell(self, *args: Any) -> None:
        """BEL; does nothing, to be overridden."""

    def debug(self, *args: Any, **kwargs: Any) -> None:
        """A sequence that is not known; does nothing, to be overridden."""

    def alignment_display(self) -> None:
        """DECALN."""
        self.grid.alignment_display()
        self.end_event(range(self.lines))

    # --------------------------------------------------------------------------- lines, scrolling

    def _scrolls(self, at_margin: bool) -> Iterable[int]:
        return range(self.lines) if at_margin else ()

    def index(self) -> None:
        """IND: down a row, scrolling at the bottom margin."""
        at_margin = self.grid.y == self.grid.bottom
        self.grid.index()
        self.end_event(self._scrolls(at_margin))

    def reverse_index(self) -> None:
        """RI: up a row, scrolling down at the top margin."""
        at_margin = self.grid.y == self.grid.top
        self.grid.reverse_index()
        self.end_event(self._scrolls(at_margin))

    def linefeed(self) -> None:
        """LF: as `index`; LNM adds a carriage return."""
        at_margin = self.grid.y == self.grid.bottom
        self.grid.linefeed()
        self.end_event(self._scrolls(at_margin))

    def insert_lines(self, count: int | None = None) -> None:
        """IL."""
        self._edit_lines(self.grid.insert_lines, count)

    def delete_lines(self, count: int | None = None) -> None:
        """DL."""
        self._edit_lines(self.grid.delete_lines, count)

    def _edit_lines(self, edit: Any, count: int | None) -> None:
        inside = self.grid.top <= self.grid.y <= self.grid.bottom
        edit(count or 1)
        self.end_event(range(self.grid.y, self.lines) if inside else ())

    # ------------------------------------------------------------------------------- characters

    def insert_characters(self, count: int | None = None) -> None:
        """ICH."""
        self.grid.insert_characters(count or 1)
        self.end_event((self.grid.y,))

    def delete_characters(self, count: int | None = None) -> None:
        """DCH."""
        self.grid.delete_characters(count or 1)
        self.end_event((self.grid.y,))

    def erase_characters(self, count: int | None = None) -> None:
        """ECH."""
        self.grid.erase_characters(count or 1)
        self.end_event((self.grid.y,))

    def erase_in_line(self, how: int = 0, private: bool = False) -> None:
        """EL."""
        self.grid.erase_in_line(how, private)
        self.end_event((self.grid.y,))

    def erase_in_display(self, how: int = 0, *_: Any, **_options: Any) -> None:
        """ED; 3 erases the screen too. Further arguments are ignored."""
        if how == 3:
            self.grid.erase_in_display(2)
        self.grid.erase_in_display(how)
        first = self.grid.y if how == 0 else 0
        self.end_event(range(first, self.grid.y + 1 if how == 1 else self.lines))

    # ------------------------------------------------------------------------------- the cursor

    def save_cursor(self) -> None:
        """Put cursor, charsets, DECOM and DECAWM on a stack."""
        self.savepoints.append(Savepoint(self))

    def restore_cursor(self) -> None:
        """Take what was saved last off the stack; home without DECOM where it is empty."""
        grid = self.grid
        if not self.savepoints:
            grid.switch((mo.DECOM >> PRIVATE,), False, private=True)
            grid.cursor_position()
            return
        saved = self.savepoints.pop()
        self.g0_charset, self.g1_charset = saved.g0_charset, saved.g1_charset
        self.charset = saved.charset
        grid.origin |= saved.origin
        if saved.wrap:
            grid.switch((mo.DECAWM >> PRIVATE,), True, private=True)
        grid.style, grid.pen = saved.style, grid.palette.intern(saved.style)
        grid.x, grid.y = saved.x, saved.y
        self.ensure_hbounds()
        self.ensure_vbounds(use_margins=True)

    def ensure_hbounds(self) -> None:
        """Bring the cursor between the first and the last column."""
        self.grid.x = min(max(0, self.grid.x), self.columns - 1)

    def ensure_vbounds(self, use_margins: bool | None = None) -> None:
        """Bring the cursor onto the screen, or (`use_margins`, DECOM) between the margins."""
        grid = self.grid
        inside = use_margins or grid.origin
        top, bottom = (grid.top, grid.bottom) if inside else (0, self.lines - 1)
        grid.y = min(max(top, grid.y), bottom)

    def carriage_return(self) -> None:
        """CR."""
        self.grid.carriage_return()

    def tab(self) -> None:
        """HT."""
        self.grid.tab()

    def backspace(self) -> None:
        """BS."""
        self.grid.backspace()

    def set_tab_stop(self) -> None:
        """HTS."""
        self.grid.set_tab_stop()

    def clear_tab_stop(self, how: int = 0) -> None:
        """TBC: 0 the stop here, 3 all of them."""
        self.grid.clear_tab_stop(how)

    def cursor_up(self, count: int | None = None) -> None:
        """CUU."""
        self.grid.cursor_up(count or 1)

    def cursor_up1(self, count: int | None = None) -> None:
        """CPL."""
        self.grid.cursor_up1(count or 1)

    def cursor_down(self, count: int | None = None) -> None:
        """CUD."""
        self.grid.cursor_down(count or 1)

    def cursor_down1(self, count: int | None = None) -> None:
        """CNL."""
        self.grid.cursor_down1(count or 1)

    def cursor_back(self, count: int | None = None) -> None:
        """CUB."""
        self.grid.cursor_back(count or 1)

    def cursor_forward(self, count: int | None = None) -> None:
        """CUF."""
        self.grid.cursor_forward(count or 1)

    def cursor_position(self, line: int | None = None, column: int | None = None) -> None:
        """CUP; with DECOM a position outside the margins is none."""
        grid = self.grid
        if grid.origin and grid.top + (line or 1) - 1 > grid.bottom:
            return
        grid.cursor_position(line or 1, column or 1)

    def cursor_to_column(self, column: int | None = None) -> None:
        """CHA."""
        self.grid.cursor_to_column(column or 1)

    def cursor_to_line(self, line: int | None = None) -> None:
        """VPA."""
        self.grid.cursor_to_line(line or 1)

    # ---------------------------------------------------------------------------------- answers

    def report_device_attributes(self, mode: int = 0, **kwargs: bool) -> None:
        """DA1."""
        self.grid.report_device_attributes(mode, bool(kwargs.get("private")))
        self.end_event()

    def report_device_status(self, mode: int = 0, **kwargs: bool) -> None:
        """DSR 5 and 6; DECXCPR where `private`."""
        self.grid.report_device_status(mode, bool(kwargs.get("private")))
        self.end_event()


class DiffScreen(Screen):
    """What `Screen` is, under the name it had before pyte 0.7."""

    def __init__(self, columns: int, lines: int) -> None:
        warnings.warn("DiffScreen is Screen since pyte 0.7", DeprecationWarning, stacklevel=2)
        super().__init__(columns, lines)
