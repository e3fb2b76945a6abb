from hypothesis import given
from hypothesis import strategies as st

from dejavu.scrapers.rows import Row, cut, letters_of, says


def row(text: str) -> Row:
    return Row(text, False, 80)


def test_letters_have_no_blanks_and_know_where_rows_start():
    assert letters_of([row("a b"), row(""), row("  cd")]) == ("abcd", [0, 2, 2])


def test_a_row_cut_in_two_goes_on_without_a_blank():
    first, second = cut(row("one two three"), 6)
    assert (first.text, first.joined) == ("one two", True)
    assert (second.text, second.joined) == (" three", False)


def test_lines_of_a_box_say_nothing():
    assert says("Therearewordshere")
    assert says("你好世界")
    assert not says("╭──────────────╮│")


@given(st.text(" ab你", max_size=30), st.integers(0, 30))
def test_a_cut_loses_no_letter(text: str, count: int):
    parts = cut(row(text), count)
    assert letters_of(parts)[0] == letters_of([row(text)])[0]
