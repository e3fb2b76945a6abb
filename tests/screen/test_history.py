from collections.abc import Callable

import pytest

from dejavu.screen import Terminal

After = Callable[..., Terminal]


def test_it_is_a_sequence(after: After) -> None:
    history = after("".join(f"{n}\r\n" for n in range(10)), lines=2).history
    assert len(history) == 9
    assert str(history[0]) == "0"
    assert str(history[-1]) == "8"
    assert [str(line) for line in history[2:4]] == ["2", "3"]
    assert [str(line) for line in history[::4]] == ["0", "4", "8"]
    assert str(next(reversed(history))) == "8"
    assert history[5:2] == []
    with pytest.raises(IndexError, match="9 lines"):
        history[9]


def test_it_is_live_and_bounded(after: After) -> None:
    terminal = after("", lines=1, history=2)
    history = terminal.history
    terminal.feed(b"a\r\nb\r\nc\r\n")
    assert [str(line) for line in history] == ["b", "c"]
    assert len(after("a\r\nb\r\n", lines=1, history=0).history) == 0


def test_the_last_line_knows_the_screen_continues_it(after: After) -> None:
    terminal = after("abcdef", 3, 1)
    assert terminal.history[-1].wrapped
    terminal.feed(b"\x1b[2K")
    assert not terminal.history[-1].wrapped


def test_text_outlives_colours_when_tables_are_full() -> None:
    terminal = Terminal(20, 5, history=5000)
    for number in range(6000):
        cells = "".join(
            f"\x1b[38;2;{number % 256};{number // 256};{column}m{column % 10}"
            for column in range(20)
        )
        terminal.feed(f"{cells}\r\n".encode())
    grid = terminal._grid
    assert len(grid.palette.ids) < 0x11000
    assert all(str(line) == "01234567890123456789" for line in terminal.history)
    newest = terminal.history[-1].runs()
    assert newest[3].style.fg == f"#{(5995) % 256:02x}{5995 // 256:02x}03"
