"""Prompt marks (OSC 133) as rows keep them."""

from dejavu.screen import Terminal

A, B, C = b"\x1b]133;A\x07", b"\x1b]133;B\x07", b"\x1b]133;C\x07"


def test_marks_stand_on_the_row_they_were_set_on():
    terminal = Terminal(20, 4)
    terminal.feed(A + b"one\r\ntwo\r\n" + B + C + b"three\x1b]133;D;0\x07")
    assert terminal.snapshot().marks == ("A", "", "BC", "")


def test_they_go_when_the_row_is_erased_or_begun_anew_and_stay_when_it_is_written_over():
    terminal = Terminal(20, 5)
    terminal.feed(b"\r\n".join([A + b"x"] * 4))
    terminal.feed(b"\x1b[1;1H\x1b[2K\x1b[2;1H\x1b[K\x1b[3;2H\x1b[K\x1b[4;1Hover")
    assert terminal.snapshot().marks == ("", "", "A", "A", "")


def test_they_go_to_history_and_through_a_resize_with_their_line():
    terminal = Terminal(10, 3)
    terminal.feed(A + b"0123456789ab" + B + b"\r\nlast\r\nrow\r\n")
    assert [line.marks for line in terminal.history] == ["A", "B"]
    terminal.resize(20, 3)
    terminal.feed(b"\r\n\r\n\r\n")
    assert next((str(line), line.marks) for line in terminal.history) == ("0123456789ab", "AB")
    narrow = Terminal(20, 6)
    narrow.feed(A + b"0123456789ab" + C + b"\r\n")
    narrow.resize(5, 6)
    assert narrow.snapshot().marks[:3] == ("A", "", "C")
    assert narrow.snapshot().wrapped[:3] == (True, True, False)


def test_a_marked_row_is_a_changed_row():
    terminal = Terminal(20, 3)
    terminal.feed(b"text")
    assert terminal.feed(A).rows == (0,)
    assert terminal.feed(A).rows == ()
