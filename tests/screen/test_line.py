from collections.abc import Callable

from dejavu.screen import Terminal, unwrap

After = Callable[..., Terminal]


def test_text_is_without_cells_never_written(after: After) -> None:
    terminal = after("a \r\n\x1b[5Gb\r\n\x1b[44mc\x1b[K\x1b[m\r\n日\r\n", 10, 1)
    assert [str(line) for line in terminal.history] == ["a ", "    b", "c", "日"]


def test_runs_of_a_line(after: After) -> None:
    terminal = after("a\x1b[1mbc\x1b[md\r\n", 10, 1)
    (run,) = terminal.history[0].runs()
    assert (run.start, run.end, run.style.bold) == (1, 3, True)


def test_unwrap_joins_what_was_wrapped(after: After) -> None:
    terminal = after("abcdefgh\r\nij\r\nklmnop", 3, 1)
    assert list(unwrap(terminal.history)) == ["abcdefgh", "ij", "klm"]
    assert list(unwrap([])) == []


def test_lines_compare_by_what_they_show(after: After) -> None:
    one = after("\x1b[1mx\r\n", 5, 1).history[0]
    same = after("\x1b[3mnoise\r\x1b[K\x1b[m\x1b[1mx\r\n", 5, 1).history[0]
    other = after("x\r\n", 5, 1).history[0]
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one != "x"
    assert "wrapped" in repr(after("abcd", 3, 1).history[0])
