import re

import pytest

from dejavu.extensions.testing import PATH, SPINNER, TIME, Mask, Screen
from dejavu.extensions.testing.rendering import Rendering
from dejavu.screen import Terminal


def masked(text: str, *masks: Mask, columns: int = 40) -> str:
    terminal = Terminal(columns, 2)
    terminal.feed(text.encode())
    return Rendering.of(Screen(terminal.snapshot()), masks).rows[0]


@pytest.mark.parametrize(
    ("text", "mask", "shown"),
    [
        ("took 9s, done", TIME, "took ‹time›, done"),
        ("took 12.25 ms.", TIME, "took ‹time›."),
        ("at 2026-11-22T10:00:01Z ok", TIME, "at ‹time› ok"),
        ("at 7:05 pm", TIME, "at ‹time›"),
        ("5 apples, 3 m", TIME, "5 apples, 3 m"),
        ("see /home/ada/x.py:3", PATH, "see ‹path›:3"),
        ("either/or 1/2 https://a.b/c", PATH, "either/or 1/2 https://a.b/c"),
        ("⠹ loading", SPINNER, "‹spinner› loading"),
        ("| loading", SPINNER, "‹spinner› loading"),
        ("a · b | c", SPINNER, "a · b | c"),
        ("日本 9s 語", TIME, "日本 ‹time› 語"),
    ],
)
def test_what_is_masked(text: str, mask: Mask, shown: str) -> None:
    assert masked(text, mask) == shown


@pytest.mark.parametrize("left", ["│ left  ", "│ 日本  ", ""])
@pytest.mark.parametrize(("one", "other"), [("   9s   │", "  12s   │"), ("9s     │", "1000s  │")])
def test_columns_behind_a_mask_stay(left: str, one: str, other: str) -> None:
    assert masked(left + one, TIME) == masked(left + other, TIME)


def test_two_matches_of_different_length_leave_the_same_row() -> None:
    assert masked("a 9s b 10s c", TIME) == masked("a 100s b 1s c", TIME) == "a ‹time› b ‹time› c"


def test_styles_of_what_is_masked_are_plain_and_rows_are_chosen() -> None:
    terminal = Terminal(20, 2)
    terminal.feed(b"\x1b[31m12s\x1b[32mx\r\n12s")
    screen = Screen(terminal.snapshot())
    rendering = Rendering.of(screen, [Mask(r"\d+s", "t", rows={0})])
    assert rendering.rows == ("‹t›x", "12s")
    assert rendering.styles[0] == ("", "", "", "fg=2")


def test_a_mask_that_is_no_pattern_is_refused_at_once() -> None:
    with pytest.raises(re.error):
        Mask("(")
