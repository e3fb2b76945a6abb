"""Which rows are read again."""

import base64
import binascii
import random
import re
import string
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.redact import Redactor
from dejavu.redact.marks import MARKED
from dejavu.redact.program_readings import program_readings
from dejavu.redact.reading_windows import Code, coded_rows, has_code, is_piece, marks_of, windows

ORDINARY = [
    "def compute(self, budget: int) -> None:",
    "    # The budget is refilled in ticks, and never above its limit.",
    '    return self.refill(budget, name="ring")',
]


def test_ordinary_rows_are_not_read_again() -> None:
    assert not [text for text in program_readings(ORDINARY * 20, 80) if text.text]


@given(st.sets(st.integers(0, 99)), st.just(100))
def test_windows_hold_every_row_found_once_and_in_order(found: set[int], count: int) -> None:
    parts = [*windows(found, count)]
    rows = [row for start, end in parts for row in range(start, end)]
    assert found <= set(rows)
    assert rows == sorted(set(rows))
    assert all(0 <= start < end <= count for start, end in parts)


@given(st.text("abcdefghij =_-ABC019", min_size=24, max_size=60))
def test_text_in_base64_is_always_seen(text: str) -> None:
    row = base64.b64encode(text.encode()).decode()
    assert is_piece(row) is False or coded_rows(["words", row]) == {1}


def test_rows_of_one_run_beside_a_coded_one_are_read_with_it() -> None:
    code = base64.b64encode(b"KEY=some words and more of them, all of them printable").decode()
    assert coded_rows(["plain words here", code[:40], code[40:], "and after it"]) == {1, 2}


def test_marks_stand_at_ends_of_rows_and_cells() -> None:
    assert [mark[0] for mark in marks_of("some text↩")] == ["↩"]
    assert [mark[0] for mark in marks_of("10:00:01 text")] == ["10:00:01 "]
    assert not marks_of("plain words")


_NUMBERS = st.sampled_from(
    ["32", "65", "110", "126", "127", "031", "101", "0x41", "x42", "0X4f", "0o101", "4a", "41h", "4142",
     "61626364", "0100000", "01000001", "00041", "a", "0"]
)  # fmt: skip
_GAPS = st.sampled_from(
    [", ", ",", " ", ": ", "; ", " 00, ", "00 ", "\n", ") chr(", "_", "\\x", "%", "=", "&#", ""]
)
_CODES = (
    r"(?:(?:0x)?[2-7][0-9a-fA-F](?:,? ?|:)){8}"
    r"|\\+(?:[uUx]|[0-3][0-7]{2})|%[0-9a-fA-F]{2}|=(?:3D|[0-9A-F]{2}=[0-9A-F]{2})|&#"
    r"|\\[-._:/=+@~](?=\w)|[C\[e␛]\[[0-9;]{1,8}m"
    r"|-\]|\+\}|--\}|</(?:del|s|ins)>|~~|(?<![A-Za-z0-9+/])[A-Z2-7]{24}|<~[!-u]{5}"
)
_PRINTED = "(?:3[2-9]|[4-9][0-9]|1[01][0-9]|12[0-6])"
_CALL = r"(?:[A-Za-z_][A-Za-z_.]{0,11}[^A-Za-z0-9\n]{1,4})?"
_BASE = r"(?:0?[xX]|[0-9]{1,2}'[hHdDoObB]|[uU]\+)?"
_LISTS = (
    rf"(?:(?<![A-Za-z0-9]){_BASE}{_PRINTED}\b[^A-Za-z0-9\n]{{1,12}}{_CALL}){{6}}"
    rf"|(?:(?<![A-Za-z0-9]){_BASE}[2-7][0-9a-fA-F][hH]?\b(?:,? ?00\b)?[^A-Za-z0-9\n]{{1,4}}"
    rf"{_CALL}){{6}}"
    rf"|(?:(?<![A-Za-z0-9]){_BASE}00[2-7][0-9a-fA-F][^A-Za-z0-9\n]{{1,6}}){{4}}"
    r"|(?:(?<![A-Za-z0-9])(?:0x)?(?:[2-7][0-9a-fA-F]){2,8}[^A-Za-z0-9\n]{1,6}){4}"
    r"|(?<![A-Za-z0-9])(?:0x)?(?:[2-7][0-9a-fA-F]){4,8}[^A-Za-z0-9\n]{1,6}(?:0x)?(?:[2-7][0-9a-fA-F]){4,8}\b"
    r"|(?:(?<![A-Za-z0-9])(?:0x|0o)?(?:0?[01][0-7]{2}|[01]{7,8}|[0-9]{5})[^A-Za-z0-9\n]{1,6}){6}"
)
_CHARACTERS = (
    r"(?<![A-Za-z0-9])[A-Za-z0-9](?P<gap>[^A-Za-z0-9\n]{1,8})[A-Za-z0-9]"
    r"(?:(?P=gap)[A-Za-z0-9]){4}(?![A-Za-z0-9])"
)
"""These are as they are meant: the ones in use begin with a character class, which is faster."""


@given(st.lists(st.tuples(_NUMBERS, _GAPS), max_size=14), st.tuples(_NUMBERS, _GAPS), st.booleans())
def test_code_is_seen_as_the_plain_patterns_see_it(
    pairs: list[tuple[str, str]], pair: tuple[str, str], alike: bool
) -> None:
    text = "".join(map("".join, [pair] * 7 if alike else pairs)) + "".join(pair)
    code = Code.of(text)
    assert code.lists == (re.search(_LISTS, text) is not None)
    assert code.characters == (re.search(_CHARACTERS, text) is not None)
    assert code.escapes == (re.search(_CODES, text) is not None)
    assert has_code(text) == any(code)


def _encodings(text: str) -> dict[str, list[str]]:
    data = text.encode()
    twice = base64.b64encode(base64.b64encode(data)).decode()
    uu = [
        binascii.b2a_uu(data[at : at + 45]).decode().rstrip("\n") for at in range(0, len(data), 45)
    ]
    return {
        "base64 twice": [f"  note: {twice}"],
        "base64 three times": [base64.b64encode(twice.encode()).decode()],
        "UTF-16": [f"powershell -enc {base64.b64encode(text.encode('utf-16-le')).decode()}"],
        "base64 in percents": [quote("data=" + base64.b64encode(data).decode(), safe="")],
        "uuencode": ["begin 644 note.txt", *uu, "`", "end"],
    }


@pytest.mark.parametrize("name", _encodings(""))
def test_what_is_encoded_is_read_up_to_the_third_time(name: str) -> None:
    redactor = Redactor(b"key")
    token = "ghp_" + "".join(random.Random(1).choices(string.ascii_letters + string.digits, k=36))
    rows = _encodings(f"key {token}, and words")[name]
    left = MARKED.sub("", "".join(redactor.mask_block(rows, 200)))
    code = "".join(rows)
    middle = code[len(code) // 2 - 5 : len(code) // 2 + 5]
    assert middle not in left
    plain = _encodings("plain words and more of them, nothing that is a secret at all")[name]
    assert redactor.mask_block(plain, 200) == plain
