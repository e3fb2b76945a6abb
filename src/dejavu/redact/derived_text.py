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
from typing import Literal, NamedTuple

from .joined_text import JoinedText, Joints, Span
from .reading_windows import LETTERS, MAY_LIST, STRINGS, has_strings, may_encode_text

__all__ = ["DerivedText", "derived_texts"]

_ESCAPE = re.compile(
    r"\\{1,4}u(?P<u>[0-9a-fA-F]{4})|\\{1,4}u\{(?P<b>[0-9a-fA-F]{1,6})\}|\\{1,4}U(?P<l>[0-9a-fA-F]{8})"
    r"|\\{1,4}x(?P<x>[0-9a-fA-F]{2})|\\{1,4}(?P<o>[0-3][0-7]{2})|%(?:25)*(?P<p>[0-9a-fA-F]{2})"
    # In quoted-printable a sign alone is `=3D`; `KEY=20` is no blank.
    r"|=(?P<q>3D|[0-9A-F]{2}(?==[0-9A-F]{2})|(?<==[0-9A-F]{2}=)[0-9A-F]{2})|&#(?P<d>[0-9]{2,5});?|&#[xX](?P<h>[0-9a-fA-F]{2,5});?"
)
_HAS_ESCAPE = re.compile(r"\\+[uUxX0-3]|%[0-9a-fA-F]{2}|=[0-9A-F]{2}|&#")
_BASE = {**dict.fromkeys("ublxpqh", 16), "d": 10, "o": 8}
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX = re.compile(r"(?:(?:0x)?[0-9a-fA-F]{2}(?:,? ?|:)){8,}")
_PAIR = re.compile(r"[0-9a-fA-F]{2}(?!x)")
_PRINTABLE = re.compile(rb"[\t\n\r\x20-\x7e]{8,}")
_WORD_DIFF = re.compile(
    r"\[-(?P<a>(?:(?!-\]).){0,4096}?)-\]|\{--(?P<c>(?:(?!--\}).){0,4096}?)--\}|\{\+\+(?P<d>(?:(?!\+\+\}).){0,4096}?)\+\+\}"
    r"|\{\+(?P<b>(?:(?!\+\}).){0,4096}?)\+\}"
    r"|<(?:del|s)>(?P<e>[^<]{0,4096})</(?:del|s)>|<ins>(?P<f>[^<]{0,4096})</ins>"
    r"|~~(?P<g>[^~]{1,4096})~~"
)
# What is between two numbers of a list, or starts them: signs, `0x`, `chr(`, a suffix.
_SIGNS = r"[^A-Za-z0-9\n]{1,4}"
_GAP = rf"(?:[hHuU]8?)?{_SIGNS}(?:(?:[cC]h(?:r|ar)|CH(?:R|AR)|byte|u?int8){_SIGNS})?(?:0?[xXo])?"


def _list_of(number: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9])(?:0?[xXo])?{number}(?:{_GAP}{number})+(?![0-9a-fA-F])")


_LISTS = (
    (_list_of("(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"), 10, 1),
    (_list_of("(?:[0-9a-fA-F]{2}|(?<=[xX])[0-9a-fA-F])"), 16, 1),
    (_list_of("[0-3]?[0-7]{2}"), 8, 1),
    (_list_of("[01]{7,8}"), 2, 1),
    (_list_of("[0-9a-fA-F]{4}"), 16, 2),
    (_list_of("[0-9a-fA-F]{8}"), 16, 4),
    (_list_of("[0-9a-fA-F]{16}"), 16, 8),
    (_list_of("[0-9]{4,5}"), 10, 2),
)
"""What numbers in a list look like, their base, and the bytes of each."""
_DIGITS = {
    2: re.compile("[01]{7,8}"),
    8: re.compile("[0-3]?[0-7]{2}"),
    10: re.compile("(?<![0-9A-Za-z])[0-9]{1,5}"),
    16: re.compile("(?<=[xX])[0-9a-fA-F]{1,16}|(?<![0-9a-fA-F])[0-9a-fA-F]{2,16}"),
}
_WIDE = re.compile(rb"(?:[\t\n\r\x20-\x7e]\x00(?:\x00\x00)?){8,}")
_BLANKS_OF_LETTERS = re.compile(r"(?<=(?<!\S)\S)[ \t]{1,3}(?=\S(?!\S))")
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

    def of(self, base: JoinedText) -> DerivedText:
        """Return the text."""
        return DerivedText(base, "".join(self.parts), self.starts, self.ends)


def derived_texts(base: JoinedText) -> Iterator[DerivedText]:
    """Yield what a text holds besides what it says: without escapes, decoded, before and after a diff."""
    text = base.text
    if _HAS_ESCAPE.search(text):
        yield from _unescaped(base, text)
    if _WORD_DIFF.search(text):
        for kept in (_NEW, _OLD):
            yield _one_side(base, text, kept)
    if has_strings(text):
        yield _without(base, text, STRINGS)
    if LETTERS.search(text):
        yield _without(base, text, _BLANKS_OF_LETTERS)
    yield from _decoded(base, text)
    if MAY_LIST.search(text):
        yield from _listed(base, text)


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


def _decoded(base: JoinedText, text: str) -> Iterator[DerivedText]:
    """Yield the printable parts of what base64 and hexadecimal in a text encode, one below the other."""
    reading = _Reading(text)
    for run in _BASE64.finditer(text):
        if not may_encode_text(run[0]):
            continue
        for shift in range(4):
            _put_base64(reading, run[0][shift:], run.start() + shift)
    for run in _HEX.finditer(text):
        pairs = [*_PAIR.finditer(run[0])]
        data = bytes(int(pair[0], 16) for pair in pairs)
        for part in _PRINTABLE.finditer(data):
            for number in range(*part.span()):
                place = pairs[number]
                reading.put(
                    chr(data[number]), run.start() + place.start(), run.start() + place.end()
                )
            reading.put("\n", run.start(), run.start() + 1)
    if reading.parts:
        yield reading.of(base)


def _put_base64(reading: _Reading, run: str, offset: int) -> None:
    run = run.rstrip("=")
    run = run[: len(run) - (len(run) % 4 == 1)]
    try:
        data = base64.b64decode(run.replace("-", "+").replace("_", "/") + "=" * (-len(run) % 4))
    except (binascii.Error, ValueError):
        return
    for part in _PRINTABLE.finditer(data):
        for number in range(*part.span()):
            first = number * 4 // 3
            reading.put(chr(data[number]), offset + first, offset + first + 2)
        reading.put("\n", offset, offset + 1)


class _Numbers(NamedTuple):
    """Bytes that a text writes as numbers, and where the number of each one is."""

    data: bytearray
    places: list[tuple[int, int]]


def _listed(base: JoinedText, text: str) -> Iterator[DerivedText]:
    """Yield what lists of numbers say, for each way to write bytes as numbers."""
    for pattern, radix, size in _LISTS:
        for order in ("big", "little") if size > 1 else ("big",):
            reading = _Reading(text)
            for numbers in _lists(text, pattern, radix, size, order):
                _put_bytes(reading, numbers)
            if reading.parts:
                yield reading.of(base)


def _lists(
    text: str, pattern: re.Pattern[str], radix: int, size: int, order: Literal["big", "little"]
) -> Iterator[_Numbers]:
    """Yield the lists of one kind; those on rows one below the other are one.

    Of a row its longest list counts: an address before it and characters behind it do not.
    """
    rows: dict[int, list[re.Match[str]]] = {}
    for match in pattern.finditer(text):
        rows.setdefault(text.rfind("\n", 0, match.start()) + 1, []).append(match)
    whole, end = _Numbers(bytearray(), []), 0
    for row, found in rows.items():
        if text[end:row].strip():
            yield whole
            whole = _Numbers(bytearray(), [])
        end = text.find("\n", row)
        end = len(text) if end < 0 else end
        longest = max(found, key=lambda match: match.end() - match.start())
        for match in found:
            numbers = whole if match is longest else _Numbers(bytearray(), [])
            for digits in _DIGITS[radix].finditer(text, *match.span()):
                value = int(digits[0], radix)
                if value < 1 << 8 * size:
                    numbers.data.extend(value.to_bytes(size, order))
                    numbers.places.extend([digits.span()] * size)
            if match is not longest:
                yield numbers
    yield whole


def _put_bytes(reading: _Reading, numbers: _Numbers) -> None:
    """Append what can be printed of some bytes, in one or more bytes a character."""
    for pattern in (_PRINTABLE, _WIDE):
        for part in pattern.finditer(numbers.data):
            for at in range(*part.span()):
                if numbers.data[at]:
                    reading.put(chr(numbers.data[at]), *numbers.places[at])
            first = numbers.places[part.start()][0]
            reading.put("\n", first, first + 1)
