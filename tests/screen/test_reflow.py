from hypothesis import given
from hypothesis import strategies as st

from dejavu.screen.reflow import Layout, narrowed, rewrap
from dejavu.screen.row import BLANK, EMPTY, Row


def _row(cells: str, continued: bool = False) -> Row:
    return cells, "\0" * len(cells), continued


def _text(rows: list[Row]) -> list[str]:
    return [row[0] for row in rows]


def test_rewrap_joins_and_cuts() -> None:
    group = [_row("abcd"), _row("efgh", True), _row("i", True)]
    assert _text(rewrap(group, 4, 6)) == ["abcdef", "ghi"]
    assert _text(rewrap(group, 4, 3)) == ["abc", "def", "ghi"]
    assert [row[2] for row in rewrap(group, 4, 3)] == [False, True, True]


def test_rewrap_never_splits_a_wide_character() -> None:
    group = [_row("ab日\0"), _row("本\0", True)]
    assert _text(rewrap(group, 4, 3)) == ["ab", "日\0", "本\0"]
    early = [_row("abc"), _row("日\0", True)]
    assert _text(rewrap(early, 4, 8)) == ["abc日\0"]
    assert _text(rewrap(group, 4, 1)) == ["a", "b", *[EMPTY] * 4]


def test_a_row_erased_at_its_end_keeps_its_gap() -> None:
    assert _text(rewrap([_row("ab"), _row("cd", True)], 4, 8)) == [f"ab{EMPTY}{EMPTY}cd"]


def test_narrowed() -> None:
    assert narrowed(_row("abcdef"), 3)[0] == "abc"
    assert narrowed(_row("ab日\0"), 3)[0] == f"ab{EMPTY}"
    assert narrowed(_row("ab"), 3) == _row("ab")


@given(
    st.lists(st.tuples(st.text("ab日", max_size=12), st.booleans()), min_size=1, max_size=8),
    st.lists(st.tuples(st.integers(2, 12), st.integers(1, 9)), min_size=1, max_size=4),
)
def test_layout_loses_no_text_above_the_cursor(
    lines: list[tuple[str, bool]], sizes: list[tuple[int, int]]
) -> None:
    rows = [_row(text.replace("日", "日\0")[:12]) for text, _ in lines] + [BLANK]
    rows = [narrowed(row, 12) for row in rows]
    layout = Layout(list(rows), 0, len(rows) - 1)
    width = 12
    for columns, height in sizes:
        layout.set_lines(height)
        layout.set_columns(width, columns)
        width = columns
        assert len(layout.rows) == layout.base + layout.lines
        assert 0 <= layout.y < layout.lines
        for cells, attributes, _ in layout.rows:
            assert len(cells) == len(attributes) <= columns
    before = "".join(_text(rows)).replace("\0", "").replace(EMPTY, "")
    after = "".join(_text(layout.rows)).replace("\0", "").replace(EMPTY, "")
    assert after == before
