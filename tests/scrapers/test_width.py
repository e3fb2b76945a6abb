import pytest

from dejavu.scrapers.rows import is_wide, width


@pytest.mark.parametrize(
    ("text", "cells"), [("", 0), ("abc", 3), ("你好", 4), ("cafe\u0301", 4), ("é\x07", 1)]
)
def test_width_counts_cells(text: str, cells: int):
    assert width(text) == cells


def test_wide_characters():
    assert is_wide("语")
    assert not is_wide("é")
