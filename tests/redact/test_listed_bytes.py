"""Bytes that debuggers and languages list: found with the name of the list, over rows of any length."""

import random
import string
from collections.abc import Callable

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


def _rows(data: bytes, size: int, show: Callable[[int], str], a_row: int) -> list[str]:
    words = [
        int.from_bytes(data[at : at + size].ljust(size, b"\0"), "little")
        for at in range(0, len(data), size)
    ]
    return [" ".join(map(show, words[at : at + a_row])) for at in range(0, len(words), a_row)]


@pytest.mark.parametrize(
    ("lead", "size", "show", "a_row"),
    [
        ("{:07o}  ", 2, lambda word: f"{word:06o}", 8),  # od
        ("{:07o}  ", 4, lambda word: f"{word:011o}", 4),
        ("{:07o}  ", 4, lambda word: f"{word:10}", 4),
        ("000001d6`8a3f{:04x}  ", 8, lambda word: f"{word >> 32:08x}`{word & 0xFFFFFFFF:08x}", 2),
        ("0x7ffe10{:02x}: ", 8, lambda word: f"0x{word:016x}", 2),
    ],
)
def test_words_of_the_machine(lead: str, size: int, show: Callable[[int], str], a_row: int) -> None:
    rows = _rows(f"GITHUB_TOKEN={TOKEN}".encode(), size, show, a_row)
    drawn = [lead.format(nth * size * a_row) + row for nth, row in enumerate(rows)]
    left = _left(["$ dump", *drawn, "$ "])
    assert all(row not in left for row in rows[-(-24 // (size * a_row)) : -1])


def test_words_of_a_program_among_its_instructions() -> None:
    data = TOKEN.encode()
    rows = [
        f"  movabs $0x{int.from_bytes(data[at : at + 8], 'little'):x},%rax"
        for at in range(0, 40, 8)
    ]
    mixed = [row for pair in zip(rows, ["  mov %rax,-0x30(%rbp)"] * 5, strict=True) for row in pair]
    assert "0x" + data[8:16][::-1].hex() not in _left(mixed)


@pytest.mark.parametrize(
    "form",
    ["  [{0}] = '{1}'", "<   0x{2:02x} ({1})", '[{0}.41, "o", "{1}"]', "│ {0:<7} │ '{1}'    │"],
)
def test_a_character_a_row(form: str) -> None:
    rows = [form.format(nth, char, ord(char)) for nth, char in enumerate(f"key {TOKEN}")]
    left = _left(rows).split("\n")
    assert not {*rows[8:]} & {*left}
    words = [form.format(nth, char, ord(char)) for nth, char in enumerate("plain words, no more")]
    assert _left(words).split("\n") == words


def test_numbers_under_headings() -> None:
    codes = [*map(str, f"key {TOKEN}".encode())]
    rows = ["ans =", ""]
    for at in range(0, len(codes), 13):
        rows += [
            f" Columns {at + 1} through {at + 13}:",
            "",
            "   " + "   ".join(codes[at : at + 13]),
            "",
        ]
    assert "   ".join(codes[13:26]) not in _left(rows)


@pytest.mark.parametrize("width", [55, 61, 70])
def test_a_dump_that_is_broken_at_the_edge(width: int) -> None:
    data = f"  key: '{TOKEN}'".encode()
    rows = [
        f"{at:04x} - {data[at : at + 16].hex(' '):48}  {data[at : at + 16].decode()}"
        for at in range(0, len(data), 16)
    ]
    left = _left([part for row in rows for part in _chunks(row, width)], width)
    assert TOKEN[12:20] not in left.replace("\n", "")
    assert TOKEN[12:20].encode().hex(" ") not in left.replace("\n", "")
