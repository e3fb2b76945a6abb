"""Where the text of a row is: inside frames and borders, behind line numbers and signs.

No I/O. Cost: linear in the cells.

Tested in: tests/redact/test_row_readings.py
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from .joined_text import Evidence, JoinedText, Span

__all__ = ["EDGE", "Content", "cells", "cells_between_edges", "contents", "unframed"]

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


_CELL = re.compile(r"\S(?:[^\x1f]*?\S)??(?=\s{2,}|[\t\x1f]|\s*$)")
_BETWEENEDGES = re.compile(r"\S(?:[^\x1f]*[^\s\x1f])?")  # a cell whose text has wide gaps itself
_CELL_LEAD = re.compile(r"(?:[0-9]{1,6}|\.{2,3}|…)[ \t]+(?=\S)")  # `17 key = 1`, `.. and the rest`
_BLANK_ROWS = 2  # rows without text between two rows of a table


def cells(rows: Sequence[str], bare: Sequence[str]) -> JoinedText:
    """Return cells that begin, or end, in the same column on rows one below the other."""
    columns: list[list[Span]] = []
    open_: dict[tuple[str, int], list[Span]] = {}
    blank = 0
    for number, row in enumerate(bare):
        cells = [Span(number, *cell.span()) for cell in _CELL.finditer(row)]
        blank = 0 if cells else blank + 1
        if not cells and blank <= _BLANK_ROWS:
            continue
        below: dict[tuple[str, int], list[Span]] = {}
        for cell in cells:
            nth = (f"{row.count(EDGE)} edges", row.count(EDGE, 0, cell.start))
            column = (
                open_.get(("start", cell.start)) or open_.get(("end", cell.end)) or open_.get(nth)
            )
            if column is None:
                columns.append(column := [])
            column.append(cell)
            below["start", cell.start] = below["end", cell.end] = column
            if EDGE in row:
                below[nth] = column
        # A column that has no cell in this row may go on below it, unless another is there.
        open_ = {
            **{at: open_[at] for at in open_ if cells and not row[at[1] : at[1] + 1].strip()},
            **below,
        }
    return _joined_cells(rows, bare, columns)


def cells_between_edges(rows: Sequence[str], bare: Sequence[str]) -> JoinedText:
    """Return what is between the same two edges on rows one below the other, gaps and all."""
    columns: list[list[Span]] = []
    open_: dict[int, list[Span]] = {}
    for number, row in enumerate(bare):
        if EDGE not in row:
            open_ = {} if row.strip() else open_
            continue
        for cell in _BETWEENEDGES.finditer(row):
            nth = row.count(EDGE, 0, cell.start())
            if nth not in open_:
                columns.append(open_.setdefault(nth, []))
            open_[nth].append(Span(number, *cell.span()))
    return _joined_cells(rows, bare, columns)


def _behind_numbers(rows: Sequence[str], column: Sequence[Span]) -> Sequence[Span]:
    """Return the cells of a column behind the number of a line, or its sign, that each begins with."""
    leads = [_CELL_LEAD.match(rows[cell.row], cell.start, cell.end) for cell in column]
    numbered = [
        Span(cell.row, lead.end(), cell.end)
        for cell, lead in zip(column, leads, strict=True)
        if lead is not None
    ]
    return numbered if 1 < len(numbered) == len(column) else column


def _joined_cells(
    rows: Sequence[str], bare: Sequence[str], columns: Sequence[Sequence[Span]]
) -> JoinedText:
    text = JoinedText()
    for column in (_behind_numbers(rows, column) for column in columns):
        edge = max(span.end for span in column)
        # One cell alone does not show how wide its column is, unless a line closes it there.
        wraps = sum(span.end >= edge - 1 for span in column) > 1 or any(
            bare[span.row][span.end : span.end + 2].lstrip(" ")[:1] == EDGE for span in column
        )
        separator, above = "\n", None
        for span in column:
            full = wraps and above is not None and above.end >= edge - 1
            grade = Evidence.LIKELY if full else Evidence.NONE
            if _is_label(rows[span.row], span):
                separator = "\n"
                continue
            text.add(span, rows[span.row][span.start : span.end], separator, grade)
            separator, above = "", span
    return text


def _is_label(row: str, cell: Span) -> bool:
    """Whether a cell names the one at its right: what is below it is another's name."""
    return row[cell.end - 1 : cell.end] == ":" and bool(row[cell.end :].strip())
