"""The grid as pyte's screens need it: 132 columns, the icon's name, cells written one by one.

What a stream's bytes do beyond an ordinary `Grid`: DECCOLM changes the width, as pyte documents,
and device attributes are answered as a VT102 does.

Tested in: tests/screen/test_pyte.py
"""

from collections.abc import Callable

from pyte import control, modes
from pyte.screens import wcwidth

from ..attributes import DEFAULT
from ..grid import Grid
from ..reflow import narrowed
from ..row import BLANK, EMPTY, FILLER, Row, split_wide

_COLUMN_MODE = modes.DECCOLM >> 5
_WIDE_COLUMNS = 132


class PyteGrid(Grid):
    """A grid that a `pyte.Screen` of ours is built on."""

    DEVICE_ATTRIBUTES = f"{control.CSI}?6c"  # a VT102, as pyte says
    __slots__ = ("icon_name", "on_resize", "saved_columns")

    def __init__(
        self, columns: int, lines: int, history: int, on_resize: Callable[[int, int], None]
    ) -> None:
        self.icon_name = ""
        self.saved_columns: int | None = None  # the width before DECCOLM
        self.on_resize = on_resize
        super().__init__(columns, lines, history)

    def set_icon_name(self, text: str) -> None:
        """OSC 0 and 1."""
        self.icon_name = text

    def switch_private_mode(self, mode: int, on: bool) -> None:
        """DECSET, DECRST of one mode; DECCOLM has 132 columns, a blank screen, and homes."""
        if mode != _COLUMN_MODE:
            super().switch_private_mode(mode, on)
            return
        if on:
            self.modes.add(mode)
            self.saved_columns = self.columns
            self.on_resize(self.lines, _WIDE_COLUMNS)
        else:
            self.modes.discard(mode)
            if self.columns == _WIDE_COLUMNS and self.saved_columns is not None:
                self.on_resize(self.lines, self.saved_columns)
                self.saved_columns = None
        self.erase_in_display(2)
        self.cursor_position()

    def clip(self, columns: int, lines: int) -> None:
        """Another size without reflow: rows go from the top, columns from the right."""
        for screen in (self.main, self.alternate):
            rows = [narrowed(row, columns) for row in screen.rows[max(0, self.lines - lines) :]]
            screen.rows[:] = rows + [BLANK] * (lines - len(rows))
            screen.top, screen.bottom = 0, lines - 1
            screen.y = min(screen.y, lines - 1)
        self.columns, self.lines = columns, lines
        self.activate(self.screen)
        self.x, self.y = min(self.x, columns), min(self.y, lines - 1)

    def write_cell(self, y: int, x: int, text: str, style: int) -> Row:
        """Put text into one cell (two, if it is wide); "" is the right half of a wide character."""
        if not text and self.rows[y][0][x : x + 1] == FILLER:
            return self.rows[y]
        cell = text if len(text) == 1 else self.clusters.intern(text) if text else EMPTY
        if text and wcwidth(text[0]) == 2 and x + 1 < self.columns:
            cell += FILLER
        cells, attributes, flags = self.rows[y]
        end = x + len(cell)
        cells = split_wide(split_wide(cells, x), end).ljust(x, EMPTY)
        attributes = attributes.ljust(x, DEFAULT)
        attribute = self.palette.intern(style) * len(cell)
        self.rows[y] = (
            cells[:x] + cell + cells[end:],
            attributes[:x] + attribute + attributes[end:],
            flags,
        )
        return self.rows[y]
