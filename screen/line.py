"""A line that left the screen, and the logical lines behind soft-wrapped ones.

A line holds its row and the tables it was drawn with; text and runs are made when asked for.
"""

from collections.abc import Iterable, Iterator

from .attributes import Palette
from .row import CONTINUED, EMPTY, Clusters, Row, Run, marks_of, runs


class Line:
    """One line of history. `str(line)` is its text, without the cells that were never written.

    `wrapped`: the next line continues this one (a soft wrap, no newline between them).
    """

    __slots__ = ("_clusters", "_palette", "_row", "wrapped")

    def __init__(self, row: Row, wrapped: bool, palette: Palette, clusters: Clusters) -> None:
        self._row, self.wrapped = row, wrapped
        self._palette, self._clusters = palette, clusters

    def __str__(self) -> str:
        return self._clusters.text(self._row[0].rstrip(EMPTY))

    def __repr__(self) -> str:
        return f"<Line {str(self)!r}{' wrapped' if self.wrapped else ''}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Line):
            return NotImplemented
        return (str(self), self.wrapped, self.runs()) == (str(other), other.wrapped, other.runs())

    def __hash__(self) -> int:
        return hash((str(self), self.wrapped))

    @property
    def marks(self) -> str:
        """The prompt marks (OSC 133) set on the line, as letters: A begins a prompt or message."""
        return marks_of(self._row)

    def runs(self) -> tuple[Run, ...]:
        """Its styled stretches, in columns; the plain ones are left out."""
        return runs(self._row[1], self._palette)


def lines_of(
    rows: Iterable[Row], below: Row, palette: Palette, clusters: Clusters
) -> Iterator[Line]:
    """Rows as lines; `below` is the row under the last of them."""
    rows = iter(rows)
    row = next(rows, None)
    while row is not None:
        following = next(rows, None)
        wrapped = bool((following or below)[2] & CONTINUED)
        yield Line(row, wrapped, palette, clusters)
        row = following


def unwrap(lines: Iterable[Line]) -> Iterator[str]:
    """The logical lines: text joined across soft wraps."""
    parts: list[str] = []
    for line in lines:
        parts.append(str(line))
        if not line.wrapped:
            yield "".join(parts)
            parts.clear()
    if parts:
        yield "".join(parts)
