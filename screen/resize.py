"""Another size: the main screen and history reflow, the alternate screen is cut or filled.

Cursor, margins and tab stops follow. Cost: O(cells of history).
"""

from collections import deque

from .osc import StringSequences
from .reflow import Layout, narrowed
from .row import Row
from .state import TAB_WIDTH, Screen


class Resize(StringSequences):
    """The one verb that changes the size."""

    __slots__ = ()

    def resize(self, columns: int, lines: int) -> None:
        """Another size. Programs repaint what they own; this keeps what they do not."""
        self.frame = None
        old_columns = self.columns
        self.screen.y = self.y
        for screen in (self.main, self.alternate):
            self._fit(screen, columns, lines)
        self.columns, self.lines = columns, lines
        self.activate(self.screen)
        self.x, self.y = min(self.x, columns - 1), self.screen.y
        self.tabs = {stop for stop in self.tabs if stop < columns}
        self.tabs.update(s for s in range(0, columns, TAB_WIDTH) if s >= old_columns)

    def _fit(self, screen: Screen, columns: int, lines: int) -> None:
        """One screen, under the new size."""
        history = self.history if screen is self.main else deque[Row](maxlen=0)
        layout = Layout([*history, *screen.rows], len(history), screen.y)
        layout.set_lines(lines)
        if columns != self.columns and screen is self.main:
            layout.set_columns(self.columns, columns)
        rows = [narrowed(row, columns) for row in layout.rows]
        if screen is self.main:
            history.clear()
            history.extend(rows[: layout.base])
        screen.rows[:] = rows[layout.base : layout.base + lines]
        screen.y = layout.y
        screen.top, screen.bottom = 0, lines - 1
        screen.saved.x = min(screen.saved.x, columns - 1)
        screen.saved.y = min(screen.saved.y, lines - 1)
