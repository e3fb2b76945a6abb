from hypothesis import given
from hypothesis import strategies as st

from dejavu.redact.unwrap import JoinedText, Span, join_rows, mask_rows


def texts(rows: list[str], columns: int, wrapped: list[bool] | None = None) -> list[str]:
    return [joined_text.text for joined_text in join_rows(rows, columns, wrapped)]


def test_rows_that_reach_the_edge_are_joined() -> None:
    assert "abcdefghij" in texts(["abcdef", "ghij  "], 6)
    assert "one\nabcdef" in texts(["one       ", "abcdef    "], 10)[1]


def test_hanging_indent_box_and_side_pane() -> None:
    assert "abcdefghij" in texts(["abcdef", "  ghij"], 6)[1]
    assert "abcdefgh" in texts(["╭──────╮", "│ abcd │", "│ efgh │", "╰──────╯"], 8)[1]
    assert "abcdefgh" in texts(["│abcd│side1│", "│efgh│side2│"], 12)[1]


def test_the_terminal_s_own_break_joins_whatever_the_width() -> None:
    assert "abcdef" in texts(["abc", "def"], 80, [True, False])[0]


def test_wide_characters_count_two_cells() -> None:
    assert "漢字ab" in texts(["漢字", "ab  "], 4)[1]


@given(st.lists(st.text("ab │|  漢", max_size=12), max_size=6), st.integers(1, 12))
def test_every_character_leads_back_to_its_place(rows: list[str], columns: int) -> None:
    for joined_text in join_rows(rows, columns):
        for i, char in enumerate(joined_text.text):
            for span in joined_text.spans(i, i + 1):
                assert rows[span.row][span.start : span.end] == char


def test_spans_cross_runs_and_skip_line_breaks() -> None:
    joined_text = JoinedText()
    joined_text.add(Span(0, 2, 5), "abc", joined=False)
    joined_text.add(Span(1, 1, 3), "de", joined=True)
    joined_text.add(Span(2, 0, 2), "fg", joined=False)
    assert (joined_text.text, joined_text.joints) == ("abcde\nfg", [3])
    assert joined_text.spans(1, 7) == [Span(0, 3, 5), Span(1, 1, 3), Span(2, 0, 1)]


def test_labels_stand_where_there_is_room_else_stars() -> None:
    rows = ["key abcdef", "ghij      "]
    spans = [Span(0, 4, 10), Span(1, 0, 4)]
    assert mask_rows(rows, [(spans, "[long one]")]) == ["key ******", "[long one]"]
    assert mask_rows(rows, [(spans, "[far too long]")]) == ["key ******", "[redacted]"]
    assert mask_rows(["a 1234567890123 b"], [([Span(0, 2, 15)], "[far too long]")]) == [
        "a [redacted]*** b"
    ]
    assert mask_rows(["│ abc   │"], [([Span(0, 2, 5)], "[label]")]) == ["│ ***   │"]
