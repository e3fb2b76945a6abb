from collections.abc import Callable

from dejavu.screen import Terminal

After = Callable[..., Terminal]


def _rows(terminal: Terminal) -> list[str]:
    return [row.rstrip() for row in terminal.snapshot().rows]


def test_wrapped_lines_are_joined_and_cut_again(after: After) -> None:
    terminal = after("abcdefghij\r\nx", 5, 4)
    terminal.resize(10, 4)
    assert _rows(terminal) == ["abcdefghij", "x", "", ""]
    assert terminal.snapshot().cursor == (1, 1)
    terminal.resize(4, 4)
    assert _rows(terminal) == ["abcd", "efgh", "ij", "x"]
    assert terminal.snapshot().wrapped == (True, True, False, False)
    assert terminal.snapshot().cursor == (3, 1)


def test_history_reflows_too(after: After) -> None:
    terminal = after("abcdefghij\r\n" * 4 + "end", 10, 2)
    terminal.resize(5, 2)
    assert [str(line) for line in terminal.history] == ["abcde", "fghij"] * 3 + ["abcde"]
    assert _rows(terminal) == ["fghij", "end"]
    terminal.resize(10, 2)
    assert [str(line) for line in terminal.history] == ["abcdefghij"] * 3


def test_more_lines_bring_history_back_when_the_cursor_is_at_the_end(after: After) -> None:
    terminal = after("1\r\n2\r\n3\r\n4", 5, 2)
    terminal.resize(5, 4)
    assert _rows(terminal) == ["1", "2", "3", "4"]
    assert terminal.snapshot().cursor == (3, 1)
    assert len(terminal.history) == 0


def test_fewer_lines_take_from_below_the_cursor_first(after: After) -> None:
    terminal = after("1\r\n2\r\n3\x1b[1;1H", 5, 3)
    terminal.resize(5, 2)
    assert _rows(terminal) == ["1", "2"]
    terminal = after("1\r\n2\r\n3", 5, 3)
    changes = terminal.resize(5, 2)
    assert _rows(terminal) == ["2", "3"]
    assert [str(line) for line in terminal.history] == ["1"]
    assert changes.rows == (0, 1)


def test_the_alternate_screen_is_cut_not_reflowed(after: After) -> None:
    terminal = after("mainmainmain\r\n\x1b[?1049h\x1b[Habcdefgh\x1b[3;1Hx", 10, 4)
    terminal.resize(5, 4)
    assert _rows(terminal) == ["abcde", "", "x", ""]
    terminal.feed(b"\x1b[?1049l")
    assert _rows(terminal)[:3] == ["mainm", "ainma", "in"]


def test_margins_and_tab_stops_follow(after: After) -> None:
    terminal = after("\x1b[2;3r", 10, 4)
    terminal.resize(30, 6)
    terminal.feed(b"\t\t\t")
    assert terminal.snapshot().cursor == (0, 24)
    terminal.feed(b"\x1b[6;1Hend\n")
    assert len(terminal.history) == 1


def test_the_same_size_changes_nothing(after: After) -> None:
    terminal = after("abc\x1b[?2026hx")
    assert terminal.resize(20, 5).rows == ()
    assert terminal.synchronized
    terminal.resize(21, 5)
    assert not terminal.synchronized
