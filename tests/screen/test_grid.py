import unicodedata
from collections.abc import Callable

import pyte
import pytest

from dejavu.screen import Grid, Terminal, Title
from dejavu.screen.tokens import SEQUENCE_LIMIT, STRING_LIMIT

After = Callable[..., Terminal]

# What stock pyte gets right: plain text, cursor, erasing, inserting and deleting on narrow text.
_RIGHT = [
    "hello\r\nworld\ttab\x08!",
    "\x1b[2;5Hxy\x1b[1;1Hab\x1b[3C.\x1b[2D,",
    "aaaa\r\nbbbb\r\ncccc\x1b[2;2H\x1b[K\x1b[1J",
    "aaaa\r\nbbbb\r\ncccc\x1b[2;1H\x1b[L\x1b[3;1H\x1b[M",
    "abcdef\x1b[1;3H\x1b[2@\x1b[1;1H\x1b[P\x1b[1;4H\x1b[2X",
    "one\r\ntwo\r\nthree\r\nfour\r\nfive\r\nsix\r\nseven",
    "\x1b[31;1mred\x1b[0m \x1b[4munder\x1b[24m \x1b[38;5;208mpalette\x1b[m",
    "\x1b[5;1Hx\x1bDy\x1b[1;1H\x1bMz",
    "\x1b[3gab\x1b[1;4H\x1bH\r\tz",
    "日本 wide\r\ncafe\u0301",
]


@pytest.mark.parametrize("text", _RIGHT)
def test_a_pyte_stream_drives_the_grid_as_it_drives_its_own_screen(text: str) -> None:
    grid, screen = Grid(20, 6, 100), pyte.Screen(20, 6)
    pyte.Stream(grid).feed(text)
    pyte.Stream(screen).feed(text)
    shown = grid.capture()
    rows = [unicodedata.normalize("NFC", row.rstrip()) for row in shown.rows]  # pyte keeps NFC
    assert rows == [row.rstrip() for row in screen.display]
    assert shown.cursor == (screen.cursor.y, min(screen.cursor.x, 19))
    ours = Terminal(20, 6)
    ours.feed(text.encode())
    assert ours.snapshot() == shown


def test_pyte_styles_arrive_as_ours() -> None:
    grid = Grid(10, 1, 0)
    pyte.Stream(grid).feed("\x1b[1;31mx")
    (run,) = grid.capture().styles[0]
    assert (run.style.bold, run.style.fg) == (True, 1)


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("a\x1b[3\x18b", "ab"),  # CAN aborts
        ("a\x1b[3\x1ab", "ab"),
        ("a\x1b[3\x1b[2Cb", "a  b"),  # ESC starts anew
        ("ab\x1b[\x082Cx", "ab x"),  # controls inside are obeyed first
        ("a\x1b[2\x00Cb", "a  b"),
        ("a\x1b[2éb", "ab"),  # not ASCII: aborted
        ("a\x1b\x00[2Cb", "a  b"),
        ("a\x1b\x08(0q", "─"),
        ("a\x1b[1 2Cb", "ab"),  # parameters after intermediates: ignored
        ("a\x1b[0\x08mb", "b"),
        ("a\x1bPtmux;body\x1b\\b", "ab"),
        ("a\x1b_apc\x1b\\b\x1b^pm\x1b\\c\x1bXsos\x1b\\d", "abcd"),
        ("a\x1b]0;t\x18b", "ab"),
        ("a\x1b]0;t\x1b[2Cb", "a  b"),
        ("a\x1b%Gb\x1b Fc", "abc"),
        ("a\x9b2Cb", "a2Cb"),
        ("a\x1b[>4;2mb\x1b[<ub\x1b[=1;1ub", "abbb"),
    ],
)
def test_sequences_off_the_beaten_track(after: After, text: str, row: str) -> None:
    assert after(text).snapshot().rows[0].rstrip() == row
    assert not after(text).snapshot().styles[0]


def test_an_aborted_title_is_not_set(after: After) -> None:
    assert after("\x1b]0;no\x18").snapshot().title == ""
    assert after("\x1b]0;yes\x1b[m").snapshot().title == "yes"


def test_a_string_too_long_is_swallowed_whole() -> None:
    terminal = Terminal(10, 1)
    events: list[object] = []
    for piece in [b"\x1b]2;", *[b"x" * 60_000] * (STRING_LIMIT // 60_000 + 2), b"\x07after"]:
        events += terminal.feed(piece).events
    assert events == []
    assert terminal.snapshot().rows[0].rstrip() == "after"
    assert terminal.feed(b"\x1b]2;short\x07").events == (Title("short"),)


def test_a_sequence_too_long_is_ignored_but_its_controls_are_not() -> None:
    body = b"\x1b[" + b"1;" * SEQUENCE_LIMIT + b"\n" + b"Hx"
    for step in (len(body), 700, 1):
        terminal = Terminal(10, 3)
        for at in range(0, len(body), step):
            terminal.feed(body[at : at + step])
        assert [row.rstrip() for row in terminal.snapshot().rows] == ["", "x", ""]
