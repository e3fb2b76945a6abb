"""Values that programs break over rows, with anything before, behind and between the pieces."""

import random
import string

import pytest

from dejavu.redact import Redactor

REDACTOR = Redactor(b"k" * 32)
TOKEN = "ghp_" + "".join(random.Random(4).choices(string.ascii_letters + string.digits, k=36))
A, B, C = TOKEN[:16], TOKEN[16:32], TOKEN[32:]


@pytest.mark.parametrize(
    "rows",
    [
        [f"3f2a        GITHUB_TOKEN={A} Up 3 days", f"            {B}{C}"],
        [f"api | use {A}", "db  | ready 35", f"api | {B}", "db  | ready 2", f"api | {C}"],
        [f"E - {A}", "E ? ^^^^^", f"E - {B}", "E ? ^^^^^", f"E - {C} and more"],
        [f' chr "{A}"| __truncated__', f'     "{B}"| __truncated__', f'     "{C}" https://x'],
    ],
)
def test_a_broken_token_goes_whole(rows: list[str]) -> None:
    clean = "".join(REDACTOR.redact_rows(rows, 80))
    assert not any(piece in clean for piece in (A, B, C))


def test_a_value_goes_where_it_is_repeated() -> None:
    value = "Xk29fjQ81mzPq0Lw7Rt4Bv6Nc2Hd5Gs8"
    rows = [f"Password: {value}", f"Confirm:  {value}"]
    assert value not in "".join(REDACTOR.redact_rows(rows, 80))


@pytest.mark.parametrize(
    "form", ["(byte) 0x{:02x}, ", "{}u8, ", "[char]{}+", "0x{:02x}.toByte(), ", "%u{:04x}"]
)
def test_bytes_with_words_between_are_read(form: str) -> None:
    numbers = [form.format(ord(char)) for char in TOKEN]
    rows = ["k = [", *("".join(numbers[at : at + 6]) for at in range(0, len(numbers), 6)), "]"]
    clean = REDACTOR.redact_rows(rows, 100)
    assert rows[3] not in clean


@pytest.mark.parametrize(
    "row",
    [
        "3fa2b1c4d5e6…  cache  Up 6 minutes",
        "<6e2f6c6a3b0f4d5e8a9b7c6d5e4f3a2b1c0d9e8f>",
        "0x3fa2…b1c4",
    ],
)
def test_ids_that_are_shown_in_part_stay(row: str) -> None:
    rows = ["plain words before", row, "and words after it"]
    assert REDACTOR.mask_block(rows, 100) == rows
