from tests.extensions.testing.test_rendering import drawn

from dejavu.extensions.testing.difference import differing, explain
from dejavu.extensions.testing.rendering import Rendering


def explained(one: bytes, other: bytes, width: int = 80, columns: int = 20) -> str:
    renderings = (Rendering.of(drawn(data, columns)) for data in (one, other))
    return explain(*renderings, width)


def test_both_screens_stand_side_by_side() -> None:
    text = explained("Wörld 日本\r\nsame".encode(), "World 日木\r\nsame".encode())
    assert text.split("\n") == [
        "1 of 5 rows differ",
        "     expected     actual",
        "  0!│Wörld 日本│ │World 日木│",
        "      ^      ^^    ^      ^^",
        "  1 │same      │ │same      │",
    ]


def test_styles_are_told_by_stretches() -> None:
    text = explained(b"\x1b[1mab\x1b[mcd", b"ab\x1b[32mcd")
    assert "row 0, columns 0 to 1 'ab': expected bold, got plain" in text
    assert "row 0, columns 2 to 3 'cd': expected plain, got fg=2" in text


def test_facts_are_told() -> None:
    text = explained(b"a\x1b]2;one\x07", b"a\x1b]2;two\x07\x1b[5C")
    assert "title: expected 'one', got 'two'" in text
    assert "cursor: expected [0, 1], got [0, 6]" in text


def test_a_wide_screen_is_cut_where_it_differs() -> None:
    one, other = b"x" * 150 + b"A" + b"y" * 40, b"x" * 150 + b"B" + b"y" * 40
    text = explained(one, other, 60, columns=200)
    assert max(map(len, text.split("\n"))) <= 60
    assert "A" in text
    assert "B" in text
    assert "columns 146 to 169 of 191" in text


def test_equal_screens_have_no_difference() -> None:
    one = Rendering.of(drawn(b"same"))
    assert not any(differing(one, one))
    assert explain(one, one) == ""
