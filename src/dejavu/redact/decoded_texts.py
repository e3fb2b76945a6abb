"""Texts read out of other texts: decoded, or without the marks a program puts between words.

Each character of a `DerivedText` knows which characters of its base it was read from, and the base
knows the rows. What is decoded is looked for by form alone; whether it is a secret the rules say.
No I/O. Cost: linear in the base, a constant number of times.

Tested in: tests/redact/test_reading_windows.py
"""

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from .derived_text import DerivedText, Reading
from .joined_text import JoinedText
from .listed_bytes import listed, printed
from .reading_windows import STRINGS, UU_RUN, Code
from .worded_bytes import cells, scattered, worded

__all__ = ["derived_texts"]

_ESCAPE = re.compile(
    r"\\{1,4}u(?P<u>[0-9a-fA-F]{4})|\\{1,4}u\{(?P<b>[0-9a-fA-F]{1,6})\}|\\{1,4}U(?P<l>[0-9a-fA-F]{8})"
    r"|\\{1,4}x(?P<x>[0-9a-fA-F]{2})|\\{1,4}(?P<o>[0-3][0-7]{2})|%(?:25)*(?P<p>[0-9a-fA-F]{2})"
    r"|\\{1,4}(?P<s>[-._:/=+@~,;!#$%&*?()\[\]{}<>|\"' ])"
    # In quoted-printable a sign alone is `=3D`; `KEY=20` is no blank.
    r"|=(?P<q>3D|[0-9A-F]{2}(?==[0-9A-F]{2})|(?<==[0-9A-F]{2}=)[0-9A-F]{2})|&#(?P<d>[0-9]{2,5});?|&#[xX](?P<h>[0-9a-fA-F]{2,5});?"
)
_HAS_ESCAPE = re.compile(
    r"\\+(?:[uUxX0-3]|[-._:/=+@~](?=\w))|%[0-9a-fA-F]{2}|=[0-9A-F]{2}|&#|\[[0-9;]{1,8}m"
)
_BASE = {**dict.fromkeys("ublxpqh", 16), "d": 10, "o": 8}
_HEX = re.compile(r"(?:(?:0x)?[0-9a-fA-F]{2}(?:,? ?|:)){8,}")
_HAS_HEX = re.compile(r"[0-9a-fA-F]{2}(?:,? ?|:)(?:(?:0x)?[0-9a-fA-F]{2}(?:,? ?|:)){7}")
_PAIR = re.compile(r"[0-9a-fA-F]{2}(?!x)")
_RECORD = re.compile(
    r"(?:(?<![A-Za-z0-9])|(?<=S))(?:[0-9A-Fa-f]{16,}"
    r"|[0-9A-Fa-f]{6,16}(?: [0-9A-Fa-f]{6,16}){1,16}(?: [0-9A-Fa-f]{2,14})?)(?![A-Za-z0-9])"
)
_RECORD_BYTES = 5  # of an Intel HEX record that are no data: its length, address, kind and checksum
_BETWEEN_RECORDS = 12  # characters: a checksum, and the number of the next row
_BASE32 = re.compile("(?<![A-Z0-9+/])[A-Z2-7]{24,}={0,6}(?![A-Za-z0-9+/])")
_ASCII85 = re.compile(r"<~(?P<code>[!-uz]{10,})~>")
_WORD_DIFF = re.compile(
    r"\[-(?P<a>(?:(?!-\]).){0,4096}?)-\]|\{--(?P<c>(?:(?!--\}).){0,4096}?)--\}|\{\+\+(?P<d>(?:(?!\+\+\}).){0,4096}?)\+\+\}"
    r"|\{\+(?P<b>(?:(?!\+\}).){0,4096}?)\+\}"
    r"|<(?:del|s)>(?P<e>[^<]{0,4096})</(?:del|s)>|<ins>(?P<f>[^<]{0,4096})</ins>"
    r"|~~(?P<g>[^~]{1,4096})~~"
)
_BLANKS_OF_LETTERS = re.compile(r"(?<=(?<!\S)\S)[ \t]{1,3}(?=\S(?!\S))")
_PRINTED = re.compile(rb"[\t\n\r\x1b\x20-\x7e]{8,}")
_DEEPEST = 3  # base64 of base64 of an escaped text
_OLD = ("a", "c", "e", "g")
_NEW = ("b", "d", "f")


def derived_texts(base: JoinedText, code: Code, depth: int = 1) -> Iterator[DerivedText]:
    """Yield what a text holds besides what it says: without escapes, decoded, before and after a diff.

    `code`: what was found in it. What is read there is read as well, up to the third time.
    """
    for derived in _copies(base, code):
        yield derived
        if depth < _DEEPEST and any(more := Code.of(derived.text).beyond(code)):
            yield from derived_texts(derived, more, depth + 1)
    for derived in _decoded(base, code):
        yield derived
        if depth < _DEEPEST and any(inner := Code.of(derived.text)):
            yield from derived_texts(derived, inner, depth + 1)


def _copies(base: JoinedText, code: Code) -> Iterator[DerivedText]:
    """Yield a text without escapes, before and after a diff, without what is between strings or letters."""
    text = base.text
    if code.escapes and _HAS_ESCAPE.search(text):
        yield from _unescaped(base, text)
    if code.escapes and _WORD_DIFF.search(text):
        for kept in (_NEW, _OLD):
            yield _one_side(base, text, kept)
    if code.strings:
        yield _without(base, text, STRINGS)
    if code.letters:
        yield _without(base, text, _BLANKS_OF_LETTERS)


def _decoded(base: JoinedText, code: Code) -> Iterator[DerivedText]:
    """Yield what is written in a text in another alphabet, or as numbers."""
    text = base.text
    if code.encoded or code.escapes:
        yield from _in_alphabets(base, text, code)
    if code.uu:
        yield _without_uu(base, text)
    if code.lists or code.characters:
        yield from (reading.of(base) for reading in listed(text))
        yield from (reading.of(base) for reading in scattered(text))
    if code.columns:  # one or two numbers a row: the rows are one list
        yield from (reading.of(base) for reading in listed(text.replace("\n", " ")))
    if code.worded:
        yield from (reading.of(base) for reading in worded(text))
    if code.cells:
        yield cells(text).of(base)


def _unescaped(base: JoinedText, text: str) -> Iterator[DerivedText]:
    reading, at, any_ = Reading(text), 0, False
    for match in _ESCAPE.finditer(text):
        kind = match.lastgroup or ""
        code = ord(match[kind]) if kind == "s" else int(match[kind], _BASE[kind])
        if not 9 <= code < 0x110000:
            continue
        reading.copy(at, match.start())
        reading.put(chr(code), *match.span())
        at, any_ = match.end(), True
    reading.copy(at, len(text))
    if any_ or "m" in text:
        derived = reading.of(base)
        if any_ or len(derived.text) < len(text):
            yield derived


def _one_side(base: JoinedText, text: str, kept: Sequence[str]) -> DerivedText:
    """Return a diff by words as one of its two sides."""
    reading, at = Reading(text), 0
    for match in _WORD_DIFF.finditer(text):
        reading.copy(at, match.start())
        if match.lastgroup is not None and match.lastgroup in kept:
            reading.copy(*match.span(match.lastgroup))
        at = match.end()
    reading.copy(at, len(text))
    return reading.of(base)


def _without(base: JoinedText, text: str, marks: re.Pattern[str]) -> DerivedText:
    """Return a text without what is between strings, or letters."""
    reading, at = Reading(text), 0
    for mark in marks.finditer(text):
        reading.copy(at, mark.start())
        at = mark.end()
    reading.copy(at, len(text))
    return reading.of(base)


def _in_alphabets(base: JoinedText, text: str, code: Code) -> Iterator[DerivedText]:
    """Yield the printable parts of what base64 and hexadecimal in a text encode, one below the other."""
    reading = Reading(text)
    for run in code.encoded:
        at = run.start()
        for shift, chars, places in _printed_in_base64(run[0]):
            starts = [at + place for place in places]
            reading.put_line(chars, starts, [start + 2 for start in starts], at + shift)
    for run in _BASE32.finditer(text) if code.escapes else ():
        for start, chars, places in _printed_in_base32(run[0]):
            starts = [run.start() + place for place in places]
            reading.put_line(chars, starts, [at + 2 for at in starts], run.start() + start)
    for run in _ASCII85.finditer(text) if code.escapes else ():
        reading.put_line(*_printed_in_ascii85(run), run.start())
    for run in _HEX.finditer(text) if code.escapes and _HAS_HEX.search(text) else ():
        at = run.start()
        pairs = [*_PAIR.finditer(run[0])]
        data = bytes.fromhex("".join([pair[0] for pair in pairs]))
        for chars, numbers in printed(data):
            starts = [at + pairs[number].start() for number in numbers]
            reading.put_line(chars, starts, [start + 2 for start in starts], at)
    if reading.parts:
        yield reading.of(base)
    if code.escapes:
        yield from _records(base, text)


def _without_uu(base: JoinedText, text: str) -> DerivedText:
    """Return what uuencoded rows say: one text where each is right below the other."""
    reading, end = Reading(text), -1
    for run in UU_RUN.finditer(text):
        if reading.parts and text[end : run.start()].strip(" \n│|"):
            reading.put("\n", run.start(), run.start() + 1)
        for row in ("row", "last"):
            start, end = run.span(row)
            code = text[start + 1 : end]
            if (
                row == "last"
                and len(code) > (ord(text[start : start + 1] or " ") - 31) // 3 * 4 + 4
            ):
                break  # more than it says
            bits = "".join([f"{(ord(sign) - 32) % 64:06b}" for sign in code])
            for place in range(0, len(bits) - 7, 8):
                byte, at = int(bits[place : place + 8], 2), start + 1 + place // 6
                reading.put(chr(byte) if 32 <= byte < 127 else "\x01", at, at + 2)
        end = run.end()
    return reading.of(base)


def _records(base: JoinedText, text: str) -> Iterator[DerivedText]:
    """Yield what rows of hexadecimal say that have other bytes at their ends: the rows are one text."""
    reading, end, rows = Reading(text), -1, 0
    for run in _RECORD.finditer(text):
        pairs = max((_printed_pairs(run[0], shift) for shift in (0, 1)), key=len)
        if not pairs:
            continue
        between = text[end : run.start()]
        if reading.parts and len(between) > _BETWEEN_RECORDS and between.strip(" \n:"):
            reading.put("\n", run.start(), run.start() + 1)
        for char, at in pairs:
            reading.put(char, run.start() + at, run.start() + at + 2)
        end, rows = run.end(), rows + 1
    if rows > 1:
        yield reading.of(base)


@lru_cache(maxsize=256)
def _printed_pairs(run: str, shift: int) -> list[tuple[str, int]]:
    """Return the longest printable part of a run of hexadecimal, from its first or second digit on."""
    places = [at for at, char in enumerate(run) if char != " "]
    digits = run.replace(" ", "")
    data = bytes.fromhex(digits[shift : len(digits) - (len(digits) - shift) % 2])
    if data[0] == len(data) - _RECORD_BYTES or data[0] == len(data) - 1:
        data = data[:-1] + b"\0"  # the last byte is the record's checksum
    part = max(_PRINTED.finditer(data), key=lambda part: len(part[0]), default=None)
    if part is None:
        return []
    return [(chr(data[at]), places[shift + 2 * at]) for at in range(*part.span())]


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
        for chars, numbers in printed(data):
            found.append((shift, chars, [shift + number * 4 // 3 for number in numbers]))
    return found


@lru_cache(maxsize=256)
def _printed_in_base32(run: str) -> list[tuple[int, str, list[int]]]:
    """The same for base32, from each of the first eight characters on."""
    found: list[tuple[int, str, list[int]]] = []
    for shift in range(8):
        code = run[shift:].rstrip("=")
        code = code[: len(code) - (len(code) % 8 in (1, 3, 6))]
        data = base64.b32decode(code + "=" * (-len(code) % 8))
        for chars, numbers in printed(data):
            found.append((shift, chars, [shift + number * 8 // 5 for number in numbers]))
    return found


def _printed_in_ascii85(run: re.Match[str]) -> tuple[str, list[int], list[int]]:
    """Return what a run in ascii85 says, and the group that each character is in."""
    try:
        data = base64.a85decode(run["code"])
    except ValueError:
        return "", [], []
    starts = [run.start("code") + number // 4 * 5 for number in range(len(data))]
    return data.decode("latin-1"), starts, [at + 5 for at in starts]
