"""What one `feed` did: immutable, and made lazily, so that who looks at nothing pays little.

`rows` are the rows that differ from before, `scrolled` the lines that went to history, in order
(the newest 131,072 of one feed), and `events` what the program said besides drawing.
"""

from .attributes import Palette
from .clusters import Clusters
from .events import Event
from .line import Line, lines_of
from .row import Row


class Changes:
    """An immutable set of changes."""

    __slots__ = (
        "_clusters",
        "_events",
        "_next_row",
        "_palette",
        "_rows",
        "_scrolled",
        "_scrolled_rows",
    )

    def __init__(
        self,
        rows: tuple[int, ...],
        events: tuple[Event, ...],
        left: list[Row],
        below: Row,
        palette: Palette,
        clusters: Clusters,
    ) -> None:
        self._rows, self._events = rows, events
        self._scrolled_rows, self._next_row = left, below
        self._palette, self._clusters = palette, clusters
        self._scrolled: tuple[Line, ...] | None = None if left else ()

    @property
    def rows(self) -> tuple[int, ...]:
        """Indices of the rows that differ from before."""
        return self._rows

    @property
    def events(self) -> tuple[Event, ...]:
        """What the program said besides drawing, in order."""
        return self._events

    @property
    def scrolled(self) -> tuple[Line, ...]:
        """The lines that left the top of the main screen, oldest first."""
        if self._scrolled is None:
            lines = lines_of(self._scrolled_rows, self._next_row, self._palette, self._clusters)
            self._scrolled = tuple(lines)
        return self._scrolled

    def __repr__(self) -> str:
        return (
            f"<Changes rows={self.rows} scrolled={len(self._scrolled_rows)} events={self.events}>"
        )
