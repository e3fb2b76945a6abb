"""Bytes that debuggers and languages list: found with the name of the list, over rows of any length."""

import random
import string

import pytest

from dejavu.redact import Redactor
from dejavu.redact.marks import MARKED

REDACTOR = Redactor(b"key")
TOKEN = "ghp_" + "".join(random.Random(1).choices(string.ascii_letters + string.digits, k=36))
PASSWORD = "Zq9xkkPO7w"


def _left(rows: list[str], width: int = 100) -> str:
    return MARKED.sub("", "\n".join(REDACTOR.mask_block(rows, width)))


def _chunks(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def _words(text: str, a_row: int) -> list[str]:
    data = text.encode().ljust(-(-len(text) // 4) * 4, b"\0")
    words = [
        f"0x{int.from_bytes(data[at : at + 4], 'little'):08x}" for at in range(0, len(data), 4)
    ]
    return [
        f"0x7ffe10{nth:02x}:  " + "  ".join(words[at : at + a_row])
        for nth, at in enumerate(range(0, len(words), a_row))
    ]


@pytest.mark.parametrize("a_row", [2, 4])
def test_words_of_memory(a_row: int) -> None:
    rows = _words(f"GITHUB_TOKEN={TOKEN}", a_row)
    assert f"{int.from_bytes(TOKEN[19:23].encode(), 'little'):08x}" in "\n".join(rows)
    left = _left(rows)
    assert all(word not in left for row in rows[5:-1] for word in row.split()[1:])


def test_characters_with_their_codes() -> None:
    signs = [f"{ord(one)} '{one}'" for one in f"key {TOKEN}"]
    rows = [
        "$1 = {" + ", ".join(signs[:9]) + ",",
        *(", ".join(signs[at : at + 7]) + "," for at in (9, 16, 23, 30, 37)),
    ]
    left = _left(rows)
    assert all(", ".join(signs[at : at + 3]) not in left for at in range(4, 41, 3))


@pytest.mark.parametrize(
    "form",
    [
        ".mode = {{ 100, 101, 118 }}, .password = {{ {} }}, .tries = 3",
        '"password": Uint8Array(10) [ {} ]',
        "password={}",
    ],
)
def test_a_list_has_its_name(form: str) -> None:
    codes = ", ".join(map(str, PASSWORD.encode()))
    assert codes not in _left([form.format(codes)])
    assert codes in _left([form.format(codes).replace("password", "colour")]), (
        "it has no name of a secret"
    )


def test_a_list_that_is_broken_inside_its_numbers() -> None:
    text = '"MESSAGE":[' + ",".join(map(str, f"\x1b[36m{TOKEN}\x1b[0m".encode())) + "]"
    left = _left(_chunks(text, 58), 58)
    assert ",".join(map(str, TOKEN[10:16].encode())) not in left.replace("\n", "")
