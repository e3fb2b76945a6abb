"""Another size."""

from .row import BLANK
from .strings import Strings


class Resizing(Strings):
    """Resizing."""

    __slots__ = ()

    def resize(self, columns: int, lines: int) -> None:
        for screen in (self.main, self.alternate):
            rows = screen.rows
            del rows[lines:]
            rows += [BLANK] * (lines - len(rows))
            screen.top, screen.bottom = 0, lines - 1
        self.columns, self.lines = columns, lines
        self.x = min(self.x, columns - 1)
        self.y = min(self.y, lines - 1)
        self.enter(self.screen)
