from itertools import pairwise

from hypothesis import assume, given
from hypothesis import strategies as st

from dejavu.scrapers.blocks import RowContent
from dejavu.scrapers.rows import Row
from dejavu.scrapers.unwrap import unwrap_block, verbatim


def contents(
    rows: list[str], left: int = 2, width: int = 40, wrapped: bool = False
) -> list[RowContent]:
    return [RowContent(row, left, Row(" " * left + row, wrapped, width)) for row in rows]


def wrap(text: str, room: int) -> list[str]:
    rows = [""]
    for word in text.split(" "):
        if rows[-1] and len(rows[-1]) + 1 + len(word) > room:
            rows.append(word)
        else:
            rows[-1] = f"{rows[-1]} {word}".lstrip(" ")
    return rows


def test_rows_of_a_paragraph_are_joined():
    text = (
        "A ring buffer is a fixed-size queue that reuses its own memory and never moves anything."
    )
    assert unwrap_block(contents(wrap(text, 38)), 0) == text


def test_a_line_that_had_room_left_ends():
    assert unwrap_block(contents(["first", "second"]), 0) == "first\nsecond"


def test_list_items_stay_apart_and_bullets_are_markdown():
    rows = ["• one item that fills its row up to here", "  and goes on", "• two"]
    assert (
        unwrap_block(contents(rows, width=42), 0)
        == "- one item that fills its row up to here and goes on\n- two"
    )


def test_a_soft_wrap_of_the_terminal_joins_without_a_blank():
    assert unwrap_block(contents(["abcd", "efgh"], width=6, wrapped=True), 0) == "abcdefgh"


def test_blanks_that_the_terminal_wrapped_join_nothing():
    assert unwrap_block(contents(["abcd", "efgh"], wrapped=True), 0) == "abcd\nefgh"


def test_a_quotation_is_one_line_and_a_drawn_tree_is_none():
    drawn = [
        "▎ said by someone else and long",
        "▎ enough to wrap",
        "",
        "├── src",
        "│   └── main.py",
    ]
    assert unwrap_block(contents(drawn, width=36), 0) == (
        "> said by someone else and long enough to wrap\n\n├── src\n│   └── main.py"
    )


def test_a_quotation_that_was_not_drawn_is_one_line_too():
    each = ["> said by someone else and quite", "> long enough to wrap"]
    first = ["> said by someone else and quite", "long enough to wrap"]
    for drawn in (each, first):
        assert unwrap_block(contents(drawn, width=36), 0) == (
            "> said by someone else and quite long enough to wrap"
        )


def test_boxes_to_tick_and_rules_are_markdown():
    drawn = ["• ☐ open", "☑ done", "", "──────────", "", "end"]
    assert unwrap_block(contents(drawn), 0) == "- [ ] open\n- [x] done\n\n---\n\nend"


def test_what_a_person_typed_stays_as_it_is():
    typed = ["• ☐ open", "", "──────────", "", "end"]
    assert unwrap_block(contents(typed), 0, markdown=False) == "\n".join(typed)


def test_code_that_wrapped_to_the_left_edge_is_one_line():
    drawn = ["def f():", "    return [one, two, three, four, five,", "six, seven]", "x = 1"]
    assert unwrap_block(contents(drawn), 0) == (
        "def f():\n    return [one, two, three, four, five, six, seven]\nx = 1"
    )


def test_cjk_joins_without_a_blank():
    rows = ["你好你好你好你好你好你好你好你好你好", "你好"]
    assert unwrap_block(contents(rows, width=39), 0) == "".join(rows)


def test_line_numbers_of_code_are_dropped():
    rows = ["look:", "1 def f():", "2     return 1", "3", "4 f()"]
    assert (
        unwrap_block(contents(rows), 0, numbered_code=True)
        == "look:\n```\ndef f():\n    return 1\n\nf()\n```"
    )


def test_code_whose_start_went_by_has_its_numbers_dropped_too():
    assert unwrap_block(contents(["7 a = 1", "8 b = 2", "9 c = 3"]), 0, numbered_code=True) == (
        "```\na = 1\nb = 2\nc = 3\n```"
    )
    assert (
        unwrap_block(contents(["7 apples", "8 pears"]), 0, numbered_code=True)
        == "7 apples\n8 pears"
    )


def test_code_between_blanks_is_marked():
    drawn = ["It has \u00a0head\u00a0 and \u00a0tail == head\u00a0.", "No  such thing."]
    assert unwrap_block(contents(drawn), 0, padded_code=True) == (
        "It has `head` and `tail == head`.\nNo  such thing."
    )


def test_indentation_of_code_is_kept():
    assert unwrap_block(contents(["def f():", "    return 1"]), 0) == "def f():\n    return 1"


def test_blank_rows_part_paragraphs_once():
    assert unwrap_block(contents(["a", "", "", "b", ""]), 0) == "a\n\nb"


def test_verbatim_keeps_lines():
    assert verbatim(contents(["x" * 38, "y"])) == "x" * 38 + "\ny"


words = st.lists(st.text("abcdefgh", min_size=1, max_size=12), min_size=1, max_size=60)


@given(words, st.integers(20, 80))
def test_wrapping_and_reflowing_is_the_identity(said: list[str], room: int):
    # Two words that together are wider than a row look like one that was cut, if the row is full.
    assume(all(len(one) + len(two) <= room for one, two in pairwise(said)))
    text = " ".join(said)
    assert unwrap_block(contents(wrap(text, room), width=room + 2), 0) == text
