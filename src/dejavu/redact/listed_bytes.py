"""Bytes of a text written as numbers in a list, by any language or dump, read as the text.

Between two numbers there may be signs, what is called for each (`chr(71)`), a type (`71u8`). No I/O.
Cost: linear in the text, once for each way to write a byte.

Tested in: tests/redact/test_reading_windows.py
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from .derived_text import Reading

__all__ = ["ORDERS", "Numbers", "listed", "printed", "put_bytes"]

_PRINTABLE = re.compile(rb"[\t\n\r\x1b\x20-\x7e]{8,}")
# What is between two numbers of a list, or starts them: signs, `0x`, `chr(`, a suffix.
_SIGNS = r"[^A-Za-z0-9\n]{1,12}"
_PREFIX = r"(?:0?[xXo]|[0-9]{1,2}'[hHdDoObB]|[uU]\+)?"
_GAP = rf"(?:[hHuU]8?)?{_SIGNS}(?:[A-Za-z_][A-Za-z_.]{{0,11}}{_SIGNS})?{_PREFIX}"


def _list_of(number: str) -> re.Pattern[str]:
    """Return a pattern for a list; a number with a colon and a blank behind it is an address."""
    return re.compile(rf"(?<![A-Za-z0-9]){_PREFIX}{number}(?!: )(?:{_GAP}{number})+(?![0-9a-fA-F])")


def _before_gap(number: str) -> re.Pattern[str]:
    """Return a pattern for the end of a number: what begins with a character class is found fast."""
    return re.compile(rf"{number}(?:[hHuU]8?)?{_SIGNS}")


# Characters with the same signs between each two of them.
_UNITS = re.compile(
    r"(?<![A-Za-z0-9])[^\s|│'\"`,;()\[\]{}<>\x80-\U0010ffff](?P<gap>[^A-Za-z0-9\n]{1,8})"
    r"[ -~](?:(?P=gap)[ -~])+(?![A-Za-z0-9])"
)


class _Kind(NamedTuple):
    """One way to write bytes as numbers: their base, and how many bytes each number has.

    Base 0: each is a character itself. needed: what a text with such a list has to hold; alone: such
    a number that fills its row.
    """

    pattern: re.Pattern[str]
    needed: re.Pattern[str]
    alone: re.Pattern[str]
    radix: int
    size: int


def _kind(number: str, last: str, radix: int, size: int) -> _Kind:
    alone = re.compile(rf"[^A-Za-z0-9\n]*{_PREFIX}{number}[^A-Za-z0-9\n]*")
    return _Kind(_list_of(number), _before_gap(last), alone, radix, size)


_KINDS = (
    _kind("(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])", "[0-9]", 10, 1),
    _kind("(?:[0-9a-fA-F]{2}|(?<=[xX])[0-9a-fA-F])", "[0-9a-fA-F]", 16, 1),
    _kind("0?[0-3]?[0-7]{2}", "[0-7]{2}", 8, 1),
    _kind("[01]{7,8}", "[01]{7}", 2, 1),
    _kind("[0-9a-fA-F]{4}", "[0-9a-fA-F]{4}", 16, 2),
    _kind("[0-9a-fA-F]{8}", "[0-9a-fA-F]{8}", 16, 4),
    _kind("[0-9a-fA-F]{8}`?[0-9a-fA-F]{8}", "[0-9a-fA-F]{8}", 16, 8),
    _kind("[0-9]{4,5}", "[0-9]{4}", 10, 2),
    _kind("[0-9]{9,10}", "[0-9]{9}", 10, 4),
    _kind("[0-9]{18,19}", "[0-9]{18}", 10, 8),
    _kind("[01][0-7]{5}", "[0-7]{5}", 8, 2),
    _kind("[0-3][0-7]{10}", "[0-7]{10}", 8, 4),
    _kind("[01][0-7]{21}", "[0-7]{21}", 8, 8),
    _Kind(_UNITS, _UNITS, re.compile(r"(?!)"), 0, 1),
)
_DIGITS = {
    2: re.compile("[01]{7,8}"),
    8: re.compile("(?<![0-7])[0-7]{2,22}(?![0-7])"),
    10: re.compile("(?<![0-9A-Za-z])[0-9]{1,19}"),
    16: re.compile("(?<=[xX])[0-9a-fA-F`]{1,17}|(?<![0-9a-fA-F`])[0-9a-fA-F`]{2,17}(?!')"),
    0: re.compile(""),
}
_WIDE = re.compile(rb"(?:[\t\n\r\x1b\x20-\x7e]\x00(?:\x00\x00)?){8,}")
ORDERS: tuple[Literal["big", "little"], ...] = ("big", "little")
_ROW = re.compile(r"[^\n]*[^\s][^\n]*")
_FEWEST_BYTES = 8  # that make a text
_FROM_TO = re.compile("[0-9]+ (?:through|to|and) [0-9]+")
_MANY = 8  # numbers after which a row of words does not end a list
_LONGEST_NAME = 160  # characters before a list that may name it
_OWN_CHARACTER = re.compile(
    r"(?<=[0-9a-fA-F]) [(]?(?P<quote>['\"])\\{0,2}(?:[ -~]|[0-7]{3})(?P=quote)(?![A-Za-z0-9])"
)
"""The character that a debugger writes behind its number: `71 'G'`."""
_INDEX = re.compile(r"(?<![A-Za-z_)\]])\[ *[0-9]+,?\](?= )")
"""What says the number of the first of a row: `[25] `."""
_NEXT_LIST = re.compile(r"[\]})][^0-9\[{(]*[\[{(]")
"""What is between two lists: one ends, another begins."""
_NAME_OF_LIST = re.compile(
    r"(?<![A-Za-z0-9])(?P<name>[A-Za-z_][\w.@-]{1,80})[\"'\]]{0,2}\s{0,3}(?::=|=>|[:=])\s{0,3}"
    r"(?:[\w.*&!<>:]{0,24}[\[\](){}\s]{1,4}){0,3}(?:0[xXoO])?\Z"
)
"""What a list is the value of: `.password = {`, `"password": Uint8Array(3) [`."""


class Numbers(NamedTuple):
    """Numbers of a list, and where each one is."""

    values: list[int]
    places: list[tuple[int, int]]

    def without_addresses(self, text: str, size: int) -> "Numbers":
        """Return the numbers without the first of each row, if that says where the row is."""
        first = [
            nth for nth, (start, _) in enumerate(self.places)
            if not nth or "\n" in text[self.places[nth - 1][1] : start]
        ]  # fmt: skip
        steps = {self.values[b] - self.values[a] - (b - a - 1) * size for a, b in pairwise(first)}
        if len(first) < 3 or steps != {0}:
            return self
        kept = [nth for nth in range(len(self.values)) if nth not in {*first}]
        return Numbers([self.values[nth] for nth in kept], [self.places[nth] for nth in kept])


def listed(text: str) -> Iterator[Reading]:
    """Yield what lists of numbers say, for each way to write bytes as numbers."""
    text = _INDEX.sub(_blank, text) if "]" in text else text
    numbers_alone = _OWN_CHARACTER.sub(_blank, text) if " '" in text or ' "' in text else text
    for kind in _KINDS:
        if kind.needed.search(text) is None:
            continue
        lists = [*_lists(numbers_alone if kind.radix else text, kind)]
        if kind.size > 1:
            lists = [numbers.without_addresses(text, kind.size) for numbers in lists]
        for order in ORDERS if kind.size > 1 else ORDERS[:1]:
            reading = Reading(text)
            for numbers in lists:
                put_bytes(reading, numbers, kind.size, order)
            if reading.parts:
                yield reading


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _lists(text: str, kind: _Kind) -> Iterator[Numbers]:
    """Yield the lists of one kind; those on rows one below the other are one, with numbers between.

    Of a row its longest list counts: an address before it and characters behind it do not.
    """
    whole, end = Numbers([], []), 0

    def add(start: int, stop: int, to: Numbers) -> None:
        values, places = _numbers(text[start:stop], kind.radix, kind.size)
        to.values.extend(values)
        to.places.extend((start + first, start + last) for first, last in places)

    for row, found in _by_row(text, kind.pattern):
        between = [*_rows_between(text, end, row)]
        alone = [kind.alone.fullmatch(text, *part) is not None for part in between]
        if alone != [False] or len(whole.values) < _MANY:  # one may say which numbers follow
            for part, is_alone in zip(between, alone, strict=True):
                if is_alone:
                    add(*part, whole)
                else:
                    yield whole
                    whole = Numbers([], [])
        end = text.find("\n", row)
        end = len(text) if end < 0 else end
        longest = max(found, key=lambda part: part[1] - part[0])
        if len(whole.values) >= _MANY and _FROM_TO.fullmatch(text, *longest):
            continue
        for part in found:
            if part is longest:
                add(*part, whole)
            else:
                add(*part, other := Numbers([], []))
                yield other
    for start, stop in _rows_between(text, end, len(text)):
        if kind.alone.fullmatch(text, start, stop) is None:
            break
        add(start, stop, whole)
    yield whole


def _rows_between(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where rows with text are in a part of a text."""
    for row in _ROW.finditer(text, start, end):
        yield row.span()


@lru_cache(maxsize=256)  # as `_printed_in_base64`
def _numbers(run: str, radix: int, size: int) -> Numbers:
    """Return the numbers of one list that have so many bytes."""
    most, numbers = 1 << 8 * size, Numbers([], [])
    if not radix:
        units = _UNITS.match(run)
        step = 1 + len(units["gap"]) if units is not None else 1
        places = range(0, len(run), step)
        return Numbers([ord(run[at]) for at in places], [(at, at + 1) for at in places])
    for digits in _DIGITS[radix].finditer(run):
        if (value := int(digits[0].replace("`", ""), radix)) < most:
            numbers.values.append(value)
            numbers.places.append(digits.span())
    return numbers


def _by_row(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Yield where rows begin, and the lists that begin in each."""
    row, found, end = 0, list[tuple[int, int]](), -1
    for start, stop in _parts_of_lists(text, pattern):
        if start > end:
            if found:
                yield row, found
            row, found = text.rfind("\n", 0, start) + 1, []
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
        found.append((start, stop))
    if found:
        yield row, found


def _parts_of_lists(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Yield where lists are; one that ends before another begins is no part of it."""
    for match in pattern.finditer(text):
        start = match.start()
        for gap in _NEXT_LIST.finditer(text, *match.span()):
            yield start, gap.start()
            start = gap.end()
        yield start, match.end()


def put_bytes(
    reading: Reading, numbers: Numbers, size: int, order: Literal["big", "little"]
) -> None:
    """Append what can be printed of some numbers, in one or more bytes a character."""
    if len(numbers.values) * size < _FEWEST_BYTES:
        return
    if size == 1:
        data = bytes(numbers.values)
    else:
        data = b"".join([value.to_bytes(size, order) for value in numbers.values])
    for chars, offsets in printed(data):
        places = [numbers.places[at // size] for at in offsets]
        if not offsets[0]:
            _put_name(reading, places[0][0])
        starts, ends = zip(*places, strict=True)
        reading.put_line(chars, starts, ends, places[0][0])


def printed(data: bytes) -> Iterator[tuple[str, list[int]]]:
    """Yield the texts in some bytes, of one, two or four bytes a character, and where each character is."""
    for pattern in (_PRINTABLE, _WIDE):
        for part in pattern.finditer(data):
            places = [at for at in range(*part.span()) if data[at]]
            yield part[0].replace(b"\x00", b"").decode("ascii"), places


def _put_name(reading: Reading, start: int) -> None:
    """Append the name whose value is the list that begins at `start`, if it has one."""
    first = max(0, start - _LONGEST_NAME)
    if (name := _NAME_OF_LIST.search(reading.text[first:start])) is not None:
        end = first + name.end("name")
        reading.copy(first + name.start("name"), end)
        reading.put("=", end, end + 1)
