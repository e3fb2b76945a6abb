"""Where the text of a row is: inside frames and borders, behind line numbers and signs.

No I/O. Cost: linear in the cells.

Tested in: tests/redact/test_row_readings.py
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["EDGE", "Content", "contents", "unframed"]

# Box drawing and block elements frame text and are never part of a secret.
_FRAME = re.compile("[\u2500-\u259f\u239b-\u23bf\u2016\u2551\xa6]")
_BAR = re.compile(r"[|;,:!]")
_GUTTER = re.compile(
    r"\s*(?:\d{1,7}[:.)]?(?:\s+|$))?(?:\d{1,7}\s+(?=\s|[-+<>]\s))?"
    r"(?:(?:[-+<>*~!#:;%?]|[^\w\s\x21-\x7e]){1,3}(?:\s+|$)|//+\s|(?:--|REM)\s)?\s*"
)
_NUMBERED_LINE = re.compile(r"\s*\d{1,7}[:.)]?(?:\s|$)")
EDGE = "\x1f"
"""What frames become: white space to everything, and an edge to cells."""


class Content(NamedTuple):
    """Where the text of one row is: behind blanks, frame and gutter, up to frame and blanks."""

    start: int
    end: int


def unframed(rows: Sequence[str]) -> list[str]:
    """Return the rows with edges for frames: a bar between cells is one where others line up."""
    bare = [_FRAME.sub(EDGE, row) for row in rows]
    for number, row in enumerate(rows):
        if _BAR.search(row) is not None:
            letters = list(bare[number])
            for bar in _BAR.finditer(row):
                if _is_edge(rows, number, bar.start()):
                    letters[bar.start()] = EDGE
            bare[number] = "".join(letters)
    return bare


def _is_edge(rows: Sequence[str], number: int, at: int) -> bool:
    """Whether the bar at `at` of a row parts cells: next to a blank, or as bars do next to it."""
    row = rows[number]
    near = [rows[other] for other in (number - 1, number + 1) if 0 <= other < len(rows)]
    is_bar = row[at] == "|"
    if not is_bar and row[at] not in [other[at : at + 1] for other in near]:
        return False
    beside_blank = not row[max(at - 1, 0) : at].strip() or not row[at + 1 : at + 2].strip()
    if beside_blank or not is_bar:
        return beside_blank
    bars = row.count("|")
    return any(
        other[at : at + 1] in ("|", "+") or (bars > 1 and other.count("|") == bars)
        for other in near
    )


def contents(bare: Sequence[str]) -> list[Content]:
    """Return where the text of each row is; `bare`: rows without their frame.

    A number alone is a line's only where lines are numbered, else it may be the end of something.
    """
    found: list[Content] = []
    is_numbered = False
    for row in bare:
        end, gutter = len(row.rstrip()), _GUTTER.match(row)
        start = min(gutter.end(), end) if gutter else 0
        text = row[:end].lstrip()
        if start == end and text.isdecimal() and not is_numbered:
            start = end - len(text)
        elif text:
            is_numbered = _NUMBERED_LINE.match(row) is not None
        found.append(Content(start, end))
    return found
