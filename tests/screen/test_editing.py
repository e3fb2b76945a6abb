from collections.abc import Callable

import pytest

from dejavu.screen import Cleared, Terminal

After = Callable[..., Terminal]
FULL = "aaaaa\r\nbbbbb\r\nccccc\r\nddddd"


def _rows(terminal: Terminal) -> list[str]:
    return [row.rstrip() for row in terminal.snapshot().rows]


@pytest.mark.parametrize(
    ("sequence", "rows"),
    [
        ("\x1b[2;3H\x1b[K", ["aaaaa", "bb", "ccccc", "ddddd"]),
        ("\x1b[2;3H\x1b[1K", ["aaaaa", "   bb", "ccccc", "ddddd"]),
        ("\x1b[2;3H\x1b[2K", ["aaaaa", "", "ccccc", "ddddd"]),
        ("\x1b[2;3H\x1b[J", ["aaaaa", "bb", "", ""]),
        ("\x1b[2;3H\x1b[1J", ["", "   bb", "ccccc", "ddddd"]),
        ("\x1b[2J", ["", "", "", ""]),
        ("\x1b[2;2H\x1b[2X", ["aaaaa", "b  bb", "ccccc", "ddddd"]),
        ("\x1b[2;2H\x1b[2@", ["aaaaa", "b  bb", "ccccc", "ddddd"]),
        ("\x1b[2;2H\x1b[2P", ["aaaaa", "bbb", "ccccc", "ddddd"]),
        ("\x1b[2;2H\x1b[L", ["aaaaa", "", "bbbbb", "ccccc"]),
        ("\x1b[2;2H\x1b[2M", ["aaaaa", "ddddd", "", ""]),
        ("\x1b[S", ["bbbbb", "ccccc", "ddddd", ""]),
        ("\x1b[2T", ["", "", "aaaaa", "bbbbb"]),
        ("\x1b[2;3r\x1b[S", ["aaaaa", "ccccc", "", "ddddd"]),
        ("\x1b[H\x1bM", ["", "aaaaa", "bbbbb", "ccccc"]),
        ("\x1b[ @", ["aaaa", "bbbb", "cccc", "dddd"]),
        ("\x1b[2 A", ["  aaa", "  bbb", "  ccc", "  ddd"]),
        ("\x1b[1;2H\x1b['}", ["a aaa", "b bbb", "c ccc", "d ddd"]),
        ("\x1b[1;2H\x1b[2'~", ["aaa", "bbb", "ccc", "ddd"]),
        ("\x1b[9J\x1b[9K", ["aaaaa", "bbbbb", "ccccc", "ddddd"]),
    ],
)
def test_one_edit(after: After, sequence: str, rows: list[str]) -> None:
    assert _rows(after(FULL + sequence, 5, 4)) == rows


@pytest.mark.parametrize(
    "sequence",
    [
        "\x1b[2K",
        "\x1b[3;1H\x1b[K",
        "\x1b[L",
        "\x1b[M",
        "\x1b[T",
        "\x1b[3;1H\x1b[4X",
        "\x1b[3;1H\x1b[9@",
    ],
)
def test_erased_cells_take_the_background(after: After, sequence: str) -> None:
    terminal = after("\x1b[1;44m\x1b[3;1H" + sequence + "\x1b[m", 10)
    backgrounds = {run.style.bg for runs in terminal.snapshot().styles for run in runs}
    assert backgrounds == {4}
    bold = [run for runs in terminal.snapshot().styles for run in runs if run.style.bold]
    assert not bold


def test_only_a_region_at_the_top_feeds_history(after: After) -> None:
    terminal = after(FULL + "\x1b[2;4r\x1b[4;1H\n\n\x1b[r", 5, 4)
    assert len(terminal.history) == 0
    terminal = after(FULL + "\x1b[1;3r\x1b[3;1H\n\n", 5, 4)
    assert [str(line) for line in terminal.history] == ["aaaaa", "bbbbb"]
    assert _rows(terminal) == ["ccccc", "", "", "ddddd"]


def test_erasing_history_leaves_the_screen(after: After) -> None:
    terminal = after(FULL + "\r\neeeee", 5, 4)
    changes = terminal.feed(b"\x1b[3J")
    assert changes.events == (Cleared(),)
    assert [event.wiped for event in changes.events if isinstance(event, Cleared)] == [0]
    assert len(terminal.history) == 0
    assert _rows(terminal) == ["bbbbb", "ccccc", "ddddd", "eeeee"]


def test_erasing_history_tells_which_lines_went_with_it(after: After) -> None:
    terminal = after("", 5, 2)
    changes = terminal.feed(b"a\r\nb\r\nc\x1b[3Jd\r\ne")
    assert [str(line).rstrip() for line in changes.scrolled] == ["a", "b"]
    assert [event.wiped for event in changes.events if isinstance(event, Cleared)] == [1]
    assert [str(line).rstrip() for line in terminal.history] == ["b"]


def test_line_feed_below_the_region_does_not_scroll(after: After) -> None:
    terminal = after(FULL + "\x1b[1;2r\x1b[4;1H\n\nx", 5, 4)
    assert _rows(terminal) == ["aaaaa", "bbbbb", "ccccc", "xdddd"]


def test_erasing_the_start_of_a_line_ends_its_wrap(after: After) -> None:
    assert after("abcdefg", 4).snapshot().wrapped[0]
    assert not after("abcdefg\x1b[2K", 4).snapshot().wrapped[0]
    assert not after("abcdefg\r\x1b[K", 4).snapshot().wrapped[0]
    assert after("abcdefg\x1b[K", 4).snapshot().wrapped[0]
    assert not after("abcdefg\x1b[A\n", 4).snapshot().wrapped[0]


def test_new_line_mode(after: After) -> None:
    assert _rows(after("\x1b[20hab\ncd"))[:2] == ["ab", "cd"]
    assert _rows(after("ab\ncd"))[:2] == ["ab", "  cd"]


@pytest.mark.parametrize(
    ("sequence", "history", "rows"),
    [
        ("\x1b[1;3r\x1b[2S", ["aaaaa", "bbbbb"], ["ccccc", "", "", "ddddd"]),
        ("\x1b[1;3r\x1b[9S", ["aaaaa", "bbbbb", "ccccc"], ["", "", "", "ddddd"]),
        ("\x1b[S", ["aaaaa"], ["bbbbb", "ccccc", "ddddd", ""]),
        ("\x1b[2;4r\x1b[2S", [], ["aaaaa", "ddddd", "", ""]),
        ("\x1b[1;3r\x1b[H\x1bM\x1b[T\x1b[M", [], ["", "aaaaa", "", "ddddd"]),
    ],
)
def test_scrolling_up_from_the_top_row_feeds_history(
    after: After, sequence: str, history: list[str], rows: list[str]
) -> None:
    terminal = after(FULL + sequence, 5, 4)
    assert [str(line) for line in terminal.history] == history
    assert _rows(terminal) == rows


def test_scrolling_the_alternate_screen_feeds_no_history(after: After) -> None:
    assert len(after("a\x1b[?1049hb\x1b[3S", 5, 4).history) == 0
