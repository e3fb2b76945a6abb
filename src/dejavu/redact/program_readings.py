"""Rows as other programs draw them, read as what they were drawn from.

Pagers, editors, database shells, dumps and languages break a value over rows in ways of their own.
`program_readings` yields the texts in which the rules look for secrets again:

1. rows without the marks that programs put at the ends and beginnings of broken rows and cells;
2. columns of a page, parted by what is blank in all rows;
3. what the string literals of consecutive source lines are together;
4. the bytes of a dump in hexadecimal or characters;
5. all of these decoded (`derived_text`).

A reading that does not differ is left out. No I/O. Cost: linear in the cells, times the readings.
"""

import re
from collections.abc import Iterator, Sequence

from .derived_text import derived_texts
from .joined_text import Evidence, JoinedText, Span
from .row_readings import row_readings

__all__ = ["is_dump_row", "program_readings"]

# At the end of a row or cell: a sign that is no part of a word, or a decoration behind a blank.
_END = re.compile(
    r"[ \t][^A-Za-z0-9\s|│┃][^A-Za-z0-9]*$|[^\x00-\x7f\w\u2500-\u259f]+$|[\\>$~.+:=»]$"
    r"|(?:[.+:;=\\>$~]|[^\x00-\x7f\w\s\u2500-\u259f])(?=\s*[|│┃])|"
    r"[^\x00-\x7f\w\s\u2500-\u259f](?=\s*$)|[.+:](?=\s+$)"
)
_START = re.compile(
    r"^\s*(?:(?:[A-Z][a-z]{2} +\d{1,2} |\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?Z? )"
    r"|^\s*[<$](?=\S)|^\s*[^\x00-\x7f\w\s\u2500-\u259f](?=\S)|(?<=[|│┃])[.:;…]"
)
_LITERAL = re.compile(r"(?P<quote>[\"'`])(?P<text>[^\"'`]*?)(?P=quote)")
_LITERAL_ROWS = 200
_DUMP = re.compile(
    r"^[^\w]{0,12}[0-9a-fA-F]{4,16}:? {1,4}"
    r"(?P<hex>[0-9a-fA-F]{2,8}(?: {1,3}[0-9a-fA-F]{2,8})*)"
    r"(?: {2,}[|>]?(?P<shown>.*?)[|<]?)?\s*$"
)
_CHARS = re.compile(r"^[^\w]{0,12}[0-9a-f]{6,8}(?P<chars>(?: {1,4}\S{1,3}){4,})\s*$")
_PAIR = re.compile("[0-9a-fA-F]{2}")
_CHAR = re.compile(r" {1,4}(\S{1,3})")
_GAP = 2  # blanks between the columns of a page, at the least


def program_readings(
    rows: Sequence[str], columns: int, wrapped: Sequence[bool] | None = None
) -> Iterator[JoinedText]:
    """Yield the readings; `columns`, `wrapped`: see `row_readings`."""
    bases = [*row_readings(rows, columns, wrapped)]
    unmarked = [_unmarked(row) for row in rows]
    if unmarked != [*rows]:
        seen = {base.text for base in bases}
        fresh = [text for text in row_readings(unmarked, columns, wrapped) if text.text not in seen]
        yield from fresh
        bases += fresh
    extra = [text for text in (_pages(unmarked), _literals(rows), _dump(rows)) if text is not None]
    yield from extra
    for base in (*bases, *extra):
        yield from derived_texts(base)


def is_dump_row(row: str) -> bool:
    """Whether a row shows bytes: signs in it are some of these, and no marks."""
    return _DUMP.match(row) is not None


def _unmarked(row: str) -> str:
    """Return a row with blanks for the marks at its ends and at those of its cells."""
    for pattern in (_END, _START):
        row = pattern.sub(lambda mark: " " * len(mark[0]), row)
    return row


def _pages(rows: Sequence[str]) -> JoinedText | None:
    """Return the columns of pages, each read down; None where no rows have a blank in common."""
    text = JoinedText()
    group: list[int] = []
    common: set[int] = set()
    width = max(map(len, rows), default=0)
    for number, row in enumerate([*rows, ""]):
        blank = {at for at, char in enumerate(row.ljust(width)) if char == " "}
        both = blank & common if group else blank
        if row.strip() and (not group or _gutters(both, width)):
            group.append(number)
            common = both
            continue
        _add_page(text, rows, group, common, width)
        group, common = ([number], blank) if row.strip() else ([], set())
    return text if text.text else None


def _gutters(blank: set[int], width: int) -> list[tuple[int, int]]:
    """Return where columns part: blanks in a row that have something on both sides."""
    gutters: list[tuple[int, int]] = []
    start: int | None = None
    for at in range(width + 1):
        if at in blank and at < width:
            start = at if start is None else start
        elif start is not None:
            if start > 0 and at < width and at - start >= _GAP:
                gutters.append((start, at))
            start = None
    return gutters


def _add_page(
    text: JoinedText, rows: Sequence[str], group: Sequence[int], common: set[int], width: int
) -> None:
    gutters = _gutters(common, width) if len(group) > 1 else []
    edges = [0, *(end for _, end in gutters)], [*(start for start, _ in gutters), width]
    for left, right in zip(*edges, strict=True) if gutters else ():
        separator = "\n"
        for number in group:
            cell = rows[number][left:right]
            start = left + len(cell) - len(cell.lstrip())
            if part := cell.strip():
                span = Span(number, start, start + len(part))
                full = Evidence.LIKELY
                text.add(span, part, separator, full)
                separator = ""


def _literals(rows: Sequence[str]) -> JoinedText | None:
    """Return the last literals of consecutive rows, joined; None where there are none."""
    text, last, count = JoinedText(), -2, 0
    for number, row in enumerate(rows):
        found = [*_LITERAL.finditer(row)]
        if not found or not found[-1]["text"]:
            continue
        joins = number == last + 1 and count < _LITERAL_ROWS
        count = count + 1 if joins else 0
        span = Span(number, *found[-1].span("text"))
        text.add(span, found[-1]["text"], "" if joins else "\n", Evidence.LIKELY)
        last = number
    return text if text.joints.offsets else None


class _Dump(JoinedText):
    """The bytes of a dump, each of which stands in two places of its row."""

    def __init__(self) -> None:
        super().__init__()
        self.chars: list[str] = []
        self.places: list[tuple[Span, ...]] = []

    @property
    def text(self) -> str:
        """The bytes as characters."""
        return "".join(self.chars)

    def spans(self, start: int, end: int) -> list[Span]:
        """Return where the bytes stand."""
        rows: dict[tuple[int, int], Span] = {}
        for places in self.places[start:end]:
            for column, place in enumerate(places):
                key = place.row, column
                before = rows.get(key, place)
                rows[key] = Span(
                    place.row, min(before.start, place.start), max(before.end, place.end)
                )
        return sorted(rows.values())


def _dump(rows: Sequence[str]) -> JoinedText | None:
    """Return the bytes that rows of a dump show; None where there is none."""
    dump = _Dump()
    for number, row in enumerate(rows):
        if (match := _DUMP.match(row)) is not None:
            pairs = [*_PAIR.finditer(row, *match.span("hex"))]
            shown = match.start("shown")
            has_shown = match["shown"] is not None and len(match["shown"]) >= len(pairs) - 1
            for nth, pair in enumerate(pairs):
                code = int(pair[0], 16)
                dump.chars.append(chr(code) if 9 <= code < 127 else "\x01")
                places = [Span(number, *pair.span())]
                if has_shown and shown + nth < len(row):
                    places.append(Span(number, shown + nth, shown + nth + 1))
                dump.places.append(tuple(places))
        elif (match := _CHARS.match(row)) is not None:
            for char in _CHAR.finditer(row, *match.span("chars")):
                dump.chars.append(char[1] if len(char[1]) == 1 else "\n")
                dump.places.append((Span(number, *char.span(1)),))
    return dump if dump.chars else None
