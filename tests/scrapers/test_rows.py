from hypothesis import given
from hypothesis import strategies as st

from dejavu.scrapers.rows import Row, has_text, nonblank_text, split_row


def row(text: str) -> Row:
    return Row(text, False, 80)


def test_letters_have_no_blanks_and_know_where_rows_start():
    assert nonblank_text([row("a b"), row(""), row("  cd")]) == ("abcd", [0, 2, 2])


def test_a_row_cut_in_two_goes_on_without_a_blank():
    first, second = split_row(row("one two three"), 6)
    assert (first.text, first.joined) == ("one two", True)
    assert (second.text, second.joined) == (" three", False)


def test_lines_of_a_box_say_nothing():
    assert has_text("Therearewordshere")
    assert has_text("你好世界")
    assert not has_text("╭──────────────╮│")


@given(st.text(" ab你", max_size=30), st.integers(0, 30))
def test_a_cut_loses_no_letter(text: str, count: int):
    parts = split_row(row(text), count)
    assert nonblank_text(parts)[0] == nonblank_text([row(text)])[0]
