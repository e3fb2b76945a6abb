from collections.abc import Callable

import pytest

from dejavu.screen import Snapshot, Terminal

After = Callable[..., Terminal]


def test_rows_cover_all_columns(after: After) -> None:
    snapshot = after("ab日\x1b[10Gx\r\n\x1b[44m\x1b[K", 12, 3).snapshot()
    assert snapshot.rows == ("ab日     x  ", " " * 12, " " * 12)
    assert snapshot.lines == 3


def test_a_snapshot_does_not_change_with_the_terminal(after: After) -> None:
    terminal = after("\x1b[31mold")
    snapshot = terminal.snapshot()
    terminal.feed(b"\x1b[2J\x1b[Hnew")
    assert snapshot.rows[0].rstrip() == "old"
    assert snapshot.styles[0][0].style.fg == 1


def test_crop_is_by_columns(after: After) -> None:
    snapshot = after("a日b\r\nx").snapshot()
    assert snapshot.crop(0, 0, 4) == "a日b"
    assert snapshot.crop(0, 2, 4) == " b"
    assert snapshot.crop(0, 0, 2) == "a "
    assert snapshot.crop(0, 2, 3) == " "
    assert snapshot.crop(1, 0, 3) == "x  "
    assert snapshot.crop(1, 18, 99) == "  "


def test_from_rows_is_a_picture_of_plain_text() -> None:
    snapshot = Snapshot.from_rows(["ab日", "x"], title="t", alternate=True, cursor=(1, 1))
    assert snapshot.columns == 4
    assert snapshot.rows == ("ab日", "x   ")
    assert (snapshot.title, snapshot.alternate, snapshot.cursor) == ("t", True, (1, 1))
    assert snapshot.styles == ((), ())
    assert snapshot.wrapped == (False, False)
    assert Snapshot.from_rows(["abcdef", "日本"], columns=3).rows == ("abc", "日 ")
    assert Snapshot.from_rows([]).rows == ()


def test_from_rows_of_a_snapshot_shows_the_same_text(after: After) -> None:
    seen = after("e\u0301 日本\r\n⚠️ ok").snapshot()
    assert Snapshot.from_rows(seen.rows).rows == seen.rows


def test_equal_means_showing_the_same(after: After) -> None:
    one, same = after("\x1b[1mx").snapshot(), after("y\x1b[3m\r\x1b[m\x1b[1mx").snapshot()
    assert one == same
    assert hash(one) == hash(same)
    assert one != after("x").snapshot()
    assert one != "x"
    assert "20x5" in repr(one)


def test_styles_are_made_once(after: After) -> None:
    snapshot = after("\x1b]8;;https://e.org\x07link\x1b]8;;\x07 \x1b[7minv").snapshot()
    link, inverse = snapshot.styles[0]
    assert (link.start, link.end, link.style.link) == (0, 4, "https://e.org")
    assert inverse.style.inverse
    assert snapshot.styles is snapshot.styles
    assert snapshot.rows is snapshot.rows
    with pytest.raises(AttributeError):
        snapshot.columns = 1  # type: ignore[misc]


def test_the_styles_of_one_row_are_those_of_all() -> None:
    terminal = Terminal(20, 4)
    terminal.feed("\x1b[31mred\x1b[m and \x1b[1mbold 你好\x1b[m\r\n\x1b[7mx".encode())
    snapshot = terminal.snapshot()
    one_by_one = tuple(map(snapshot.row_styles, range(4)))
    assert one_by_one == snapshot.styles == tuple(map(snapshot.row_styles, range(4)))
    assert one_by_one[0]
