"""Rows as other programs draw them, read as what they were drawn from.

Pagers, editors, database shells, dumps and languages break a value over rows in ways of their own.
`program_readings` yields the texts in which the rules look for secrets again:

1. rows without the marks that programs put at the ends and beginnings of broken rows and cells;
2. columns of a page, parted by what is blank in all rows;
3. what the string literals of consecutive source lines are together;
4. the bytes of a dump in hexadecimal or characters;
5. all of these decoded (`decoded_texts`).

A reading that does not differ is left out. No I/O. Cost: linear in the cells, times the readings.

Tested in: tests/redact/test_reading_windows.py
"""

import re
from collections.abc import Collection, Iterator, Sequence

from .decoded_texts import derived_texts
from .dumped_bytes import dumped
from .followed_runs import run_readings
from .joined_text import Evidence, JoinedText, LineText, PartText, Span
from .reading_windows import (
    Code,
    coded_rows,
    is_beside_run,
    is_piece,
    marks_of,
    windows,
)
from .row_readings import row_readings, unwrapped

__all__ = ["literals", "program_readings", "unbroken"]

_LITERAL = re.compile(r"(?P<quote>[\"'`])(?P<text>[^\"'`]+)(?P=quote)[^A-Za-z0-9\"'`]*$")
_PART_OF_LITERAL = re.compile(r"([A-Za-z0-9+/_=.-]{4,})[\"'`][^A-Za-z0-9\"'`]*$")
_BORDER = " │┃|║"
_QUOTES = ("'", '"', "`")
_BEHIND_LITERAL = "".join(
    char for char in map(chr, range(128)) if not char.isalnum() and char not in _QUOTES
)
_LITERAL_ROWS = 200
_GUTTER = re.compile("(?<=0)1{2,}(?=0)")  # two blanks at the least, between two columns


def program_readings(
    rows: Sequence[str], columns: int, wrapped: Sequence[bool] | None = None
) -> Iterator[JoinedText]:
    """Yield the readings; `columns`, `wrapped`: see `row_readings`."""
    flags = [*(wrapped or ()), *[False] * len(rows)][: len(rows)]
    unmarked, marked = _unmarked(rows)
    bases = [*_parts(unmarked, columns, flags, marked)]
    yield from bases
    extra = [
        text
        for text in (
            _pages(unmarked),
            literals(rows),
            dumped(rows),
            *_sides(rows),
            *run_readings(rows),
        )
        if text is not None
    ]
    yield from extra
    coded = coded_rows(rows)
    found = coded | _rows_of_literals(rows)
    lines = [line for part in windows(found, len(rows)) for line in unbroken(rows, *part)]
    yield from lines
    seen: set[str] = set()
    for base in (
        *lines,
        *_parts(rows, columns, flags, coded),
        *(_parts(unmarked, columns, flags, coded) if unmarked != [*rows] else ()),
        *bases,
        *extra,
    ):
        if (text := base.text) not in seen:
            seen.add(text)
            if any(code := Code.of(text)):
                yield from derived_texts(base, code)


def _parts(
    rows: Sequence[str], columns: int, wrapped: Sequence[bool], found: Collection[int]
) -> Iterator[JoinedText]:
    """Yield the readings of the rows around those found."""
    for start, end in windows(found, len(rows)):
        for text in row_readings(rows[start:end], columns, wrapped[start:end]):
            yield PartText(text, start)


def unbroken(rows: Sequence[str], start: int, end: int) -> Iterator[JoinedText]:
    """Yield a part of the rows as they were before all were broken at one edge, and what is dumped there."""
    part = rows[start:end]
    lengths = [*map(len, part)]
    edge = max(lengths) - 1
    for texts, lines in [*unwrapped(part, [size >= edge for size in lengths], blank=1)][-2:]:
        whole = JoinedText()
        for number, text in enumerate(texts):
            whole.add(Span(number, 0, len(text)), text)
        for reading in (whole, dumped(texts), literals(texts)):
            if reading is not None:
                yield PartText(LineText(reading, lines, lengths), start)


def _unmarked(rows: Sequence[str]) -> tuple[list[str], set[int]]:
    """Return the rows with blanks for the marks at their ends and at those of their cells.

    And which rows have such a mark next to what is no word.
    """
    unmarked, found = [*rows], set[int]()
    for number, row in enumerate(rows):
        marks = marks_of(row)
        if not marks:
            continue
        chars = list(row)
        for mark in marks:
            chars[mark.start() : mark.end()] = " " * len(mark[0])
        unmarked[number] = "".join(chars)
        if is_beside_run(row, marks):
            found.add(number)
    return unmarked, found


def _pages(rows: Sequence[str]) -> JoinedText | None:
    """Return the columns of pages, each read down; None where no rows have a blank in common."""
    text = JoinedText()
    group: list[int] = []
    width = max(map(len, rows), default=0)
    common = 0  # a bit for each column that is blank, the first the highest
    gaps = _rows_near_gaps(rows)
    for number, row in enumerate([*rows, ""]):
        blank = _blanks(row.ljust(width)) if number in gaps else 0
        if blank and (not group or _gutters(blank & common, width)):
            common = blank & common if group else blank
            group.append(number)
            continue
        _add_page(text, rows, group, common, width)
        group, common = ([number], blank) if blank else ([], 0)
    return text if text.text else None


def _rows_near_gaps(rows: Sequence[str]) -> set[int]:
    """Return the rows without an empty one between them and one with a wide gap."""
    found, near = set[int](), list[int]()
    has_gap = False
    for number, row in enumerate([*rows, ""]):
        if text := row.strip():
            near.append(number)
            has_gap = has_gap or "  " in text
            continue
        found.update(near if has_gap else ())
        near, has_gap = [], False
    return found


def _gutters(blank: int, width: int) -> list[tuple[int, int]]:
    """Return where columns part: blanks in a row that have something on both sides."""
    return [gutter.span() for gutter in _GUTTER.finditer(f"{blank:0{width}b}")]


def _add_page(
    text: JoinedText, rows: Sequence[str], group: Sequence[int], common: int, width: int
) -> None:
    gutters = _gutters(common, width) if len(group) > 1 else []
    edges = [0, *(end for _, end in gutters)], [*(start for start, _ in gutters), width]
    for left, right in zip(*edges, strict=True) if gutters else ():
        separator = "\n"
        if not any(is_piece(rows[number][left:right]) for number in group):
            continue
        for number in group:
            cell = rows[number][left:right]
            start = left + len(cell) - len(cell.lstrip())
            if part := cell.strip():
                text.add(Span(number, start, start + len(part)), part, separator, Evidence.LIKELY)
                separator = ""


def _blanks(row: str) -> int:
    """Return a bit for each column, set where it is blank; of bytes it is made ten times as fast."""
    if row.isascii():
        return int(row.encode("ascii").translate(_BYTE_BLANKS), 2)
    return int(row.translate(_BLANKS), 2)


class _Blanks(dict[int, str]):
    def __missing__(self, char: int) -> str:
        self[char] = "0"
        return "0"


_BLANKS = _Blanks({ord(" "): "1"})
_BYTE_BLANKS = bytes(49 if code == 32 else 48 for code in range(256))


def literals(rows: Sequence[str]) -> JoinedText | None:
    """Return the last literals of consecutive rows, joined; None where there are none."""
    text = JoinedText()
    group: list[tuple[Span, str]] = []
    for number, row in enumerate([*rows, ""]):
        closes = row.rstrip(_BEHIND_LITERAL)[-1:] in _QUOTES
        literal = _LITERAL.search(row) if closes else None
        if literal is not None and len(group) < _LITERAL_ROWS:
            group.append((Span(number, *literal.span("text")), literal["text"]))
            continue
        if len(group) > 1 and any(is_piece(part) for _, part in group):
            for nth, (span, part) in enumerate(group):
                text.add(span, part, "" if nth else "\n", Evidence.LIKELY)
        group = []
    return text if text.joints.offsets else None


def _rows_of_literals(rows: Sequence[str]) -> set[int]:
    """Return the rows that end with a part of a literal that is a piece of something."""
    found = set[int]()
    for number, row in enumerate(rows):
        if row.rstrip(_BEHIND_LITERAL)[-1:] in _QUOTES:
            end = _PART_OF_LITERAL.search(row)
            if end is not None and is_piece(end[1]):
                found.add(number)
    return found


def _sides(rows: Sequence[str]) -> Iterator[JoinedText]:
    """Yield both sides of a diff by words with a piece on each row (`~` ends a line)."""
    for number, row in enumerate(rows):
        column = row.find("@@ -")
        if column < 0:
            continue
        below = [at for at in range(number + 1, len(rows)) if len(rows[at].rstrip()) > column]
        ends = [at for at in below if rows[at][column:].rstrip(_BORDER) == "~"]
        for signs in ("+ ", "- ") if ends else ():
            text = JoinedText()
            for at in range(number + 1, ends[-1]):
                start, end = column + 1, len(rows[at].rstrip(_BORDER))
                if rows[at][column:start] in signs and start < end:
                    text.add(Span(at, start, end), rows[at][start:end], "", Evidence.LIKELY)
            yield text
