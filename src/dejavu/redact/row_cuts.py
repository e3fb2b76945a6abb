"""Where rows show that something is missing: signs for left-out rows, cut edges, chopped words.

Whether a piece of a secret is left there is not judged here (`cut_runs.py`). No I/O. Cost: linear in
the rows.

Tested in: tests/redact/test_cut_runs.py
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .program_cuts import is_chopped
from .row_frames import Content

__all__ = ["RowFacts", "chopped_rows", "is_boxed", "is_fold", "is_full"]

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
_BRACKET_ROWS = 3  # over which a bracket is broken
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
        if is_chopped(rows[number], start, "".join(above)):
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
