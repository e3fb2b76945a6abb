"""Secrets that an agent broke over rows of its own; the whole path is in benchmarks/redact_capture.py."""

import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.redact import Redactor
from dejavu.redact.block_rows import is_dense, without_fill

REDACTOR = Redactor(b"key", secrets=["correct-horse-battery-staple-9"])
TOKEN = "ghp_" + "".join(random.Random(1).choices(string.ascii_letters + string.digits, k=36))


def leaks(rows: list[str], secret: str = TOKEN) -> bool:
    text = "".join("".join(row.split()) for row in rows)
    return any(secret[i : i + 10] in text for i in range(len(secret) - 9))


@given(st.integers(12, 39), st.integers(0, 30), st.sampled_from(["", "│ ", "  12 │ ", "> "]))
def test_broken_at_any_width_behind_any_gutter(width: int, lead: int, gutter: str) -> None:
    text = "x" * lead + " " + TOKEN
    rows = [gutter + text[i : i + width] for i in range(0, len(text), width)]
    masked = REDACTOR.redact_block(["some words", *rows, "more words"], 100)
    assert [len(row) for row in masked] == [len(row) for row in ["some words", *rows, "more words"]]
    assert not leaks(masked)
    assert masked[0] == "some words"
    assert masked[-1].endswith(" words")  # a word that had no room beside the secret goes with it


def test_broken_after_a_hyphen_that_is_short_of_the_edge() -> None:
    key = "sk-ant-api03-" + "Ab3-" * 23 + "xyAA"
    rows = [
        "a line that is a good deal longer than the others of the block are",
        key[:40],
        key[40:],
    ]
    assert not leaks(REDACTOR.redact_block(rows, 100), key)


def test_in_a_column_of_a_table() -> None:
    rows = [
        f"name   {TOKEN[:24]}   live",
        f"       {TOKEN[24:]}           2026",
        "other  none                   -",
    ]
    masked = REDACTOR.redact_block(rows, 100)
    assert not leaks(masked)
    assert masked[2] == rows[2]
    assert masked[0].startswith("name")
    assert masked[0].endswith("live")


def test_a_value_of_the_environment_broken_over_rows() -> None:
    rows = ["password: correct-horse-ba", "ttery-staple-9"]
    assert not leaks(REDACTOR.redact_block(rows, 26), "correct-horse-battery-staple-9")


def test_a_key_whose_first_line_scrolled_away() -> None:
    body = "".join(random.Random(2).choices(string.ascii_letters + string.digits, k=140))
    end = "-----END OPENSSH " + "PRIVATE KEY-----"
    rows = ["words before", body[:70], body[70:], end, "words after"]
    masked = REDACTOR.redact_block(rows, 80)
    assert not leaks(masked, body)
    assert (masked[0], masked[4]) == (rows[0], rows[4])


@pytest.mark.parametrize("where", ["above", "below", "fold"])
def test_what_is_left_of_a_secret_beside_a_cut_goes(where: str) -> None:
    rest = TOKEN[12:]
    rows = {
        "above": [rest + " and words"],
        "below": ["words and " + TOKEN[:25].removeprefix("ghp_")],
        "fold": [f"x: {TOKEN[4:30]}", "… +12 lines (ctrl+r to expand)", "words"],
    }[where]
    masked = REDACTOR.redact_block(rows, 80, cut_above=where == "above", cut_below=where == "below")
    assert not leaks(masked)
    assert "words" in masked[-1] or "words" in masked[0]
    assert REDACTOR.redact_block(rows[:1], 80) == rows[:1], "a row that nothing cut stays"


@pytest.mark.parametrize(
    "text",
    ["src/net/retry_budget.py", "https://example.org/documentation/guide", "--no-default-features",
     "RetryBudgetManager", "2026-11-21T10:00:00", "antidisestablishmentarianism"],
)  # fmt: skip
def test_words_and_paths_are_not_dense(text: str) -> None:
    assert not is_dense(text)


@given(st.lists(st.text(max_size=40), max_size=12), st.integers(1, 60))
def test_never_raises_and_keeps_the_widths(rows: list[str], columns: int) -> None:
    rows = [row.replace("\n", " ") for row in rows]
    masked = REDACTOR.redact_block(rows, columns, cut_above=True, cut_below=True)
    assert [len(row) for row in masked] == [len(row) for row in rows]


PROSE = """The budget is refilled by tick(), which nobody calls. I changed src/net/retry.py so that
the loop calls it once a second, and added a test (tests/net/test_retry.py::test_refill).
Commit 3f2a9c81d4e6b7f0a1b2c3d4e5f60718293a4b5c was reverted; see issue 4711 and the notes
of 2026-11-21. All 214 tests pass, coverage is 93.4 %, and the benchmark takes 12.8 ms."""


@pytest.mark.parametrize("width", [30, 47, 60, 80])
def test_prose_paths_and_hashes_stay(width: int) -> None:
    flat = PROSE.replace("\n", " ")
    rows = [flat[i : i + width] for i in range(0, len(flat), width)]
    assert REDACTOR.redact_block(rows, width) == rows


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("a [redacted:x:0123abcd]*** b", "a [redacted:x:0123abcd] b"),
        ("a [redacted:x:0123abcd]\n*****\n** b", "a [redacted:x:0123abcd] b"),
        ("*******\n[redacted:x:0123abcd] b", "[redacted:x:0123abcd] b"),
        ("[redacted:x:0123abcd] **bold** stays", "[redacted:x:0123abcd] **bold** stays"),
        ("**** no label ****", "**** no label ****"),
    ],
)
def test_the_fill_of_masked_rows_goes(text: str, clean: str) -> None:
    assert without_fill(text) == clean
