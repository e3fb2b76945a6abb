"""The rows of one block of an agent's screen, read in every way that its secrets may be wrapped.

`block_readings` yields readings of the rows (see `unwrap.JoinedText`): as they stand, joined where a row
reaches the width that the block itself shows, joined where the next word had no room, joined after
a character that a program breaks behind, and by columns of a table. A wrong joint costs little,
because every reading is only searched. `cut_runs` finds what may be the rest of a secret beside a
place where the capture is incomplete. No I/O. Cost: linear in the cells, times the readings (6).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from wcwidth import wcswidth

from .unwrap import JoinedText, Span, join_rows

_GUTTER = re.compile(r"\s*(?:\d{1,6}\s*(?:[│|:→]\s?|\s)|[│┃|>⎿└├▌▏+-]\s)?\s*")
_BREAKABLE = tuple("-_/.=+:,&;@%~")
_COLUMN = re.compile(r"\S(?:.*?\S)??(?=\s{2,}|\s*$)")
_RUN = r"[A-Za-z0-9+/_=.~-]"
_HEAD = re.compile(rf"\s*({_RUN}{{10,}})")
_TAIL = re.compile(rf"({_RUN}{{10,}})\s*$")
_DENSE = re.compile(r"[A-Za-z0-9+_=-]{10,}")
_BASE64 = re.compile(r"\s*([A-Za-z0-9+/]+={0,2})\s*")
_PEM_END = re.compile(r"-----END [A-Z ]*PRIVATE KEY-----")
_FOLD = re.compile(r"\s*(?:…|\.{3}|⋯|\[).{0,12}?\d+ (?:more )?(?:lines|rows|chars|characters)\b")
_FILL_AFTER = re.compile(r"(\[redacted(?::[a-z0-9-]+:[0-9a-f]{8})?\])(?:\s*\*+(?![\w*]))+")
_FILL_BEFORE = re.compile(r"\*{4,}\s*(?=\[redacted)")
_SOME = 2  # digits, and letters, of a run that may be a piece of a secret
_MIXED = 16  # characters from which a run without digits may be one


def block_readings(
    rows: Sequence[str], columns: int, wrapped: Sequence[bool] | None = None
) -> Iterator[JoinedText]:
    """Yield the readings of a block; `columns`: the width the agent had.

    wrapped: per row, True where the terminal itself broke the line.
    """
    seen: set[str] = set()
    contents = [_content(row) for row in rows]
    ends = [max(wcswidth(row[:end]), 0) for row, (_, end) in zip(rows, contents, strict=True)]
    edge = max(ends, default=0)
    readings = (
        *join_rows(rows, columns, wrapped),
        *(join_rows(rows, edge, wrapped) if edge != columns else ()),
        _joined(rows, contents, lambda row: ends[row] >= edge - 1),
        _joined(rows, contents, lambda row: _had_no_room(rows, contents, ends, row, edge)),
        _by_column(rows),
    )
    for reading in readings:
        if reading.text not in seen:
            seen.add(reading.text)
            yield reading


def _content(row: str) -> tuple[int, int]:
    """Where a row's text begins, behind blanks and a gutter, and where it ends."""
    gutter = _GUTTER.match(row)
    start = gutter.end() if gutter is not None else 0
    end = len(row.rstrip())
    return (min(start, end), end)


def _had_no_room(
    rows: Sequence[str],
    contents: Sequence[tuple[int, int]],
    ends: Sequence[int],
    row: int,
    edge: int,
) -> bool:
    """Whether the next row's first word did not fit, or a break may stand behind the last letter."""
    start, end = contents[row + 1]
    if start == end:
        return False
    last = rows[row].rstrip()[-1:]
    word = rows[row + 1][start:end].split(maxsplit=1)[0]
    return last in _BREAKABLE or ends[row] + 1 + max(wcswidth(word), 0) > edge


def _joined(
    rows: Sequence[str], contents: Sequence[tuple[int, int]], joins: Callable[[int], bool]
) -> JoinedText:
    """All rows as one text; `joins(row)`: the next row goes on where this one ends."""
    text = JoinedText()
    joined = False
    for number, (start, end) in enumerate(contents):
        text.add(Span(number, start, end), rows[number][start:end], joined=joined)
        joined = number + 1 < len(rows) and end > start and joins(number)
    return text


def _by_column(rows: Sequence[str]) -> JoinedText:
    """Read cells of a table that begin in the same column on rows one below the other."""
    text = JoinedText()
    open_: dict[int, list[Span]] = {}
    columns: list[list[Span]] = []
    for number, row in enumerate(rows):
        below: dict[int, list[Span]] = {}
        for cell in _COLUMN.finditer(row):
            column = open_.get(cell.start())
            if column is None:
                columns.append(column := [])
            column.append(Span(number, cell.start(), cell.end()))
            below[cell.start()] = column
        open_ = below
    for column in columns:
        edge = max(span.end for span in column)
        joined = False
        for span in column:
            text.add(span, rows[span.row][span.start : span.end], joined=joined)
            joined = span.end >= edge - 1
    return text


def cut_runs(rows: Sequence[str], *, cut_above: bool, cut_below: bool) -> list[Span]:
    """Return the runs that may be what is left of a secret whose rest was not captured.

    `cut_above`, `cut_below`: rows before the first or behind the last were never seen. Rows that
    stand for others ("… +12 lines") are cuts too, and so is a key's body without its first line.
    """
    spans: list[Span] = []
    for number in range(len(rows)):
        before = (number == 0 and cut_above) or (number > 0 and _is_fold(rows[number - 1]))
        after = (number == len(rows) - 1 and cut_below) or (
            number < len(rows) - 1 and _is_fold(rows[number + 1])
        )
        if before and (head := _HEAD.match(rows[number])) and is_dense(head[1]):
            spans.append(Span(number, *head.span(1)))
        if after and (tail := _TAIL.search(rows[number])) and is_dense(tail[1]):
            spans.append(Span(number, *tail.span(1)))
    return [*spans, *_headless_keys(rows)]


def without_fill(text: str) -> str:
    """Return a text made of masked rows without the `*` that kept their width beside a label.

    So the text of a turn from the screen equals the same turn redacted where it was never wrapped.
    """
    if "[redacted" not in text:
        return text
    return _FILL_AFTER.sub(r"\1", _FILL_BEFORE.sub("", text))


def _is_fold(row: str) -> bool:
    return _FOLD.match(row) is not None


def _headless_keys(rows: Sequence[str]) -> Iterator[Span]:
    """Yield the rows of a private key's body whose BEGIN line is not there."""
    for number, row in enumerate(rows):
        if _PEM_END.search(row) is None:
            continue
        body: list[Span] = []
        for above in range(number - 1, -1, -1):
            line = _BASE64.fullmatch(rows[above])
            if line is None:
                break
            body.append(Span(above, *line.span(1)))
        # A line of the key may itself be broken: short rows count between long ones.
        while body and body[-1].end - body[-1].start < _MIXED:
            body.pop()
        yield from body


def is_dense(run: str) -> bool:
    """Whether a run of characters looks drawn at random rather than spelt, as paths and words are."""
    for part in _DENSE.findall(run):
        digits, letters = sum(map(str.isdigit, part)), sum(map(str.isalpha, part))
        if digits >= _SOME and letters >= _SOME:
            return True
        changes = sum(a.islower() != b.islower() for a, b in pairwise(part))
        if len(part) >= _MIXED and changes * 3 >= len(part):
            return True
    return False
