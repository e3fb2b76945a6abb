"""Which rows are worth another reading: most of a screen holds nothing that it could show.

A reading is asked for only around rows that have what it is for: a mark next to a run that is no word,
an escape, or what base64 and hexadecimal look like where they encode text. No I/O. Cost: one search
of the rows for each kind.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from .cut_neighbours import RUN, is_spelt

__all__ = [
    "CELL",
    "STRINGS",
    "UU_RUN",
    "WORDED",
    "Code",
    "coded_rows",
    "has_code",
    "is_beside_run",
    "is_piece",
    "marks_of",
    "windows",
]

# At the end of a row or cell: a sign that is no part of a word, or a decoration behind a blank.
_END_MARK = re.compile(
    r"[ \t][^A-Za-z0-9\s|│┃][^A-Za-z0-9]*$|[^\x00-\x7f\w\u2500-\u259f]+$|[\\>$~.+:=»&-]$"
    r"|(?:[.+:;=\\>$~&-]|[^\x00-\x7f\w\s\u2500-\u259f])(?=\s*[|│┃])|"
    r"[^\x00-\x7f\w\s\u2500-\u259f](?=\s*$)|[.+:](?=\s+$)"
)
_START_MARK = re.compile(
    r"\s*(?:(?:[A-Z][a-z]{2} +\d{1,2} |\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?Z? )"
    r"|\s*[<$\\&](?=\S)|\s*[^\x00-\x7f\w\s\u2500-\u259f](?=\S)"
)
_COMMAND = re.compile(r"\\[A-Za-z]{4,24}\s*\Z")
_HOST = re.compile(r"(?<![^\s\"'=])(?:[a-z0-9_-]{1,63}\.){1,6}[a-z]{2,10}\.\s*\Z")
_CELL_MARK = re.compile("(?<=[|│┃])[.:;…]|(?<=[|│┃] )[↪↳⤷…](?= )")
_RUN_AT_END = re.compile(rf"(?<!{RUN})({RUN}{{2,}})\s*\Z")
_RUN_AT_START = re.compile(rf"\s*({RUN}{{2,}})")
_SIGNS = "".join(chr(code) for code in range(128) if not chr(code).isalnum())
_NEAR = 128  # characters of a run that are looked at
# Text in base64: of each three bytes the first is below 0x80, and so are the others, and none a control.
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_SECOND = "".join(letter for nth, letter in enumerate(_ALPHABET) if 2 <= nth % 16 < 8)
_THIRD = "".join(letter for nth, letter in enumerate(_ALPHABET) if nth % 4 < 2)
_BASE64 = re.compile("[A-Za-z0-9+/_-]{16,}")
_OF_TEXT = re.compile(rf"(?:[I-Za-f][{_SECOND}][{_THIRD}_][A-Za-z0-9+/_-]){{2}}")
_OF_WIDE = re.compile("(?:[I-Za-f][AQgw][AB][A-Za-z0-9+/_-]A[C-H][AEIMQUYcgkosw048]A){2}")
"""The same of text with a zero behind each character."""
# The same in the alphabet of uuencode, which has no small letters and begins with a blank.
_SIX_BITS = [f"\\x{32 + value:02x}" for value in range(64)]
_UU_FIRST = "".join(_SIX_BITS[8:32])
_UU_SECOND = "".join(sign for nth, sign in enumerate(_SIX_BITS) if 2 <= nth % 16 < 8)
_UU_THIRD = "`" + "".join(sign for nth, sign in enumerate(_SIX_BITS) if nth % 4 < 2)
_OF_UU = re.compile(rf"(?:[{_UU_FIRST}][{_UU_SECOND}][{_UU_THIRD}][ -`]){{4}}")
UU_RUN = re.compile(
    r"(?<!\S)(?P<row>[!-`][ -`]{15,}[!-`])(?!\S)(?:[ │]*\n[ │]*(?P<last>[!-M][!-`]{2,24})(?!\S))?"
)
"""What may be uuencoded: a sign that says how many bytes follow, and these; the last row may be short."""
# Each of these begins with a character that it consumes: then `re` skips to it, and tries nowhere else.
_PAIRS = re.compile(r"[2-7][0-9a-fA-F](?:,? ?|:)(?:(?:0x)?[2-7][0-9a-fA-F](?:,? ?|:)){7}")
_ESCAPES = re.compile(
    r"[\\%=&+<~\[-](?:(?<=[C\[e␛]\[)[0-9;]{1,8}m|(?<=\\)(?:[uUx]|[0-3][0-7]{2}|[-._:/=+@~](?=\w))|(?<=%)[0-9a-fA-F]{2}|(?<==)(?:3D|[0-9A-F]{2}=[0-9A-F]{2})"
    r"|(?<=&)#|(?<=-)(?:\]|-\})|(?<=[+])\}|(?<=<)/(?:del|s|ins)>|(?<=~)~)"
)
_PRINTED = "(?:3[2-9]|[4-9][0-9]|1[01][0-9]|12[0-6])"
_FIRST_PRINTED = "(?:(?<=3)[2-9]|(?<=[4-9])[0-9]|(?<=1)(?:[01][0-9]|2[0-6]))"
_CALL = r"(?:[A-Za-z_][A-Za-z_.]{0,11}[^A-Za-z0-9\n]{1,4})?"  # what is called for each number
_OF_BASE = r"(?:0?[xX]|[0-9]{1,2}'[hHdDoObB]|[uU]\+)?"  # what says in which base one is written


def _first(*prefixes: str) -> str:
    """Return what has to stand before the first digit: no word, or one of the prefixes alone."""
    alone = "(?<![A-Za-z0-9])"
    return "|".join((f"{alone[:-1]}.)", *(f"(?<={alone}{prefix}.)" for prefix in prefixes)))


def _repeated(first: str, number: str, behind: str, count: int) -> str:
    return f"{first}{behind}(?:{number}{behind}){{{count - 1}}}"


_MAY_LIST = re.compile(
    r"[0-9](?:(?<![A-Za-z0-9].)|(?<=[xXohHdD].))(?=[0-9a-fA-F]{0,15}[hH]?[^A-Za-z0-9\n])"
    rf"(?:(?:{_first('[xX]', '0[xX]')}|(?<='[hHdD].)|(?<=[uU][+].))(?:"
    + _repeated(_FIRST_PRINTED, rf"{_OF_BASE}{_PRINTED}", rf"\b[^A-Za-z0-9\n]{{1,12}}{_CALL}", 6)
    + "|"
    + _repeated(
        "(?<=[2-7])[0-9a-fA-F]", rf"{_OF_BASE}[2-7][0-9a-fA-F]",
        rf"[hH]?\b(?:,? ?00\b)?[^A-Za-z0-9\n]{{1,4}}{_CALL}", 6,
    )
    + rf")|(?:{_first('0x', '[uU][+]')}|(?<=[uU][+].))"
    + _repeated(
        "(?<=0)0[2-7][0-9a-fA-F]", rf"{_OF_BASE}00[2-7][0-9a-fA-F]", r"[^A-Za-z0-9\n]{1,6}", 4,
    )
    + rf"|(?:{_first('0x')})"
    + _repeated(
        "(?<=[2-7])[0-9a-fA-F](?:[2-7][0-9a-fA-F]){1,7}", "(?:0x)?(?:[2-7][0-9a-fA-F]){2,8}",
        r"[^A-Za-z0-9\n]{1,6}", 4,
    )
    + rf"|(?:{_first('0x')})"
    # Words of four bytes and more: two are enough of a text.
    + r"(?<=[2-7])[0-9a-fA-F](?:[2-7][0-9a-fA-F]){3,7}[^A-Za-z0-9\n]{1,6}(?:0x)?(?:[2-7][0-9a-fA-F]){4,8}\b"
    + rf"|(?:{_first('0x', '0o')})"
    + _repeated(
        "(?:(?<=[01])(?:[01]?[0-7]{2}|[01]{6,7})|[0-9]{4})",
        "(?:0x|0o)?(?:0?[01][0-7]{2}|[01]{7,8}|[0-9]{5})", r"[^A-Za-z0-9\n]{1,6}", 6,
    )
    + ")"
)  # fmt: skip
"""What a text has to hold where it may write bytes as numbers in a list."""
STRINGS = re.compile(
    r"(?<=[A-Za-z0-9+/_=-])\\{0,3}(?P<quote>[\"'`])[^A-Za-z0-9\"'`:=<>]{0,32}\\{0,3}(?P=quote)(?=[A-Za-z0-9+/_=-])"
)
"""What is between two strings one behind the other."""
_LETTER_STRINGS = re.compile(
    r"([\"'`])[!-~]\1[^A-Za-z0-9\"'`]{1,4}(?:([\"'`])[!-~]\2[^A-Za-z0-9\"'`]{1,4}){7}"
)
_LETTERS = re.compile(r"(?<!\S)(?:[!-~][ \t]{1,3}){12}")
"""Letters with a blank between each."""
_CHARACTERS = re.compile(
    r"[A-Za-z0-9](?<![A-Za-z0-9].)(?P<gap>[^A-Za-z0-9\n]{1,8})[A-Za-z0-9](?:(?P=gap)[A-Za-z0-9]){4}(?![A-Za-z0-9])"
)
"""Characters with the same signs between each two of them."""
_WORDED_NUMBER = "(?:[2-7][0-9a-fA-F]|1[0-2][0-9]|[89][0-9])"
WORDED = re.compile(
    r"[1-9](?:(?<![0-9].)|(?<=00.))(?:(?<=[2-7])[0-9a-fA-F]|(?<=1)[0-2][0-9]|(?<=[89])[0-9])"
    r"(?P<gap>(?=[^\n]{0,24}[A-Za-z])(?:[uUiI](?:8|16|32))?[^0-9\n]{1,24}(?:0[xX]|0{1,6}|[0-9]{1,2}')?)"
    rf"{_WORDED_NUMBER}(?P=gap){_WORDED_NUMBER}(?![0-9])"
)
"""Three numbers of bytes with the same words between each two."""
CELL = re.compile(
    r"['\"`(](?:(?<=')(?P<a>\\?[ -~])'|(?<=\")(?P<b>\\?[ -~])\"|(?<=`)(?P<c>[ -~])`|(?<=[(])(?P<d>[ -~])[)])"
    r"[^A-Za-z0-9\n'\"`(]*$",
    re.MULTILINE,
)
"""One character in quotes or brackets at the end of a row."""
_OTHER_CODE = re.compile(r"[A-Z2-7](?<![A-Z0-9+/].)[A-Z2-7]{23}|<~[!-u]{5}")
"""Base32, and the beginning of ascii85."""
_MACHINE_WORDS = re.compile(
    r"[0-9a-fA-Fx](?:(?<![A-Za-z0-9].)(?:"
    r"(?<=[0-3])(?:[0-7]{5}(?: {1,4}[01][0-7]{5}){3}|[0-7]{10} {1,4}[0-3][0-7]{10}|[0-7]{21} )"
    r"|(?<=[2-7])[0-9a-f](?:[2-7][0-9a-f]){3}`(?:[2-7][0-9a-f]){4}"
    r"|(?<=[5-9])[0-9]{8,9}(?: {1,6}[12]?[0-9]{9}){2}|(?<=[2-8])[0-9]{17,18} {1,6}[2-8][0-9]{17,18})"
    r"|(?<=0x)(?:[2-7][0-9a-fA-F]){7,8}(?![0-9a-fA-F])"
    r"|(?= [(]?')(?<=[0-9a-fA-F]{2}) [(]?'\\{0,2}(?:[ -~]|[0-7]{3})'[)]?,? {1,4}(?:0x)?[0-9a-fA-F]{2,3} [(]?')"
)
"""Words of the machine in octal or decimal, in hexadecimal with a mark or alone; numbers with characters."""
_NUMBER_ROW = re.compile(
    rf"[^A-Za-z0-9]*(?:{_OF_BASE}[0-9a-fA-F]{{1,8}}[hHuU]?(?: [(]?['\"].{{1,4}}['\"])?[^A-Za-z0-9]+){{1,24}}\Z"
)
_NUMBER_ROWS = 4  # of numbers alone, one below the other, that are one list
_ONE_RUN = re.compile(r"\W*[A-Za-z0-9+/_=%\\&#;,:.-]{8,}\W*\Z")
_AROUND = 2  # rows on either side of what was found


_PATTERNS = (
    _ESCAPES, _PAIRS, _MAY_LIST, _MACHINE_WORDS, _CHARACTERS, _OTHER_CODE, WORDED, _LETTERS,
)  # fmt: skip
_UU_HEAD = re.compile("begin [0-7]{3}|M[!-`]{20}")


def has_code(text: str) -> bool:
    """Whether a text holds what may be read as another text."""
    return any(pattern.search(text) is not None for pattern in _PATTERNS) or any(
        True for _ in _other_code(text)
    )


def _other_code(text: str) -> Iterator[int]:
    """Yield where a text holds what no pattern alone tells."""
    for run in _BASE64.finditer(text):
        if _may_encode_text(run[0]):
            yield run.start()
    yield from _string_marks(text)
    if _has_uu(text):
        yield from (run.start() for run in UU_RUN.finditer(text))
    rows = text.split("\n")
    starts = [0, *accumulate(len(row) + 1 for row in rows)]
    yield from (starts[number] for number in _rows_of_numbers(rows) | _rows_of_cells(text))


class Code(NamedTuple):
    """What a text holds that may be read as another text, by kind; and whether it holds any."""

    lists: bool
    characters: bool
    columns: bool
    letters: bool
    strings: bool
    encoded: list[re.Match[str]]
    escapes: bool
    worded: bool
    uu: bool
    cells: bool

    @classmethod
    def of(cls, text: str) -> "Code":
        """Return what a text holds: `has_code` with every kind looked for."""
        return cls(
            _MAY_LIST.search(text) is not None or _MACHINE_WORDS.search(text) is not None,
            _CHARACTERS.search(text) is not None,
            bool(_rows_of_numbers(text.split("\n"))),
            _LETTERS.search(text) is not None,
            any(True for _ in _string_marks(text)),
            [run for run in _BASE64.finditer(text) if _may_encode_text(run[0])],
            any(kind.search(text) for kind in (_ESCAPES, _PAIRS, _OTHER_CODE)),
            WORDED.search(text) is not None,
            _has_uu(text),
            bool(_rows_of_cells(text)),
        )

    def beyond(self, other: "Code") -> "Code":
        """Return what is not in the text with `other`, from which this one was read."""
        known = {run[0] for run in other.encoded}
        new = [run for run in self.encoded if run[0] not in known]
        return Code(
            self.lists and not other.lists,
            self.characters and not other.characters,
            self.columns and not other.columns,
            self.letters and not other.letters,
            self.strings and not other.strings,
            new,
            self.escapes,
            self.worded and not other.worded,
            self.uu and not other.uu,
            self.cells and not other.cells,
        )


def _string_marks(text: str) -> Iterator[int]:
    """Yield where strings are one behind the other that are pieces of what is no word."""
    yield from (letters.start() for letters in _LETTER_STRINGS.finditer(text))
    for mark in STRINGS.finditer(text):
        start, end = mark.span()
        if is_piece(text[max(0, start - _NEAR) : start], start=False) or is_piece(
            text[end : end + _NEAR], end=False
        ):
            yield start


def _may_encode_text(run: str) -> bool:
    """Whether some of a run of base64 may encode characters that can be printed."""
    is_text = _OF_TEXT.search(run) is not None or _OF_WIDE.search(run) is not None
    return is_text and not is_spelt(run)


def _has_uu(text: str) -> bool:
    """Whether a row of a text may be uuencoded."""
    return _UU_HEAD.search(text) is not None and any(
        _OF_UU.search(run[0]) for run in UU_RUN.finditer(text)
    )


def coded_rows(rows: Sequence[str]) -> set[int]:
    """Return the rows that hold such, and those of one run next to them."""
    text = "\n".join(rows)
    starts = [0, *accumulate(len(row) + 1 for row in rows)]
    found = {bisect_right(starts, at) - 1 for at in _other_code(text)}
    for pattern in _PATTERNS:
        found.update(bisect_right(starts, code.start()) - 1 for code in pattern.finditer(text))
    pending = [*found]
    while pending:
        number = pending.pop()
        for other in (number - 1, number + 1):
            if 0 <= other < len(rows) and other not in found and _goes_on(rows[other]):
                found.add(other)
                pending.append(other)
    return found


def _goes_on(row: str) -> bool:
    """Whether a row is one run, or a list of numbers, that may belong to the row next to it."""
    return _ONE_RUN.match(row) is not None or (
        row[:1] != "" and _NUMBER_ROW.match(row + " ") is not None
    )


def _rows_of_numbers(rows: Sequence[str]) -> set[int]:
    """Return the rows of numbers and signs alone, of which some are one below the other."""
    found, run = set[int](), list[int]()
    for number, row in enumerate([*rows, ""]):
        if row and _NUMBER_ROW.match(row + " "):
            run.append(number)
            continue
        found.update(run if len(run) >= _NUMBER_ROWS else ())
        run = []
    return found


def _rows_of_cells(text: str) -> set[int]:
    """Return the rows that end with one such character, of which some are one below the other."""
    ends = [cell.start() for cell in CELL.finditer(text)] if "\n" in text else []
    if len(ends) < _NUMBER_ROWS:
        return set()
    numbers = list(accumulate(text.count("\n", *part) for part in pairwise([0, *ends])))
    return {
        number
        for first in range(len(numbers) - _NUMBER_ROWS + 1)
        for number in numbers[first : first + _NUMBER_ROWS]
        if numbers[first + _NUMBER_ROWS - 1] - numbers[first] < _NUMBER_ROWS
    }


def marks_of(row: str) -> list[re.Match[str]]:
    """Return the marks at the ends of a row and of its cells."""
    if row.rstrip().endswith(".") and _HOST.search(row) is not None:
        row = row.rstrip()[:-1]  # the dot is of the name
    first = _START_MARK.match(row)
    marks = [] if first is None else [first]
    if not row.isascii() or "|" in row:
        return [*_END_MARK.finditer(row), *marks, *_CELL_MARK.finditer(row)]
    if "\\" in row and (command := _COMMAND.search(row)) is not None:
        return [command, *marks]
    start = len(row.rstrip(_SIGNS))  # else a mark at the end is made of signs
    return [*_END_MARK.finditer(row, start), *marks] if start < len(row) else marks


def is_beside_run(row: str, marks: Sequence[re.Match[str]]) -> bool:
    """Whether what is no word is right before or behind one of the marks in a row."""
    return any(
        is_piece(row[max(0, mark.start() - _NEAR) : mark.start()], start=False)
        or is_piece(row[mark.end() : mark.end() + _NEAR], end=False)
        for mark in marks
    )


def is_piece(text: str, *, start: bool = True, end: bool = True) -> bool:
    """Whether a text starts or ends with what is no word, and may go on in another."""
    before = _RUN_AT_END.search(text) if end else None
    if before is not None and not is_spelt(before[1]):
        return True
    after = _RUN_AT_START.match(text) if start else None
    return after is not None and not is_spelt(after[1])


def windows(found: Collection[int], count: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of so many rows that lie around those found: start and end of each."""
    start = end = -1
    for number in sorted(found):
        if end < 0 or number - _AROUND > end:
            if end > start:
                yield start, end
            start = max(0, number - _AROUND)
        end = min(count, number + _AROUND + 1)
    if end > start:
        yield start, end
