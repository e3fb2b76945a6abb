"""What one `feed` did: immutable, and made lazily, so that what is not read costs little.

`rows` are the rows that differ from before, `scrolled` the lines that went to history, in order
(the newest 131,072 of one feed), and `events` what the program told its terminal besides drawing:
frozen values, told apart by class.
"""

from dataclasses import dataclass, field

from .attributes import Palette
from .line import Line, lines_of
from .program_status import ProgramStatus
from .row import Clusters, Row


@dataclass(frozen=True, slots=True)
class Title:
    """OSC 0 or 2: the window's title."""

    text: str


@dataclass(frozen=True, slots=True)
class Bell:
    """BEL."""


@dataclass(frozen=True, slots=True)
class Progress:
    """OSC 9;4: state 0 none, 1 normal, 2 error, 3 indeterminate, 4 paused; value in percent."""

    state: int
    value: int


@dataclass(frozen=True, slots=True)
class PromptMark:
    """OSC 133: A prompt, B command line, C output, D end (detail then begins with the status)."""

    kind: str
    detail: str


@dataclass(frozen=True, slots=True)
class Notification:
    """OSC 9, 99 or 777;notify: a message for the desktop (`title: body` where both are given)."""

    text: str


@dataclass(frozen=True, slots=True)
class AgentStatus:
    """OSC 26 (a proposal) or 9999 (Orca's): the state of a coding agent in its own words.

    "" where it gives none.
    """

    status: str
    agent: str = ""
    session: str = ""
    detail: str = ""
    progress: str = ""


@dataclass(frozen=True, slots=True)
class Cleared:
    """The screen or the history was wiped (ED 2, ED 3, RIS): frames do not align across it.

    `wiped`: where the history was, how many lines of this feed's `scrolled` went with it.
    """

    wiped: int | None = field(default=None, compare=False)


Event = Title | Bell | Progress | PromptMark | Notification | AgentStatus | ProgramStatus | Cleared


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
