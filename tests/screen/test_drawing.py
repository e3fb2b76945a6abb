from collections.abc import Callable

import pytest

from dejavu.screen import Terminal

After = Callable[..., Terminal]


def _rows(terminal: Terminal) -> list[str]:
    return [row.rstrip() for row in terminal.snapshot().rows]


@pytest.mark.parametrize(
    "text",
    [
        "⚠️ Do you want to proceed? (y/n)",
        "a\u200bb",
        "hello\x06world",
        "नमस्ते",
        "👩‍💻 coder",
        "e\u0301\u0327x",
        "\U0010ffffprivate",
    ],
)
def test_no_text_is_lost_after_zero_width_characters(after: After, text: str) -> None:
    shown = after(text, 60).snapshot().rows[0].rstrip()
    assert shown == text.replace("\x06", "")


def test_wide_characters_never_straddle_the_margin(after: After) -> None:
    terminal = after("abc日本", 4)
    assert _rows(terminal)[:2] == ["abc", "日本"]
    assert terminal.snapshot().wrapped[0]


def test_overwriting_half_a_wide_character_blanks_the_other(after: After) -> None:
    assert _rows(after("日本\rx"))[0] == "x 本"
    assert _rows(after("日本\x1b[2Gx"))[0] == " x本"
    assert _rows(after("日本\x1b[2G中"))[0] == " 中"


def test_a_full_line_wraps_with_the_next_character_only(after: After) -> None:
    terminal = after("abcd", 4)
    assert terminal.snapshot().cursor == (0, 3)
    terminal.feed(b"\x1b[31m")
    assert terminal.snapshot().cursor == (0, 3)
    terminal.feed(b"e")
    assert _rows(terminal)[:2] == ["abcd", "e"]
    assert terminal.snapshot().wrapped == (True, False, False, False, False)


def test_without_autowrap_the_last_column_is_overwritten(after: After) -> None:
    assert _rows(after("\x1b[?7labcdefgh", 4))[:2] == ["abch", ""]
    assert _rows(after("\x1b[?7labcde日", 4))[:2] == ["abce", ""]


def test_insert_mode_moves_the_rest(after: After) -> None:
    assert _rows(after("abcd\r\x1b[4hXY", 5))[0] == "XYabc"
    assert _rows(after("a日\r\x1b[4h.", 3))[0] == ".a"


def test_line_drawing(after: After) -> None:
    assert _rows(after("\x1b(0lqk\x1b(Blqk"))[0] == "┌─┐lqk"
    assert _rows(after("\x1b)0a\x0ea\x0fa"))[0] == "a▒a"
    assert _rows(after("\x1b(A#"))[0] == "£"


def test_rep_repeats_the_last_character_and_only_that(after: After) -> None:
    assert _rows(after("ab\x1b[3b"))[0] == "abbbb"
    assert _rows(after("日\x1b[2b"))[0] == "日日日"
    assert _rows(after("e\u0301\x1b[1b"))[0] == "e\u0301e\u0301"
    assert _rows(after("日\u0301\x1b[1b"))[0] == "日\u0301日\u0301"
    assert _rows(after("a\r\n\x1b[3bx"))[1] == "x"
    assert _rows(after("a\x1b[2b\x1b[2b"))[0] == "aaa"
    assert len(_rows(after("a\x1b[65535b"))) == 5


def test_marks_join_the_cell_before_the_cursor(after: After) -> None:
    assert _rows(after("abc\u0301", 3))[0] == "abc\u0301"
    assert _rows(after("\u0301x"))[0] == "x"
    assert _rows(after("\x1b[3G\u0301x"))[0] == "  \u0301x"
