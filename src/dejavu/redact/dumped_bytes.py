"""Rows of a dump: an address, bytes in hexadecimal or characters, and maybe the characters next to them.

`dumped` reads the bytes; each is in two places of its row. No I/O. Cost: linear in the rows.

Tested in: tests/redact/test_other_programs.py
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from .joined_text import JoinedText, Span

__all__ = ["dumped", "is_dump_row"]

_DUMP = re.compile(
    r"^[^\w]{0,12}(?:0x)?(?P<at>[0-9a-fA-F]{4,16}(?:`[0-9a-fA-F]{8})?)(?: ?[:│|]| -)? {1,4}"
    r"(?P<hex>[0-9a-fA-F]{2,8}(?:(?: {1,2}|-| [┊┆] )[0-9a-fA-F]{2,8})*)"
    r"(?:(?: {2,}[|>│]? ?| ?[│|] ?)(?P<shown>.*?)[|<│]?)?\s*$"
)
# Only one blank before the characters: as many of them as bytes.
_TIGHT = re.compile(
    r"^[^\w]{0,12}(?:0x)?(?P<at>[0-9a-fA-F]{4,16})(?:[:│|]| -)? {1,4}(?P<hex>(?:[0-9a-fA-F]{2} )+)"
)
_CHARS = re.compile(r"^[^\w]{0,12}[0-9a-f]{6,8}(?P<chars>(?: {1,4}\S{1,3})+)\s*$")
_FEWEST_CHARS = 4  # in the first row of a dump
_MOST_BYTES = 64  # in a row of a dump
_PANELS = "┊┆"
_PAIR = re.compile("[0-9a-fA-F]{2}")
_CHAR = re.compile(r" {1,4}(\S{1,3})")


def is_dump_row(row: str) -> bool:
    """Whether a row shows bytes: signs in it are some of these, and no marks."""
    return _dump_row(row) is not None


def _dump_row(row: str) -> re.Match[str] | None:
    """Return the address, bytes and characters of a row of a dump."""
    if (match := _DUMP.match(row)) is not None or (tight := _TIGHT.match(row)) is None:
        return match
    first, size = tight.start("hex"), len(row.rstrip())
    most = len(tight["hex"]) // 3
    fit = [count for count in range(most, 0, -1) if size - first - 3 * count == count]
    return _of_bytes(fit[0] if fit else most).match(row) if most > 1 else None


@cache
def _of_bytes(count: int) -> re.Pattern[str]:
    return re.compile(
        r"^[^\w]{0,12}(?:0x)?(?P<at>[0-9a-fA-F]{4,16})(?:[:│|]| -)? {1,4}"
        rf"(?P<hex>(?:[0-9a-fA-F]{{2}} ){{{count}}})(?P<shown>.{{0,{count}}})\s*$"
    )


class _Dump(JoinedText):
    """The bytes of a dump, each of which is in two places of its row."""

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


def dumped(rows: Sequence[str]) -> JoinedText | None:
    """Return the bytes that rows of a dump show; None where there is none."""
    dump = _Dump()
    found = {number: match for number, row in enumerate(rows) if (match := _dump_row(row))}
    sizes = _bytes_a_row(found)
    in_chars = False
    for number, row in enumerate(rows):
        if (match := found.get(number)) is not None:
            _add_bytes(dump, number, match, sizes.get(number, _MOST_BYTES))
            continue
        match = _CHARS.match(row)
        chars = [*_CHAR.finditer(row, *match.span("chars"))] if match is not None else []
        in_chars = len(chars) >= (1 if in_chars else _FEWEST_CHARS)
        for char in chars if in_chars else ():
            dump.chars.append(char[1] if len(char[1]) == 1 else " ")
            dump.places.append((Span(number, *char.span(1)),))
    return dump if dump.chars else None


def _bytes_a_row(found: Mapping[int, re.Match[str]]) -> dict[int, int]:
    """Return how many bytes rows of a dump hold, as the addresses before them say."""
    sizes: dict[int, int] = {}
    for number, match in found.items():
        below = found.get(number + 1)
        step = _address(below) - _address(match) if below is not None else 0
        if 0 < step <= _MOST_BYTES:
            sizes[number] = step
        elif number - 1 in sizes:
            sizes[number] = sizes[number - 1]
    return sizes


def _address(row: re.Match[str]) -> int:
    return int(row["at"].replace("`", ""), 16)


def _add_bytes(dump: _Dump, number: int, match: re.Match[str], size: int) -> None:
    """Add the bytes of one row, each where it is a number and where it is a character."""
    row = match.string
    pairs = [*_PAIR.finditer(row, *match.span("hex"))][:size]
    start, end = match.span("shown")
    shown = [at for at in range(start, end) if row[at] not in _PANELS] if start >= 0 else []
    has_shown = len(shown) >= len(pairs) - 1
    for nth, pair in enumerate(pairs):
        code = int(pair[0], 16)
        dump.chars.append(chr(code) if 9 <= code < 127 else "\x01")
        places = [Span(number, *pair.span())]
        if has_shown and nth < len(shown):
            places.append(Span(number, shown[nth], shown[nth] + 1))
        dump.places.append(tuple(places))
