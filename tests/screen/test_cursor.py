from collections.abc import Callable

import pytest

from dejavu.screen import Terminal

After = Callable[..., Terminal]


@pytest.mark.parametrize(
    ("sequence", "cursor"),
    [
        ("\x1b[3;4H", (2, 3)),
        ("\x1b[H", (0, 0)),
        ("\x1b[99;99H", (4, 19)),
        ("\x1b[3;4f", (2, 3)),
        ("\x1b[3;4H\x1b[A", (1, 3)),
        ("\x1b[3;4H\x1b[9B", (4, 3)),
        ("\x1b[3;4H\x1b[2C", (2, 5)),
        ("\x1b[3;4H\x1b[9D", (2, 0)),
        ("\x1b[3;4H\x1b[E", (3, 0)),
        ("\x1b[3;4H\x1b[2F", (0, 0)),
        ("\x1b[3;4H\x1b[7G", (2, 6)),
        ("\x1b[3;4H\x1b[7`", (2, 6)),
        ("\x1b[3;4H\x1b[2a", (2, 5)),
        ("\x1b[3;4H\x1b[2d", (1, 3)),
        ("\x1b[3;4H\x1b[e", (3, 3)),
        ("\x1b[3;4H\x1bE", (3, 0)),
        ("\t", (0, 8)),
        ("\x1b[2I", (0, 16)),
        ("\x1b[9I", (0, 19)),
        ("\x1b[10G\x1b[Z", (0, 8)),
        ("\x1b[20G\x1b[2Z", (0, 8)),
        ("\x1b[3Z", (0, 0)),
        ("\x1b[4G\x1bH\r\t", (0, 3)),
        ("\x1b[3g\t", (0, 19)),
        ("\x1b[9G\x1b[g\r\t", (0, 16)),
        ("ab\x08", (0, 1)),
        ("\x08", (0, 0)),
        ("x" * 20, (0, 19)),
        ("x" * 20 + "\x08", (0, 18)),
        ("x" * 20 + "\x1b[A", (0, 19)),
        ("\x1b[2;4r", (0, 0)),
        ("\x1b[5;5H\x1b[2;4r", (0, 0)),
        ("\x1b[4;4H\x1b[3;2r", (3, 3)),
        ("\x1b[2;4r\x1b[3;1H\x1b[9A", (1, 0)),
        ("\x1b[2;4r\x1b[3;1H\x1b[9B", (3, 0)),
        ("\x1b[2;4r\x1b[9A", (0, 0)),
        ("\x1b[2;4r\x1b[5;1H\x1b[9B", (4, 0)),
        ("\x1b[2;4r\x1b[?6h", (1, 0)),
        ("\x1b[2;4r\x1b[?6h\x1b[2;2H", (2, 1)),
        ("\x1b[2;4r\x1b[?6h\x1b[9;9H", (3, 8)),
        ("\x1b[2;4r\x1b[?6h\x1b[3d", (3, 0)),
        ("\x1b[3;3H\x1b[s\x1b[H\x1b[u", (2, 2)),
    ],
)
def test_one_move(after: After, sequence: str, cursor: tuple[int, int]) -> None:
    assert after(sequence).snapshot().cursor == cursor


def test_saved_cursor_is_one_slot_a_screen_and_can_be_restored_again(after: After) -> None:
    terminal = after("\x1b[2;3H\x1b[1m\x1b7\x1b[m\x1b[5;5H\x1b8A\x1b[H\x1b8B")
    assert terminal.snapshot().rows[1].rstrip() == "  B"
    assert terminal.snapshot().styles[1][0].style.bold
    terminal.feed(b"\x1b[?47h\x1b8")
    assert terminal.snapshot().cursor == (0, 0)
    terminal.feed(b"\x1b[?47l\x1b8")
    assert terminal.snapshot().cursor == (1, 2)


def test_origin_mode_and_charset_are_restored(after: After) -> None:
    terminal = after("\x1b[2;4r\x1b[?6h\x1b(0\x1b7\x1b[?6l\x1b(B\x1b8\x1b[Hq")
    assert terminal.snapshot().rows[1].rstrip() == "─"
