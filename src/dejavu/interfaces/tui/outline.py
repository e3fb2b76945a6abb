"""The rows of a list: days with their conversations, or places that open to show theirs.

No drawing, no clock. A scan is taken in pages, when its end comes near; a place is scanned when it
is opened. `approach` costs O(rows added), finding a row by its line O(log rows), opening a place
O(rows below it).
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, islice
from typing import NamedTuple

from dejavu.model import Conversation

from .archive_reader import Filters, OriginCount
from .formatting import day_of, last_moment

PAGE = 100
_NEAR = 25


class Day(NamedTuple):
    """A heading: when what follows was said."""

    label: str
    depth: int


class ConversationRow(NamedTuple):
    """A conversation."""

    summary: Conversation
    depth: int


class Group(NamedTuple):
    """A place: how many conversations it has, the last moment, and whether it is open."""

    filters: tuple[tuple[str, str], ...]
    name: str
    conversations: int
    newest: float
    depth: int
    opened: bool = False


class More(NamedTuple):
    """The rest of a scan, and the last heading before it."""

    rest: Iterator[Conversation]
    label: str
    depth: int


Row = Day | ConversationRow | Group | More
_LINES = {Day: 1, ConversationRow: 2, Group: 1, More: 0}


class Outline:
    """Rows that grow as one goes through them."""

    def __init__(self, scan: Callable[[Filters], Iterator[Conversation]]) -> None:
        self._scan = scan
        self._origins: Sequence[OriginCount] = ()
        self._now = 0.0
        self.rows: list[Row] = []
        self._tops = [0]

    def by_day(self, filters: Filters, now: float, at_least: int = 0) -> None:
        """Everything that passes `wanted`, under headings of days; `at_least` so many rows."""
        self._now = now
        self.rows = [More(self._scan(filters), "", 0)]
        self.approach(0)
        while self.rows and len(self.rows) < at_least and isinstance(self.rows[-1], More):
            self.approach(len(self.rows))

    def by_origin(
        self, kind: str, filters: Filters, origins: Sequence[OriginCount], now: float
    ) -> None:
        """A closed row for each project, instance or agent (`kind`)."""
        self._now, self._origins = now, origins
        self.rows = list(self._groups(kind, tuple(filters.items()), 0))
        self._measure()

    def _groups(
        self, kind: str, within: tuple[tuple[str, str], ...], depth: int
    ) -> Iterator[Group]:
        groups: dict[str, tuple[int, float]] = {}
        for origin in self._inside(within):
            name: str = getattr(origin, kind)
            count, newest = groups.get(name, (0, 0.0))
            groups[name] = (count + origin.conversations, max(newest, origin.newest))
        for name, (count, newest) in sorted(groups.items(), key=lambda item: -item[1][1]):
            yield Group((*within, (kind, name)), name, count, newest, depth)

    def _inside(self, within: tuple[tuple[str, str], ...]) -> Iterator[OriginCount]:
        for origin in self._origins:
            if all(getattr(origin, kind) == name for kind, name in within):
                yield origin

    def toggle(self, index: int) -> None:
        """Open a closed place, close an open one."""
        row = self.rows[index]
        if not isinstance(row, Group):
            return
        inside: list[Row] = []
        end = index + 1
        if row.opened:
            while end < len(self.rows) and self.rows[end].depth > row.depth:
                end += 1
        else:
            inside = self._children(row)
        opened = Group(
            row.filters, row.name, row.conversations, row.newest, row.depth, not row.opened
        )
        self.rows[index:end] = [opened, *inside]
        self._measure()
        self.approach(index)

    def _children(self, group: Group) -> list[Row]:
        """Its instances, where a project has several; else its conversations."""
        kinds = [kind for kind, _ in group.filters]
        if "project" in kinds and "instance" not in kinds:
            below = list(self._groups("instance", group.filters, group.depth + 1))
            if len(below) > 1:
                return list(below)
        return [More(self._scan(dict(group.filters)), "", group.depth + 1)]

    def parent(self, index: int) -> int | None:
        """The row of the place that a row is below of."""
        depth = self.rows[index].depth
        above = (at for at in range(index - 1, -1, -1) if self.rows[at].depth < depth)
        return next(above, None)

    def approach(self, index: int) -> bool:
        """Take another page of every scan that continues near `index`; whether there was one."""
        at, grown = max(0, index - 1), False
        while at < min(index + _NEAR, len(self.rows)):
            row = self.rows[at]
            if isinstance(row, More):
                self.rows[at : at + 1] = self._page(row)
                grown = True
            at += 1
        if grown:
            self._measure()
        return grown

    def _page(self, more: More) -> list[Row]:
        rows: list[Row] = []
        label, page = more.label, list(islice(more.rest, PAGE))
        for summary in page:
            day = day_of(last_moment(summary), self._now)
            if day != label:
                rows.append(Day(day, more.depth))
                label = day
            rows.append(ConversationRow(summary, more.depth))
        if len(page) == PAGE:
            rows.append(More(more.rest, label, more.depth))
        return rows

    def _measure(self) -> None:
        self._tops = [0, *accumulate(_LINES[type(row)] for row in self.rows)]

    def top(self, index: int) -> int:
        """The first line of a row; of the row after the last: all lines there are."""
        return self._tops[min(index, len(self.rows))]

    def at(self, line: int) -> int:
        """The row that a line is of."""
        return bisect_right(self._tops, line) - 1

    def find(self, conversation: str) -> int | None:
        """The first row of a conversation, as far as rows are known."""
        for at, row in enumerate(self.rows):
            if isinstance(row, ConversationRow) and row.summary.id == conversation:
                return at
        return None

    def total(self) -> tuple[int, bool]:
        """Conversations shown, and whether more may follow."""
        count = sum(isinstance(row, ConversationRow) for row in self.rows)
        return count, any(isinstance(row, More) for row in self.rows)
