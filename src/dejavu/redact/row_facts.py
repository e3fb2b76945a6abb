"""What is known of the rows of a block: which are full, folded, chopped, or of a dump.

No I/O. Cost: linear in the rows.

Tested in: tests/redact/test_cut_runs.py
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from .dumped_bytes import is_dump_row
from .program_cuts import is_chopped
from .row_frames import Content, contents, unframed

__all__ = ["RowFacts", "Rows", "is_boxed", "is_fold"]

_DIGITS = re.compile("[0-9]+")
_BYTES = re.compile(r"[^\w]{0,12}[0-9a-fA-F]{2,16}[ :|`-]{1,4}(?:[0-9a-fA-F]{2,8}[ -]{1,3}){4}")
_SHOWN = re.compile(r"(?:[0-9a-f]{2,4} {1,2}){0,8}[|].{1,32}[|]")
"""The last bytes of a row, and all of them as characters."""
_NEAR = (-3, -2, -1, 1, 2, 3)  # columns next to an edge, at which fewer rows end
_DOLLAR_NAME = re.compile(
    r"\$(?:s[0-9]{1,3}[A-Z]|[A-Z]{4,6},)"
)  # symbols of Swift, sentences of NMEA
_FOLD = re.compile(
    r"^[^\w]*(?:…|\.{3}|⋯|\[|\(|\+|-{2,}|▸|▶|✂)?.{0,24}?"
    r"(?:\b\d+ (?:more |hidden |earlier |previous )?(?:lines?|rows?|chars?|characters?|bytes)\b"
    r"|\+\d+ lines?\b|\b(?:truncated|omitted|snipp?ed|hidden|collapsed)\b)",
    re.IGNORECASE,
)
_FOLD_WORDS = (
    "line", "row", "char", "bytes", "truncated", "omitted", "snip", "hidden", "collapsed",
)  # fmt: skip
_FOLD_LENGTH = 100  # a row in the place of others is short
_BRACKET_ROWS = 6  # over which a bracket is broken
_MARGIN = 10  # columns that agents leave free at the right, or fill with borders and indents
_BORDER = 3  # columns of a border at the right, with the blank before it


@dataclass(frozen=True, slots=True)
class RowFacts:
    """What is known of a block's rows.

    cut_above, cut_below: rows before the first or behind the last were never seen. suspect: per row,
    whether something inside it or at its end may be missing. ends: per row, whether its block ends
    there. widths: per row, the columns it was drawn for.
    """

    cut_above: bool = False
    cut_below: bool = False
    suspect: Sequence[bool] = ()
    ends: Sequence[bool] = ()
    widths: Sequence[int] = ()


def chopped_rows(rows: Sequence[str], bare: Sequence[str], texts: Sequence[Content]) -> set[int]:
    """Return the rows that show a part of a longer line."""
    found = set[int]()
    above: list[str] = []  # the text of the rows right above
    for number, (start, end) in enumerate(texts):
        if start == end:
            continue
        is_name = _DOLLAR_NAME.match(rows[number], start) is not None
        if not is_name and is_chopped(rows[number], start, "".join(above)):
            found.add(number)
        above = [*above[1 - _BRACKET_ROWS :], bare[number][start:end]]
    return found


def is_boxed(row: str, content: Content) -> bool:
    """Whether the text of a row has a border on both sides."""
    return bool(row[: content.start].strip()) and bool(row[content.end :].strip())


def is_full(row: str, content: Content, columns: int) -> bool:
    """Whether the text of a row goes up to the width, or to the border of a box."""
    end = len(row.rstrip())
    return content.end + _MARGIN >= columns or content.end < end <= content.end + _BORDER


def is_fold(row: str) -> bool:
    """Whether a row says how many others it has taken the place of."""
    if len(row) > _FOLD_LENGTH:
        return False
    lower = row.lower()
    return any(word in lower for word in _FOLD_WORDS) and _FOLD.match(row) is not None


class Rows:
    """Rows without their frame, and what is known of each."""

    def __init__(self, rows: Sequence[str], facts: RowFacts) -> None:
        self.rows, self.facts = rows, facts
        self.bare = bare = unframed(rows)
        self.texts = texts = contents(bare)
        self.filled = [number for number, (start, end) in enumerate(texts) if start < end]
        self.is_full = [*map(is_full, rows, texts, facts.widths)]
        self._without_tables()
        self.doubtful = self._marked(facts.suspect) | chopped_rows(rows, bare, texts)
        self.last_rows = self._marked(facts.ends)
        self.wrapping = set[int]()
        self._without_short()
        self.dumped = self._dumped()

    def _without_tables(self) -> None:
        """A row is not full for a border that no row next to it has: it is the last of its cells."""
        ends = {number: len(self.rows[number].rstrip()) for number in self.filled}
        for place, number in enumerate(self.filled):
            end, width = ends[number], self.facts.widths[number]
            if not self.is_full[number] or end >= width - 1 or self.texts[number].end >= end:
                continue
            near = self.filled[max(0, place - 1) : place] + self.filled[place + 1 : place + 2]
            neighbours = [other for other in near if self.texts[other].end < ends[other]]
            if neighbours and all(ends[other] != end for other in neighbours):
                self.is_full[number] = False

    def _without_short(self) -> None:
        """A row is not full where another of its block goes further: a program breaks at one edge.

        A box in it has another edge, at which rows of more than one kind end.
        """
        block: list[int] = []
        for number in self.filled:
            block.append(number)
            if number not in self.last_rows and number != self.filled[-1]:
                continue
            widths = self.facts.widths
            edge = max(
                (self.texts[one].end for one in block if self.texts[one].end <= widths[one]),
                default=0,
            )
            if any(self._goes_on_below(*pair) for pair in pairwise(block)):
                self.wrapping.update(block)
            ends: dict[int, list[int]] = {}
            for one in block:
                ends.setdefault(self.texts[one].end, []).append(one)
            for end, ending in ends.items():
                near = sum(len(ends.get(end + by, ())) for by in _NEAR if end + by < edge - 1)
                if end >= edge - 1 or (len(ending) > max(near, 1) and self._differ(ending)):
                    continue
                for one in ending:
                    if not is_boxed(self.rows[one], self.texts[one]):
                        self.is_full[one] = False
            block = []

    def _goes_on_below(self, above: int, below: int) -> bool:
        """Whether a row has a line's number and the next one has none: the program wraps, and cuts nothing."""
        gutters = (self.rows[number][: self.texts[number].start] for number in (above, below))
        one, other = (any(map(str.isdigit, gutter)) for gutter in gutters)
        return one and not other and self.texts[below].start >= self.texts[above].start - 1

    def _differ(self, numbers: Sequence[int]) -> bool:
        """Whether rows begin with more than one word: records of one kind have one length."""
        words = {
            _DIGITS.sub("0", self.bare[number][slice(*self.texts[number])].split(maxsplit=1)[0])
            for number in numbers
        }
        return len(words) > 1

    def _marked(self, flags: Sequence[bool]) -> set[int]:
        return {number for number in self.filled if number < len(flags) and flags[number]}

    def _dumped(self) -> set[int]:
        """Return the rows of a dump, the bytes of which have been read; also those it was broken into."""
        texts = {number: self.rows[number][self.texts[number].start :] for number in self.filled}
        found = {number for number, text in texts.items() if is_dump_row(text)}
        for above, below in pairwise(self.filled):
            if below in found or _BYTES.match(texts[above]) is None:
                continue
            if _SHOWN.fullmatch(self.rows[below].strip()) is not None:
                found.update((above, below))
            elif self.is_full[above]:
                text = self.rows[above].ljust(self.facts.widths[above])[self.texts[above].start :]
                if is_dump_row(text + self.rows[below]):
                    found.update((above, below))
        return found
