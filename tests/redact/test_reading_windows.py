"""Which rows are read again."""

import base64

from hypothesis import given
from hypothesis import strategies as st

from dejavu.redact.program_readings import program_readings
from dejavu.redact.reading_windows import coded_rows, is_piece, marks_of, windows

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
