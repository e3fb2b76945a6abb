"""Rows under another width and height, as xterm.js lays them out.

`Layout` holds all the rows of a screen, those of history before those shown, with where the shown
part begins and where the cursor is. Soft-wrapped rows are joined and cut
again, except the line the cursor is in: its program repaints that one, and is left to.
Cost: O(cells).
"""

import re
from itertools import pairwise

from .row import BLANK, COMMAND, CONTINUED, EMPTY, FILLER, OUTPUT, PROMPT, Row, split_wide

_WIDE = re.compile(f".{FILLER}", re.DOTALL)


class Layout:
    """Rows, the index of the first one shown (`base`), and the cursor's row on the screen (`y`)."""

    __slots__ = ("base", "lines", "rows", "y")

    def __init__(self, rows: list[Row], base: int, y: int) -> None:
        self.rows, self.base, self.y = rows, base, y
        self.lines = len(rows) - base

    def set_lines(self, lines: int) -> None:
        """Another height. Growing brings lines back from history when the cursor is on the last.

        Shrinking takes rows from below the cursor first, then moves rows into history.
        """
        rows = self.rows
        added = 0
        for _ in range(self.lines, lines):
            if self.base > 0 and len(rows) <= self.base + self.y + added + 1:
                self.base -= 1
                added += 1
            else:
                rows.append(BLANK)
        for _ in range(lines, self.lines):
            if len(rows) > self.base + self.y + 1:
                rows.pop()
            else:
                self.base += 1
        self.y = min(self.y, lines - 1) + added
        self.lines = lines

    def set_columns(self, old: int, new: int) -> None:
        """Another width: every line that was or must be wrapped is cut again."""
        out: list[Row] = []  # from the last row to the first
        stop = len(self.rows)
        while stop:
            start = stop - 1
            while start and self.rows[start][2] & CONTINUED:
                start -= 1
            group = self.rows[start:stop]
            holds_cursor = start <= self.base + self.y < stop
            overlong = len(group) > 1 or len(group[0][0].rstrip(EMPTY)) > new
            if overlong and not holds_cursor:
                cut = rewrap(group, old, new)
                out += reversed(cut)
                self._shift(len(cut) - len(group), out)
            else:
                out += [narrowed(row, new) for row in reversed(group)]
            stop = start
        out.reverse()
        self.rows = out
        self.rows += [BLANK] * (self.base + self.lines - len(out))

    def _shift(self, added: int, out: list[Row]) -> None:
        """Keep the screen where it was after a line took more rows, or fewer, than before."""
        for _ in range(added):
            if self.base == 0 and self.y < self.lines - 1:
                self.y += 1
                del out[0]
            else:
                self.base += 1
        for _ in range(-added):
            if self.base:
                self.base -= 1
            elif self.y:
                self.y -= 1


def narrowed(row: Row, columns: int) -> Row:
    """A row cut to a width."""
    cells, attributes, flags = row
    if len(cells) <= columns:
        return row
    return split_wide(cells, columns)[:columns], attributes[:columns], flags


def rewrap(group: list[Row], old: int, new: int) -> list[Row]:
    """The rows of one logical line, cut to another width; no wide character is split."""
    cells, attributes = "", ""
    for (text, styles, _), (following, _, _) in pairwise(group):
        # A wide character that did not fit left the last column empty: it is no part of the line.
        full = old - 1 if len(text) < old and following[1:2] == FILLER else old
        cells += text.ljust(full, EMPTY)[:full]
        attributes += styles.ljust(full, "\0")[:full]
    last, styles, _ = group[-1]
    last = last.rstrip(EMPTY)
    cells, attributes = cells + last, attributes + styles[: len(last)]
    if new < 2:  # no room for a wide character anywhere
        cells = _WIDE.sub(EMPTY * 2, cells)
    rows: list[Row] = []
    start = 0
    while start < len(cells) or not rows:
        stop = start + new
        if cells[stop : stop + 1] == FILLER:
            stop -= 1
        rows.append((cells[start:stop], attributes[start:stop], CONTINUED))
        start = stop
    # A line begins where it began, and ends where it ended.
    rows[0] = (*rows[0][:2], group[0][2] & (CONTINUED | PROMPT))
    ends = 0
    for row in group:
        ends |= row[2] & (COMMAND | OUTPUT)
    rows[-1] = (*rows[-1][:2], rows[-1][2] | ends)
    return rows
