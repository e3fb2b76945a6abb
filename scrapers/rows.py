"""Rows of a transcript, and their text without blanks, which is the same however they are wrapped.

Cost: O(characters).

`width` is what a text covers in terminal cells, as `wcwidth` measures it: ASCII, nearly all text,
costs one length; the rest is cached.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from wcwidth import wcswidth, wcwidth

from dejavu.screen import Run, Style


def width(text: str) -> int:
    """Return the cells `text` covers; a control character counts as none."""
    return len(text) if text.isascii() else _wide_width(text)


def is_wide(character: str) -> bool:
    """Whether a character covers two cells (CJK, most emoji): such text wraps without blanks."""
    return not character.isascii() and wcwidth(character) == 2


@lru_cache(maxsize=4096)
def _wide_width(text: str) -> int:
    cells = wcswidth(text)
    return cells if cells >= 0 else sum(max(wcwidth(character), 0) for character in text)


_PLAIN = Style()
# Cells at the edge that a wrapped row may leave empty: a blank and half a wide character.
_EDGE = 2
_WORD = re.compile(r"[^\W_]")
# The least share of letters and digits in a row that is words, not the line of a box.
_MIN_LETTERS = 0.4


@dataclass(slots=True, eq=False)
class Row:
    """One row: its text, whether the terminal soft-wrapped it, the width it was drawn for, styles.

    `at` is when it was first seen. `folded` are rows that the agent collapsed: those a fold
    replaced, or that followed this row. `joined`: the next row continues it without a blank (a
    resize cut it). `repeated`: it is above already, on an earlier page. `cut_above` and
    `cut_below`: rows before or behind it went by unseen; `suspect`: part of it may have, too.
    `above` and `below` are the texts of the rows it was seen between; None: none there, or unknown.
    `mark` are the letters of the prompt marks (OSC 133) on it: agents that set them begin a message
    with A and end it with B and C.
    """

    text: str
    wrapped: bool
    width: int
    runs: tuple[Run, ...] = ()
    at: float = 0.0
    folded: tuple["Row", ...] = ()
    joined: bool = False
    repeated: bool = False

    @property
    def has_words(self) -> bool:
        """Whether it is more than blanks and the lines of a box."""
        return _WORD.search(self.text) is not None

    @property
    def is_soft_wrapped(self) -> bool:
        """Whether the terminal wrapped the row's words, not just the blanks it was padded with."""
        return self.wrapped and width(self.text) >= self.width - _EDGE

    cut_above: bool = False
    cut_below: bool = False
    suspect: bool = False
    above: str | None = None
    below: str | None = None
    linked: bool = False
    mark: str = ""

    @property
    def opens(self) -> bool:
        """Whether the agent marked it as the first row of a message."""
        return "A" in self.mark

    @property
    def ends(self) -> bool:
        """Whether the agent marked it as the last row of a message."""
        return "B" in self.mark or "C" in self.mark

    def style_at(self, column: int) -> Style:
        """Return the style of one cell."""
        for run in self.runs:
            if run.start <= column < run.end:
                return run.style
        return _PLAIN


def nonblank_text(rows: Sequence[Row]) -> tuple[str, list[int]]:
    """Return the rows' text without blanks, and the offset where each row starts in it."""
    parts: list[str] = []
    starts: list[int] = []
    length = 0
    for row in rows:
        starts.append(length)
        part = "".join(row.text.split())
        parts.append(part)
        length += len(part)
    return "".join(parts), starts


def letters(text: str) -> str:
    """Return the letters and digits of a text."""
    return "".join(filter(str.isalnum, text))


def has_text(text: str) -> bool:
    """Whether a text is words rather than the lines of a box, which are alike everywhere."""
    return sum(map(str.isalnum, text)) >= len(text) * _MIN_LETTERS


def split_row(row: Row, count: int) -> tuple[Row, Row]:
    """Split a row behind its `count`-th character that is not blank."""
    index = 0
    while count and index < len(row.text):
        count -= not row.text[index].isspace()
        index += 1
    first = replace(row, text=row.text[:index].rstrip(), wrapped=False, joined=True)
    return first, replace(row, text=row.text[index:], runs=(), folded=())


def mark_cut(above: Sequence[Row], below: Sequence[Row]) -> None:
    """Note at the rows with text around a gap that they may begin or end inside something."""
    for row in reversed(above):
        if row.has_words:
            row.cut_below = True
            break
    for row in below:
        if row.has_words:
            row.cut_above = True
            break


def link_rows(rows: Sequence[Row]) -> None:
    """Note at rows that are seen together the neighbours of each."""
    last: Row | None = None
    for row in rows:
        if not row.has_words:
            continue
        row.linked = True
        if last is not None:
            last.below, row.above = row.text, last.text
        last = row


def were_adjacent(above: Row, below: Row) -> bool:
    """Whether two rows that follow each other in a transcript were seen so, and never otherwise.

    An agent that draws over its own rows leaves some next to each other that never belonged
    together. A row that was still growing is the same one.
    """
    if above.joined or above.wrapped or not (above.linked and below.linked):
        return True
    if above.below is None or below.above is None:
        return above.below == below.text or below.above == above.text
    return below.text.startswith(above.below) and above.text.startswith(below.above)


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

    def above(self, buffered: Sequence[Row], top: int) -> Row | None:
        """Return the row that will stand above the change's row `top`."""
        return self.rows[top - 1] if top else buffered[self.start - 1] if self.start else None
