"""A text made of runs of screen rows, which knows the place of each of its characters.

No I/O. Cost: appending is O(1) a run, looking up a finding O(log runs + rows it covers).
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

__all__ = ["NO_JOINTS", "Evidence", "JoinedText", "Joints", "LineText", "PartText", "Span"]


class Span(NamedTuple):
    """A run of characters in one row: `row`, and `start` to `end` in its text."""

    row: int
    start: int
    end: int


class Evidence(IntEnum):
    """What says that the row below a joint continues the one above."""

    NONE = 0
    LIKELY = 1  # the row is full, or breaks where programs break words
    CERTAIN = 2  # the terminal itself wrapped


class Joints(NamedTuple):
    """Where rows were joined without a blank: offsets in order, and the evidence for each."""

    offsets: Sequence[int] = ()
    evidence: Sequence[Evidence] = ()

    def within(self, base: int, length: int) -> "Joints":
        """Return the joints inside a piece of the text, as offsets from its start."""
        if not self.offsets:
            return NO_JOINTS
        low, high = bisect_right(self.offsets, base), bisect_left(self.offsets, base + length)
        return Joints([at - base for at in self.offsets[low:high]], self.evidence[low:high])

    def moved(self, offsets: Sequence[int]) -> "Joints":
        """Return the joints in a text that holds only the characters at `offsets` of this one."""
        return Joints([bisect_left(offsets, at) for at in self.offsets], self.evidence)


NO_JOINTS = Joints()


class JoinedText:
    """A text made of runs of rows that maps back to them."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._whole: str | None = None
        self._starts: list[int] = []
        self._runs: list[Span] = []
        self._length = 0
        self._offsets: list[int] = []
        self._evidence: list[Evidence] = []

    def add(
        self, run: Span, text: str, separator: str = "\n", evidence: Evidence = Evidence.NONE
    ) -> None:
        """Append a run behind the one before; `evidence` counts where `separator` is empty."""
        self._whole = None
        if self._runs and separator:
            self._parts.append(separator)
            self._length += len(separator)
        elif self._runs:
            self._offsets.append(self._length)
            self._evidence.append(evidence)
        self._starts.append(self._length)
        self._runs.append(run)
        self._parts.append(text)
        self._length += len(text)

    @property
    def joints(self) -> Joints:
        """Where runs were joined."""
        return Joints(self._offsets, self._evidence) if self._offsets else NO_JOINTS

    @property
    def text(self) -> str:
        """All runs, joined or apart."""
        if self._whole is None:  # it is read more than once
            self._whole = "".join(self._parts)
        return self._whole

    def spans(self, start: int, end: int) -> list[Span]:
        """Return where the characters `[start, end)` of the text stand, row by row."""
        spans: list[Span] = []
        index = max(bisect_right(self._starts, start) - 1, 0)
        while index < len(self._runs) and self._starts[index] < end:
            run, offset = self._runs[index], self._starts[index]
            left = run.start + max(start - offset, 0)
            right = min(run.start + end - offset, run.end)
            if left < right:
                spans.append(Span(run.row, left, right))
            index += 1
        return spans


class LineText(JoinedText):
    """A text made of lines, each of which the terminal had broken over rows."""

    def __init__(
        self, text: JoinedText, lines: Sequence[Sequence[Span]], lengths: Sequence[int]
    ) -> None:
        """`lines`: of every line the rows it covers, end to end, with the blanks they ended with.

        lengths: of every row without those.
        """
        super().__init__()
        self._of_lines, self._lines, self._lengths = text, lines, lengths

    @property
    def joints(self) -> Joints:
        """Where lines were joined."""
        return self._of_lines.joints

    @property
    def text(self) -> str:
        """All runs, joined or apart."""
        return self._of_lines.text

    def spans(self, start: int, end: int) -> list[Span]:
        """Return where characters of the text stand, row by row of the screen."""
        spans: list[Span] = []
        for span in self._of_lines.spans(start, end):
            offset = 0
            for row in self._lines[span.row]:
                width = row.end - row.start
                left = max(span.start - offset, 0)
                right = min(span.end - offset, width, self._lengths[row.row])
                if left < right:
                    spans.append(Span(row.row, left, right))
                offset += width
        return spans


class PartText(JoinedText):
    """A text made of some of the rows, from row `first` on."""

    def __init__(self, text: JoinedText, first: int) -> None:
        super().__init__()
        self._of_part, self._first = text, first

    @property
    def joints(self) -> Joints:
        """Where rows were joined."""
        return self._of_part.joints

    @property
    def text(self) -> str:
        """All runs, joined or apart."""
        return self._of_part.text

    def spans(self, start: int, end: int) -> list[Span]:
        """Return where characters of the text stand, row by row of the screen."""
        return [
            span._replace(row=span.row + self._first) for span in self._of_part.spans(start, end)
        ]
