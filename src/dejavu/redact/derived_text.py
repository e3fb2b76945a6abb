"""Texts read out of other texts: decoded, or without the marks a program puts between words.

Each character of a `DerivedText` knows which characters of its base it was read from, and the base
knows the rows. What is decoded is looked for by form alone; whether it is a secret the rules say.
No I/O. Cost: linear in the base, a constant number of times.

Tested in: tests/redact/test_reading_windows.py
"""

import base64
import binascii
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from .joined_text import JoinedText, Joints, Span
from .reading_windows import STRINGS, Code

__all__ = ["DerivedText", "derived_texts"]

_ESCAPE = re.compile(
    r"\\{1,4}u(?P<u>[0-9a-fA-F]{4})|\\{1,4}u\{(?P<b>[0-9a-fA-F]{1,6})\}|\\{1,4}U(?P<l>[0-9a-fA-F]{8})"
    r"|\\{1,4}x(?P<x>[0-9a-fA-F]{2})|\\{1,4}(?P<o>[0-3][0-7]{2})|%(?:25)*(?P<p>[0-9a-fA-F]{2})"
    # In quoted-printable a sign alone is `=3D`; `KEY=20` is no blank.
    r"|=(?P<q>3D|[0-9A-F]{2}(?==[0-9A-F]{2})|(?<==[0-9A-F]{2}=)[0-9A-F]{2})|&#(?P<d>[0-9]{2,5});?|&#[xX](?P<h>[0-9a-fA-F]{2,5});?"
)
_HAS_ESCAPE = re.compile(r"\\+[uUxX0-3]|%[0-9a-fA-F]{2}|=[0-9A-F]{2}|&#")
_BASE = {**dict.fromkeys("ublxpqh", 16), "d": 10, "o": 8}
_HEX = re.compile(r"(?:(?:0x)?[0-9a-fA-F]{2}(?:,? ?|:)){8,}")
_HAS_HEX = re.compile(r"[0-9a-fA-F]{2}(?:,? ?|:)(?:(?:0x)?[0-9a-fA-F]{2}(?:,? ?|:)){7}")
_PAIR = re.compile(r"[0-9a-fA-F]{2}(?!x)")
_BASE32 = re.compile("(?<![A-Za-z0-9+/])[A-Z2-7]{24,}={0,6}(?![A-Za-z0-9+/])")
_ASCII85 = re.compile(r"<~(?P<code>[!-uz]{10,})~>")
_PRINTABLE = re.compile(rb"[\t\n\r\x20-\x7e]{8,}")
_WORD_DIFF = re.compile(
    r"\[-(?P<a>(?:(?!-\]).){0,4096}?)-\]|\{--(?P<c>(?:(?!--\}).){0,4096}?)--\}|\{\+\+(?P<d>(?:(?!\+\+\}).){0,4096}?)\+\+\}"
    r"|\{\+(?P<b>(?:(?!\+\}).){0,4096}?)\+\}"
    r"|<(?:del|s)>(?P<e>[^<]{0,4096})</(?:del|s)>|<ins>(?P<f>[^<]{0,4096})</ins>"
    r"|~~(?P<g>[^~]{1,4096})~~"
)
# What is between two numbers of a list, or starts them: signs, `0x`, `chr(`, a suffix.
_SIGNS = r"[^A-Za-z0-9\n]{1,12}"
_PREFIX = r"(?:0?[xXo]|[0-9]{1,2}'[hHdDoObB]|[uU]\+)?"
_GAP = rf"(?:[hHuU]8?)?{_SIGNS}(?:[A-Za-z_][A-Za-z_.]{{0,11}}{_SIGNS})?{_PREFIX}"


def _list_of(number: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9]){_PREFIX}{number}(?:{_GAP}{number})+(?![0-9a-fA-F])")


def _before_gap(number: str) -> re.Pattern[str]:
    """Return a pattern for the end of a number: what begins with a character class is found fast."""
    return re.compile(rf"{number}(?:[hHuU]8?)?{_SIGNS}")


# Characters with the same signs between each two of them.
_UNITS = re.compile(
    r"(?<![A-Za-z0-9])[^\s|│'\"`,;()\[\]{}<>\x80-\U0010ffff](?P<gap>[^A-Za-z0-9\n]{1,8})"
    r"[ -~](?:(?P=gap)[ -~])+(?![A-Za-z0-9])"
)
_LISTS = (
    (_list_of("(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"), _before_gap("[0-9]"), 10, 1),
    (_list_of("(?:[0-9a-fA-F]{2}|(?<=[xX])[0-9a-fA-F])"), _before_gap("[0-9a-fA-F]"), 16, 1),
    (_list_of("0?[0-3]?[0-7]{2}"), _before_gap("[0-7]{2}"), 8, 1),
    (_list_of("[01]{7,8}"), _before_gap("[01]{7}"), 2, 1),
    (_list_of("[0-9a-fA-F]{4}"), _before_gap("[0-9a-fA-F]{4}"), 16, 2),
    (_list_of("[0-9a-fA-F]{8}"), _before_gap("[0-9a-fA-F]{8}"), 16, 4),
    (_list_of("[0-9a-fA-F]{16}"), _before_gap("[0-9a-fA-F]{16}"), 16, 8),
    (_list_of("[0-9]{4,5}"), _before_gap("[0-9]{4}"), 10, 2),
    (_UNITS, _UNITS, 0, 1),
)
"""What numbers in a list look like, what such a list has to hold, their base, and the bytes of each.

Base 0: each is a character itself."""
_DIGITS = {
    2: re.compile("[01]{7,8}"),
    8: re.compile("(?<![0-7])0?[0-3]?[0-7]{2}(?![0-7])"),
    10: re.compile("(?<![0-9A-Za-z])[0-9]{1,5}"),
    16: re.compile("(?<=[xX])[0-9a-fA-F]{1,16}|(?<![0-9a-fA-F])[0-9a-fA-F]{2,16}(?!')"),
    0: re.compile(""),
}
_WIDE = re.compile(rb"(?:[\t\n\r\x20-\x7e]\x00(?:\x00\x00)?){8,}")
_BLANKS_OF_LETTERS = re.compile(r"(?<=(?<!\S)\S)[ \t]{1,3}(?=\S(?!\S))")
_ORDERS: tuple[Literal["big", "little"], ...] = ("big", "little")
_FEWEST_BYTES = 8  # that make a text
_OLD = ("a", "c", "e", "g")
_NEW = ("b", "d", "f")


class DerivedText(JoinedText):
    """A text whose characters were read from places in another."""

    def __init__(
        self, base: JoinedText, text: str, starts: Sequence[int], ends: Sequence[int]
    ) -> None:
        """`starts` and `ends`: where in the base each character was read."""
        super().__init__()
        self._base, self._text, self._from, self._to = base, text, starts, ends

    @property
    def joints(self) -> Joints:
        """Where the base was joined."""
        joints = self._base.joints
        return Joints([bisect_left(self._from, at) for at in joints.offsets], joints.evidence)

    @property
    def text(self) -> str:
        """What was read."""
        return self._text

    def spans(self, start: int, end: int) -> list[Span]:
        """Return where the characters `[start, end)` were read, row by row."""
        return self._base.spans(self._from[start], self._to[end - 1])


class _Reading:
    """Collects the characters of a derived text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parts: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    def copy(self, start: int, end: int) -> None:
        """Append a part of the base as it is."""
        self.parts.append(self.text[start:end])
        self.starts += range(start, end)
        self.ends += range(start + 1, end + 1)

    def put(self, char: str, start: int, end: int) -> None:
        """Append one character read from a part of the base."""
        self.parts.append(char)
        self.starts.append(start)
        self.ends.append(end)

    def put_line(self, chars: str, starts: Sequence[int], ends: Sequence[int], first: int) -> None:
        """Append characters, each read from a part of the base; a line end at `first` follows."""
        self.parts += (chars, "\n")
        self.starts += (*starts, first)
        self.ends += (*ends, first + 1)

    def of(self, base: JoinedText) -> DerivedText:
        """Return the text."""
        return DerivedText(base, "".join(self.parts), self.starts, self.ends)


def derived_texts(base: JoinedText, code: Code) -> Iterator[DerivedText]:
    """Yield what a text holds besides what it says: without escapes, decoded, before and after a diff.

    `code`: what was found in it.
    """
    text = base.text
    if _HAS_ESCAPE.search(text):
        yield from _unescaped(base, text)
    if _WORD_DIFF.search(text):
        for kept in (_NEW, _OLD):
            yield _one_side(base, text, kept)
    if code.strings:
        yield _without(base, text, STRINGS)
    if code.letters:
        yield _without(base, text, _BLANKS_OF_LETTERS)
    yield from _decoded(base, text, code.encoded)
    if code.lists or code.characters:
        yield from _listed(base, text)
    if code.columns:  # one or two numbers a row: the rows are one list
        yield from _listed(base, text.replace("\n", " "))


def _unescaped(base: JoinedText, text: str) -> Iterator[DerivedText]:
    reading, at, any_ = _Reading(text), 0, False
    for match in _ESCAPE.finditer(text):
        kind = match.lastgroup or ""
        code = int(match[kind], _BASE[kind])
        if not 9 <= code < 0x110000:
            continue
        reading.copy(at, match.start())
        reading.put(chr(code), *match.span())
        at, any_ = match.end(), True
    reading.copy(at, len(text))
    if any_:
        yield reading.of(base)


def _one_side(base: JoinedText, text: str, kept: Sequence[str]) -> DerivedText:
    """Return a diff by words as one of its two sides."""
    reading, at = _Reading(text), 0
    for match in _WORD_DIFF.finditer(text):
        reading.copy(at, match.start())
        if match.lastgroup is not None and match.lastgroup in kept:
            reading.copy(*match.span(match.lastgroup))
        at = match.end()
    reading.copy(at, len(text))
    return reading.of(base)


def _without(base: JoinedText, text: str, marks: re.Pattern[str]) -> DerivedText:
    """Return a text without what is between strings, or letters."""
    reading, at = _Reading(text), 0
    for mark in marks.finditer(text):
        reading.copy(at, mark.start())
        at = mark.end()
    reading.copy(at, len(text))
    return reading.of(base)


def _decoded(
    base: JoinedText, text: str, encoded: Sequence[re.Match[str]]
) -> Iterator[DerivedText]:
    """Yield the printable parts of what base64 and hexadecimal in a text encode, one below the other."""
    reading = _Reading(text)
    for run in encoded:
        at = run.start()
        for shift, chars, places in _printed_in_base64(run[0]):
            starts = [at + place for place in places]
            reading.put_line(chars, starts, [start + 2 for start in starts], at + shift)
    for run in _BASE32.finditer(text):
        for start, chars, places in _printed_in_base32(run[0]):
            starts = [run.start() + place for place in places]
            reading.put_line(chars, starts, [at + 2 for at in starts], run.start() + start)
    for run in _ASCII85.finditer(text):
        reading.put_line(*_printed_in_ascii85(run), run.start())
    for run in _HEX.finditer(text) if _HAS_HEX.search(text) else ():
        at = run.start()
        pairs = [*_PAIR.finditer(run[0])]
        data = bytes.fromhex("".join([pair[0] for pair in pairs]))
        for part in _PRINTABLE.finditer(data):
            starts = [at + pair.start() for pair in pairs[slice(*part.span())]]
            reading.put_line(part[0].decode("ascii"), starts, [start + 2 for start in starts], at)
    if reading.parts:
        yield reading.of(base)


@lru_cache(maxsize=256)  # a run is in most of the readings of its rows
def _printed_in_base64(run: str) -> list[tuple[int, str, list[int]]]:
    """Return the printable parts of what a run encodes, from each of its first four characters on.

    Each with that character, and where the first of the two characters of each printed one is.
    """
    found: list[tuple[int, str, list[int]]] = []
    for shift in range(4):
        code = run[shift : len(run) - ((len(run) - shift) % 4 == 1)]
        code = code.replace("-", "+").replace("_", "/") + "=" * (-len(code) % 4)
        try:
            data = base64.b64decode(code)
        except (binascii.Error, ValueError):
            continue
        for part in _PRINTABLE.finditer(data):
            places = [shift + number * 4 // 3 for number in range(*part.span())]
            found.append((shift, part[0].decode("ascii"), places))
    return found


@lru_cache(maxsize=256)
def _printed_in_base32(run: str) -> list[tuple[int, str, list[int]]]:
    """The same for base32, from each of the first eight characters on."""
    found: list[tuple[int, str, list[int]]] = []
    for shift in range(8):
        code = run[shift:].rstrip("=")
        code = code[: len(code) - (len(code) % 8 in (1, 3, 6))]
        data = base64.b32decode(code + "=" * (-len(code) % 8))
        for part in _PRINTABLE.finditer(data):
            places = [shift + number * 8 // 5 for number in range(*part.span())]
            found.append((shift, part[0].decode("ascii"), places))
    return found


def _printed_in_ascii85(run: re.Match[str]) -> tuple[str, list[int], list[int]]:
    """Return what a run in ascii85 says, and the group that each character is in."""
    try:
        data = base64.a85decode(run["code"])
    except ValueError:
        return "", [], []
    starts = [run.start("code") + number // 4 * 5 for number in range(len(data))]
    return data.decode("latin-1"), starts, [at + 5 for at in starts]


class _Numbers(NamedTuple):
    """Numbers of a list, and where each one is."""

    values: list[int]
    places: list[tuple[int, int]]


def _listed(base: JoinedText, text: str) -> Iterator[DerivedText]:
    """Yield what lists of numbers say, for each way to write bytes as numbers."""
    for pattern, needed, radix, size in _LISTS:
        if needed.search(text) is None:
            continue
        lists = [*_lists(text, pattern, radix, size)]
        for order in _ORDERS if size > 1 else _ORDERS[:1]:
            reading = _Reading(text)
            for numbers in lists:
                _put_bytes(reading, numbers, size, order)
            if reading.parts:
                yield reading.of(base)


def _lists(text: str, pattern: re.Pattern[str], radix: int, size: int) -> Iterator[_Numbers]:
    """Yield the lists of one kind; those on rows one below the other are one.

    Of a row its longest list counts: an address before it and characters behind it do not.
    """
    whole, end = _Numbers([], []), 0
    for row, found in _by_row(text, pattern):
        if text[end:row].strip():
            yield whole
            whole = _Numbers([], [])
        end = text.find("\n", row)
        end = len(text) if end < 0 else end
        longest = max(found, key=lambda match: match.end() - match.start())
        for match in found:
            at = match.start()
            values, places = _numbers(match[0], radix, size)
            places = [(at + start, at + end) for start, end in places]
            if match is longest:
                whole.values.extend(values)
                whole.places.extend(places)
            else:
                yield _Numbers(values, places)
    yield whole


@lru_cache(maxsize=256)  # as `_printed_in_base64`
def _numbers(run: str, radix: int, size: int) -> _Numbers:
    """Return the numbers of one list that have so many bytes."""
    most, numbers = 1 << 8 * size, _Numbers([], [])
    if not radix:
        units = _UNITS.match(run)
        step = 1 + len(units["gap"]) if units is not None else 1
        places = range(0, len(run), step)
        return _Numbers([ord(run[at]) for at in places], [(at, at + 1) for at in places])
    for digits in _DIGITS[radix].finditer(run):
        if (value := int(digits[0], radix)) < most:
            numbers.values.append(value)
            numbers.places.append(digits.span())
    return numbers


def _by_row(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, list[re.Match[str]]]]:
    """Yield where rows begin, and the matches of a pattern that begin in each."""
    row, found, end = 0, list[re.Match[str]](), -1
    for match in pattern.finditer(text):
        if match.start() > end:
            if found:
                yield row, found
            row, found = text.rfind("\n", 0, match.start()) + 1, []
            end = text.find("\n", match.start())
            end = len(text) if end < 0 else end
        found.append(match)
    if found:
        yield row, found


def _put_bytes(
    reading: _Reading, numbers: _Numbers, size: int, order: Literal["big", "little"]
) -> None:
    """Append what can be printed of some numbers, in one or more bytes a character."""
    if len(numbers.values) * size < _FEWEST_BYTES:
        return
    if size == 1:
        data = bytes(numbers.values)
    else:
        data = b"".join([value.to_bytes(size, order) for value in numbers.values])
    for pattern in (_PRINTABLE, _WIDE):
        for part in pattern.finditer(data):
            places = [numbers.places[at // size] for at in range(*part.span()) if data[at]]
            reading.put_line(
                part[0].replace(b"\x00", b"").decode("ascii"),
                [start for start, _ in places],
                [end for _, end in places],
                numbers.places[part.start() // size][0],
            )
