"""Rows that take the place of others in a transcript's buffer."""

from collections.abc import Sequence
from dataclasses import dataclass

from .rows import Row


@dataclass(frozen=True, slots=True)
class RowChange:
    """Rows that replace those in `[start, end)` of the buffer."""

    start: int
    end: int
    rows: Sequence[Row]

    def split_row(self, buffered: list[Row]) -> "RowChange":
        """Return the change without the rows at its start that stay the same."""
        same, most = 0, min(self.end - self.start, len(self.rows))
        while same < most and buffered[self.start + same].text == self.rows[same].text:
            same += 1
        return RowChange(self.start + same, self.end, self.rows[same:])

    def above(self, buffered: list[Row], top: int) -> Row | None:
        """Return the row that will stand above the change's row `top`."""
        return self.rows[top - 1] if top else buffered[self.start - 1] if self.start else None
