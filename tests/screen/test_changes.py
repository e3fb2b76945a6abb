import pytest

from dejavu.screen import Terminal


def test_scrolled_lines_know_whether_the_next_continues_them() -> None:
    terminal = Terminal(4, 2)
    changes = terminal.feed(b"abcdefghij\r\nx")
    assert [(str(line), line.wrapped) for line in changes.scrolled] == [
        ("abcd", True),
        ("efgh", True),
    ]
    assert changes.scrolled is changes.scrolled


def test_changes_of_a_feed_do_not_change_later() -> None:
    terminal = Terminal(4, 2)
    changes = terminal.feed(b"\x1b[31mab\r\ncd\r\nef")
    for _ in range(50):
        terminal.feed(b"\x1b[32mzz\r\n")
    (line,) = changes.scrolled
    assert str(line) == "ab"
    assert line.runs()[0].style.fg == 1
    assert changes.rows == (0, 1)
    with pytest.raises(AttributeError):
        changes.rows = ()  # type: ignore[misc]


def test_cleared_history_is_still_reported() -> None:
    terminal = Terminal(4, 1)
    changes = terminal.feed(b"a\r\nb\r\n\x1b[3Jc\r\n")
    assert [str(line) for line in changes.scrolled] == ["a", "b", "c"]
    assert [str(line) for line in terminal.history] == ["c"]
    assert "Cleared" in repr(changes)
