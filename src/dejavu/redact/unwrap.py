"""Joins wrapped screen rows, so that a secret broken over rows is whole, and masks cells.

`join_rows` yields texts that know where each of their characters stands on the screen; `mask_rows`
covers those cells. Joins more than `scrapers.unwrap` would: that one restores an author's lines, this
one must miss no secret. No I/O. Cost: linear in the cells.

A row is divided into panes by vertical border glyphs (a box, a side bar); a pane continues in the
pane with the same bounds one row below. Its content is stripped of padding and indent; where it
reaches the right edge of the pane the next content is joined to it, else a newline stands between.
Programs keep a margin of up to 4 cells, so "reaches" is tried strictly and leniently. A wrong
joint costs little: rows as they are get scanned as well.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wcwidth import wcwidth

__all__ = ["JoinedText", "Span", "join_rows", "mask_rows"]

_BORDER = re.compile("[│┃║▏▎▍▌▐▕┆┇┊┋╎╏┤├█▉▊▋]")
_OUTER_BORDER = re.compile(r"^\s*\|(?=\s)|(?<=\s)\|\s*$")
_MARGINS = (1, 4)
_MASK = "*"
_SHORT = "[redacted]"


class Span(NamedTuple):
    """A run of characters in one row: `row`, and `start` to `end` in its text."""

    row: int
    start: int
    end: int


class JoinedText:
    """A text made of runs of rows that maps back to them; `joints`: offsets where runs were joined."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._offsets: list[int] = []
        self._runs: list[Span] = []
        self._length = 0
        self.joints: list[int] = []

    def add(self, run: Span, text: str, *, joined: bool) -> None:
        """Append a run; on a new line unless `joined` to the one before."""
        if self._runs and not joined:
            self._parts.append("\n")
            self._length += 1
        elif self._runs:
            self.joints.append(self._length)
        self._offsets.append(self._length)
        self._runs.append(run)
        self._parts.append(text)
        self._length += len(text)

    @property
    def text(self) -> str:
        """All runs, joined or on lines."""
        return "".join(self._parts)

    def spans(self, start: int, end: int) -> list[Span]:
        """Return where the characters `[start, end)` of the text stand, row by row."""
        spans: list[Span] = []
        index = max(bisect_right(self._offsets, start) - 1, 0)
        while index < len(self._runs) and self._offsets[index] < end:
            run, offset = self._runs[index], self._offsets[index]
            left = run.start + max(start - offset, 0)
            right = min(run.start + end - offset, run.end)
            if left < right:
                spans.append(Span(run.row, left, right))
            index += 1
        return spans


class _Pane(NamedTuple):
    """A stretch of one row between borders: its content, and whether it reaches the edge."""

    run: Span
    bounds: tuple[int, int]  # in cells
    gap: int  # cells between the content's end and the pane's right bound
    bordered: bool


def join_rows(
    rows: Sequence[str], columns: int, wrapped: Sequence[bool] | None = None
) -> Iterator[JoinedText]:
    """Yield the texts of a screen in which secrets are looked for: as it is, and joined."""
    unjoined = JoinedText()
    for number, row in enumerate(rows):
        unjoined.add(
            Span(number, 0, len(row)), row, joined=number > 0 and _flag(wrapped, number - 1)
        )
    yield unjoined
    panes = [_panes(number, row, columns) for number, row in enumerate(rows)]
    seen = {unjoined.text}
    for margin in _MARGINS:
        joined_text = _join_columns(rows, panes, margin, wrapped)
        if joined_text.text not in seen:
            seen.add(joined_text.text)
            yield joined_text


def _flag(wrapped: Sequence[bool] | None, row: int) -> bool:
    return wrapped is not None and row < len(wrapped) and wrapped[row]


def _join_columns(
    rows: Sequence[str],
    panes: Sequence[Sequence[_Pane]],
    margin: int,
    wrapped: Sequence[bool] | None,
) -> JoinedText:
    """Return one text of all columns of panes, each from its first row to its last."""
    columns: list[list[_Pane]] = []
    open_: dict[tuple[int, int], list[_Pane]] = {}
    for row in panes:
        below: dict[tuple[int, int], list[_Pane]] = {}
        for pane in row:
            column = open_.get(pane.bounds)
            if column is None:
                columns.append(column := [])
            column.append(pane)
            below[pane.bounds] = column
        open_ = below
    joined_text = JoinedText()
    for column in columns:
        joined = False
        for pane in column:
            number, start, end = pane.run
            if joined and _flag(wrapped, number - 1):
                start = 0  # the terminal broke it: an indent would be text
            joined_text.add(Span(number, start, end), rows[number][start:end], joined=joined)
            # Inside a border one cell of padding is part of the frame.
            full = pane.gap <= margin + pane.bordered and end > start
            joined = full or _flag(wrapped, number)
    return joined_text


def _panes(number: int, row: str, columns: int) -> list[_Pane]:
    cells = _Cells(row)
    edges = [match.start() for match in _BORDER.finditer(row)]
    edges += [match.start() + match[0].index("|") for match in _OUTER_BORDER.finditer(row)]
    edges.sort()
    panes: list[_Pane] = []
    left = 0
    for right in [*edges, len(row)]:
        bordered = right < len(row)
        body = row[left:right]
        content = body.strip()
        if content:
            start = left + len(body) - len(body.lstrip())
            end = start + len(content)
            bound = cells(right) if bordered else max(columns, cells(len(row)))
            run = Span(number, start, end)
            panes.append(_Pane(run, (cells(left), bound), bound - cells(end), bordered))
        left = right + 1
    return panes


class _Cells:
    """Cell columns of a row's characters: wide ones cover two, combining ones none."""

    def __init__(self, row: str) -> None:
        self._at: list[int] | None = None
        if not row.isascii():
            self._at = [0]
            for char in row:
                self._at.append(self._at[-1] + max(wcwidth(char), 0))

    def __call__(self, index: int) -> int:
        """The cell where the character at `index` begins."""
        return index if self._at is None else self._at[index]


def mask_rows(rows: Sequence[str], marks: Sequence[tuple[Sequence[Span], str]]) -> list[str]:
    """Return the rows with each mark's spans covered by `*`, and its label where there is room.

    The label goes on the widest span that takes it, with the blanks that follow up to a border or
    the row's end; `[redacted]` stands in for a label that fits nowhere. Widths never change.
    """
    out = [list(row) for row in rows]
    for spans, _ in marks:
        for span in spans:
            out[span.row][span.start : span.end] = _MASK * (span.end - span.start)
    # The longest first: a secret found whole names itself before a part of it does.
    for spans, label in sorted(marks, key=lambda mark: -sum(s.end - s.start for s in mark[0])):
        for text in (label, _SHORT):
            if any(_write(out[span.row], span, text) for span in sorted(spans, key=_width)):
                break
    return ["".join(row) for row in out]


def _width(span: Span) -> int:
    return span.start - span.end


def _write(row: list[str], span: Span, label: str) -> bool:
    """Write the label over a masked span, unless another is there or the room is too small."""
    if any(char != _MASK for char in row[span.start : span.end]):
        return False
    blank = span.end
    while blank < len(row) and row[blank] == " ":
        blank += 1
    at_edge = blank == len(row) or _BORDER.match(row[blank])
    if len(label) > (blank if at_edge else span.end) - span.start:
        return False
    row[span.start : span.start + len(label)] = label
    return True
