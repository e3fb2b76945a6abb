"""Bytes of a text that words or rows part: numbers with words between, words of memory, a character a row.

What is one list is in `listed_bytes.py`. No I/O. Cost: linear in the text.

Tested in: tests/redact/test_listed_bytes.py
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from .derived_text import Reading
from .listed_bytes import ORDERS, Numbers, put_bytes
from .reading_windows import CELL, WORDED

__all__ = ["cells", "scattered", "worded"]

_FORM = re.compile(r"[0-9a-fA-F]+|\s+")
_OWN_NUMBER = re.compile(r"(?:0x)?[0-9a-fA-F]{2,3}[ \t]+\Z")
"""The number of a character, before it."""
_NEAR = 12  # characters before a character that may be its number
_WORD = re.compile(r"0x((?:[2-7][0-9a-fA-F]){3,8})(?![0-9a-fA-F])")
_FAR = 400  # characters between two words that are one text
_FEWEST_CELLS = 6  # that are one text, one below the other


def worded(text: str) -> Iterator[Reading]:
    """Yield what numbers say that have the same words between each two: `71u8, 73u8`, `chr(71) + chr(73)`.

    A row of them is followed by the rows that have one such number and more.
    """
    for radix in (10, 16):
        reading = Reading(text)
        end = 0
        for found in WORDED.finditer(text):
            if found.start() < end:
                continue
            start = text.rfind("\n", 0, found.start()) + 1
            pattern = _number_between(*_around(found["gap"]))
            numbers = Numbers([], [])
            while start < len(text):
                stop = text.find("\n", start)
                stop = len(text) if stop < 0 else stop
                row = [*pattern.finditer(text, start, stop)]
                if not row:
                    break
                _add_row(numbers, row, radix)
                end, start = stop, stop + 1
            put_bytes(reading, numbers, 1, "big")
        if reading.parts:
            yield reading


def _around(gap: str) -> tuple[str, str]:
    """Return what is right before and right behind each number, of what is between two."""
    before = re.search(r"(?:0[xX]|[^\s,]{0,6})\Z", gap)
    behind = re.match(r"[^\s,]{0,6}", gap)
    return before[0] if before else "", behind[0] if behind else ""


@lru_cache(maxsize=64)
def _number_between(before: str, behind: str) -> re.Pattern[str]:
    first = rf"(?:(?<={re.escape(before)})|(?<=[\s,(\[{{]))" if before else "(?<![0-9A-Za-z])"
    return re.compile(
        rf"{first}([0-9a-fA-F]{{2,3}})(?:(?={re.escape(behind)})|(?=[^0-9A-Za-z]|$))", re.MULTILINE
    )


def _add_row(numbers: Numbers, row: list[re.Match[str]], radix: int) -> None:
    for number in row:
        if radix == 10 and not number[1].isdecimal():
            continue
        if (value := int(number[1], radix)) < 256:
            numbers.values.append(value)
            numbers.places.append(number.span(1))


def scattered(text: str) -> Iterator[Reading]:
    """Yield what words of the machine say that are among other things, each all of characters."""
    found = [*_WORD.finditer(text)]
    for order in ORDERS if len(found) > 1 else ():
        reading, end = Reading(text), 0
        for word in found:
            if reading.parts and word.start() > end + _FAR:
                reading.put("\n", word.start(), word.start() + 1)
            data = bytes.fromhex(word[1])
            for byte in data if order == "big" else data[::-1]:
                reading.put(chr(byte), *word.span())
            end = word.end()
        yield reading


def cells(text: str) -> Reading:
    """Return what single characters say that rows of one form end with, one below the other."""
    reading, group = Reading(text), list[re.Match[str]]()
    form, end = "", -1
    for cell in CELL.finditer(text):
        start = text.rfind("\n", 0, cell.start()) + 1
        own = _form(text[start : cell.start()])
        if own != form or start > end + 1:
            _put_cells(reading, group)
            group, form = [], own
        group.append(cell)
        end = cell.end()
    _put_cells(reading, group)
    return reading


def _form(text: str) -> str:
    """What rows have in common that say the number of each: `  [0] = `."""
    return _FORM.sub(lambda part: " " if part[0].isspace() else "0", text)


def _put_cells(reading: Reading, group: list[re.Match[str]]) -> None:
    if len(group) < _FEWEST_CELLS:
        return
    for cell in group:
        start, end = cell.span(cell.lastgroup or 0)
        number = _OWN_NUMBER.search(reading.text[max(0, start - _NEAR) : cell.start()])
        first = start if number is None else cell.start() - len(number[0])
        reading.put(reading.text[end - 1], first, end)
    reading.put("\n", group[-1].end(), group[-1].end() + 1)
