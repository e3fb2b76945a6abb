from hypothesis import given
from hypothesis import strategies as st

from dejavu.scrapers.rows import Row, has_text, link_rows, nonblank_text, split_row, were_adjacent


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


def test_rows_that_an_agent_drew_over_others_were_not_adjacent():
    above, gone, below = row("the key is ghp_4f"), row("8a1c93"), row("> next")
    link_rows([above, gone])
    link_rows([row(above.text), below])
    assert not were_adjacent(above, below), "what stood below it is gone"
    link_rows([above, below])
    assert were_adjacent(above, below)


def test_a_row_that_grew_is_the_one_that_was_seen():
    above, growing = row("an answer"), row("that gro")
    link_rows([above, growing])
    grown = row("that grows")
    link_rows([row("an answer"), grown])
    assert were_adjacent(above, grown)
    link_rows([first := row("first")])
    assert were_adjacent(first, row("not linked"))
