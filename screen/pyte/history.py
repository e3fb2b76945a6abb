"""pyte's `HistoryScreen`: lines that left the screen, and pages of them shown again.

`history.top` is the grid's own history: what left the top of the main screen. Paging moves rows
between it, the screen and `history.bottom`; the first event that follows goes back to the end.
Cost: a page O(lines); nothing while no page is shown.

Tested in: tests/screen/test_pyte.py
"""

import math
from collections import deque
from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

from ..reflow import narrowed
from ..row import Row
from .buffer import HistoryLines
from .events import Screen
from .streams import Stream

_PAGING = ("prev_page", "next_page")


class History(NamedTuple):
    """Lines above and below what is shown, the part of a screen a page has, size and position."""

    top: HistoryLines
    bottom: HistoryLines
    ratio: float
    size: int
    position: int


class HistoryScreen(Screen):
    """A screen that keeps `history` lines; see `pyte.HistoryScreen`.

    A row counts as history when it leaves the top of the main screen (pyte: of any scroll region).
    """

    def __init__(self, columns: int, lines: int, history: int = 100, ratio: float = 0.5) -> None:
        self._make(columns, lines, history)
        self._bottom: deque[Row] = deque(maxlen=history)
        self._ratio, self._size = float(ratio), history
        self._position = history

    @property
    def history(self) -> History:
        """The two queues and the position of the page shown."""
        return History(
            HistoryLines(self, self.grid.history),
            HistoryLines(self, self._bottom),
            self._ratio,
            self._size,
            self._position,
        )

    @property
    def paged_back(self) -> bool:  # type: ignore[override]
        """Whether older lines are shown."""
        return self._position < self._size

    def interpret(self, text: str) -> None:
        """What a stream does, at the end of the history."""
        self.before_event("draw")
        super().interpret(text)

    def before_event(self, event: str) -> None:
        """Go back to the end of the history before anything but paging."""
        if event not in _PAGING:
            while self.paged_back:
                self._next_page()

    def after_event(self, event: str) -> None:
        """Called after every event method; does nothing, to be overridden."""

    def _reset_history(self) -> None:
        self.grid.history.clear()
        self._bottom.clear()
        self._position = self._size

    def reset(self) -> None:
        """RIS; the history goes too."""
        super().reset()
        self._reset_history()

    def erase_in_display(self, how: int = 0, *args: Any, **kwargs: Any) -> None:
        """ED; 3 erases the screen and the history."""
        super().erase_in_display(how, *args, **kwargs)
        if how == 3:
            self._reset_history()

    def reverse_index(self) -> None:
        """RI; the row pushed off the bottom goes to `history.bottom`."""
        if self.grid.y == self.grid.top:
            self._bottom.append(self.grid.rows[self.grid.bottom])
        super().reverse_index()

    def prev_page(self) -> None:
        """Show a page of older lines."""
        grid, top = self.grid, self.grid.history
        if grid.screen is not grid.main or self._position <= self.lines or not top:
            return
        count = min(len(top), math.ceil(self.lines * self._ratio))
        older = [narrowed(top.pop(), self.columns) for _ in range(count)]
        self._bottom.extendleft(reversed(grid.rows[-count:]))
        grid.rows[:] = [*reversed(older), *grid.rows[:-count]]
        self._position -= count
        self.dirty.update(range(self.lines))

    def next_page(self) -> None:
        """Show a page of newer lines."""
        self._next_page()

    def _next_page(self) -> None:
        if not self.paged_back or not self._bottom:
            self._position = self._size
            return
        count = min(len(self._bottom), math.ceil(self.lines * self._ratio))
        rows = self.grid.rows
        self.grid.history.extend(rows[:count])
        newer = [narrowed(self._bottom.popleft(), self.columns) for _ in range(count)]
        rows[:] = [*rows[count:], *newer]
        self._position += count
        self.dirty.update(range(self.lines))


def _with_events(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """An event method between `before_event` and `after_event`."""

    @wraps(method)
    def event(self: HistoryScreen, *args: Any, **kwargs: Any) -> Any:
        self.before_event(name)
        result = method(self, *args, **kwargs)
        self.after_event(name)
        return result

    return event


for _name in (*Stream.events, *_PAGING):
    setattr(HistoryScreen, _name, _with_events(_name, getattr(HistoryScreen, _name)))
