from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from dejavu.screen import Snapshot, Terminal

After = Callable[..., Terminal]


def _shown(terminal: Terminal) -> tuple[Snapshot, list[tuple[str, bool]]]:
    return terminal.snapshot(), [(str(line), line.wrapped) for line in terminal.history]


@given(data=st.data())
def test_a_fresh_terminal_fed_the_dump_is_equal(
    streams: st.SearchStrategy[bytes], data: st.DataObject
) -> None:
    terminal = Terminal(12, 5, history=20)
    terminal.feed(data.draw(streams) + b"\x18\x1b[?2026l")
    again = Terminal(12, 5, history=20)
    again.feed(terminal.dump())
    assert again.snapshot() == terminal.snapshot()
    texts = [str(line).rstrip() for line in again.history]
    assert texts == [str(line).rstrip() for line in terminal.history]


def test_what_comes_after_is_the_same_too(after: After) -> None:
    start = (
        "one\r\ntwo wrapped over the right margin\r\n\x1b[2;4r\x1b[?6h\x1b[2;3H\x1b[1;44m\x1b7"
        "\x1b(0\x1b[4h\x1b[?7l\x1b[3g\x1b[5G\x1bH\x1b[?2004h\x1b[3 q\x1b[>5u"
        "\x1b]2;title\x07\x1b[22t"
        "\x1b[?1049h\x1b[Halternate\x1b[31m"
    )
    more = "\tq\x1b[?2004$p\x1b[?u\x1bP$q q\x1b\\\x1b[?1049l\tq\x1b8q\x1b[9Bz\n\nz\x1b[23t\x1b[6n"
    one = after(start)
    two = after(one.dump())
    assert _shown(two) == _shown(one)
    assert two.replies() == b""
    for terminal in (one, two):
        terminal.feed(more.encode())
    assert _shown(two) == _shown(one)
    assert two.replies() == one.replies()


def test_a_full_line_still_wraps_with_the_next_character(after: After) -> None:
    for text in ("abcd", "ab日"):
        one = after(text, 4, 2)
        two = after(one.dump(), 4, 2)
        one.feed(b"x")
        two.feed(b"x")
        assert _shown(two) == _shown(one)


def test_without_history(after: After) -> None:
    terminal = after("1\r\n2\r\n3", 5, 2)
    fresh = after(terminal.dump(history=False), 5, 2)
    assert len(fresh.history) == 0
    assert fresh.snapshot() == terminal.snapshot()
