"""Secrets in tables: the cells below a heading that says what they are.

CSV, TSV, tables in Markdown and those that `psql` and `mysql` draw: a line of headings, one of which
names a secret (`RULE` finds it), and lines with as many separators below it. No I/O. Cost: O(table).
"""

import re
from collections.abc import Iterable, Iterator

from .heuristics import is_plausible_secret, is_short_password
from .rule import Rule

__all__ = ["COLUMN", "RULE", "column_hits"]

COLUMN = "column"
"""What a cell below a heading is called in its replacement."""
_WORDS = (
    "password", "passwd", "passphrase", "secret", "token", "api_key", "access_key", "private_key", "credential",
)  # fmt: skip
_WORD = (
    r"(?:passw(?:or)?d|passphrase|secret(?:[ _.-]?(?:access)?[ _.-]?key)?|token"
    r"|(?:api|access|private)_key|credential)s?"
)
RULE = Rule(
    "heading", "", tuple(form for word in _WORDS for form in (word, word.upper(), word.capitalize())),
    re.compile(_WORD + r"\"?[ ]{0,80}(?=[,;\t|\r\n]|$)", re.IGNORECASE),
    "", "headings of tables", anchored_inside=True, public=True, reach=120,
)  # fmt: skip
_NAME = re.compile(rf"(?:[\w.-]+[ _.-])?{_WORD}", re.IGNORECASE)
_HARMLESS = re.compile(
    r"(?:public|next|page|csrf|input|output|cache|max|min|total)[ _.-]", re.IGNORECASE
)
_SEPARATORS = ("\t", "|", ";", ",")
_ROWS = 2000  # of a table that are read
_LONGEST = 4096  # characters of a row
_LINE = re.compile(r"[\s|+:=-]+")


def column_hits(
    text: str, headings: Iterable[tuple[int, int, str]]
) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and rule of the cells below headings: (start, end, rule) each."""
    seen: set[int] = set()
    for at, _, rule in headings:
        if rule != RULE.name:
            continue
        start, stop = text.rfind("\n", max(0, at - _LONGEST), at) + 1, _line_end(text, at)
        line = text[start:stop]
        if start in seen or len(line) > _LONGEST or stop >= len(text):
            continue
        seen.add(start)
        separator = next((sign for sign in _SEPARATORS if sign in line), "")
        names = [cell.strip(' "\r') for cell in line.split(separator)] if separator else []
        columns = [
            number
            for number, name in enumerate(names)
            if _NAME.fullmatch(name) and not _HARMLESS.match(name)
        ]
        for number, value, begin in _cells(text, stop, separator, len(names), columns):
            if _is_secret(names[number], value):
                yield begin, begin + len(value), COLUMN


def _cells(
    text: str, stop: int, separator: str, count: int, columns: list[int]
) -> Iterator[tuple[int, str, int]]:
    """Yield column, value and place of the cells in some columns of the rows below a line."""
    for _ in range(_ROWS if columns else 0):
        start = stop + 1
        if start >= len(text):
            return
        stop = _line_end(text, start)
        row = text[start:stop]
        if _LINE.fullmatch(row):
            continue
        cells = row.split(separator)
        if len(cells) != count or len(row) > _LONGEST:
            return
        for number in columns:
            value = cells[number].strip(" \"'\r`")
            before = sum(map(len, cells[:number])) + number
            yield number, value, start + before + cells[number].index(value)


def _is_secret(name: str, value: str) -> bool:
    if "pass" in name.lower():
        return " " not in value and is_short_password(value, setting=True, quoted=True)
    return is_plausible_secret(value, key="_" + name, before="", quoted=False)


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end
