from hypothesis import given
from hypothesis import strategies as st
from tests.factories.panes import Panes, until

from dejavu.extensions.panes.drawing import GridState, paint, restore
from dejavu.extensions.panes.multiplexer import Frame
from dejavu.extensions.panes.tmux import Tmux
from dejavu.screen import Terminal


def test_history_wraps_styles_and_both_screens_come_back() -> None:
    state = GridState(10, 3, (1, 4), True, saved_cursor=(2, 1), title="t", region=(0, 1))
    data = restore(
        state,
        ["one", "\x1b[31mtwo that is long"],
        ["\x1b[39mmain", "\x0eqqq\x0f", "$ "],
        ["alt", "\x1b[1mrow"],
    )
    terminal = Terminal(10, 3)
    terminal.feed(data)
    shown = terminal.snapshot()
    assert [row.rstrip() for row in shown.rows] == ["alt", "row", ""]
    assert (shown.cursor, shown.alternate, shown.title) == ((1, 4), True, "t")
    assert shown.styles[1][0].style.bold
    assert [str(line) for line in terminal.history] == ["one", "two that i", "s long"]
    terminal.feed(b"\x1b[?1049l")
    below = terminal.snapshot()
    assert [row.rstrip() for row in below.rows] == ["main", "───", "$"]
    assert below.cursor == (2, 1)
    assert terminal.private_mode(2004)


def test_a_style_goes_on_in_the_next_row_and_colours_nothing_else() -> None:
    frame = Frame(8, 3, ("\x1b[44mblue", "more\x1b[0m", "plain"), True, (2, 5))
    terminal = Terminal(8, 3)
    terminal.feed(b"x" * 200 + paint(frame, first=True))
    shown = terminal.snapshot()
    assert [row.rstrip() for row in shown.rows] == ["blue", "more", "plain"]
    assert [[(run.start, run.end) for run in runs] for runs in shown.styles] == [
        [(0, 4)],
        [(0, 4)],
        [],
    ]


def test_a_screen_cannot_move_our_cursor() -> None:
    evil = "a\x1b[2Jb\x1b]0;owned\x07c\x1b[5;5Hd\r\x9b2Je\x1bPq\x1b\\f"
    for styled in (True, False):
        terminal = Terminal(20, 3)
        terminal.feed(paint(Frame(20, 3, (evil, "\x1b[31mred"), styled), first=True))
        shown = terminal.snapshot()
        assert shown.rows[0].startswith("abcd")
        assert shown.rows[1].rstrip() == "red"
        assert shown.title == ""
        assert bool(shown.styles[1]) is styled


@given(
    st.lists(st.text(st.characters(codec="utf-8"), max_size=30), max_size=6),
    st.integers(1, 20),
    st.integers(1, 6),
)
def test_any_rows_are_drawn_where_they_stand(rows: list[str], columns: int, lines: int) -> None:
    terminal = Terminal(columns, lines)
    terminal.feed(paint(Frame(columns, lines, (*rows, "e"), False), first=True))
    if len(rows) < lines:
        assert terminal.snapshot().rows[len(rows)].rstrip() == "e"


def test_what_tmux_shows_is_what_we_show(panes: Panes) -> None:
    pane = panes.puppet("a", columns=40, lines=8)
    panes.show(
        "a",
        "\x1b[31mred \x1b[44mto the end of the line and beyond it\x1b[0m\r\n日本語のテキスト\r\n"
        "\x1b(0lqqk\x1b(B \x1b[7minv\x1b[m\r\n\x1b[48;5;22mgreen".encode(),
    )
    tmux = Tmux()
    (found,) = until(lambda: [one for s in tmux.servers() for one in tmux.panes(s)])
    until(lambda: "green" in panes.tmux("capture-pane", "-p", "-t", pane))
    frame = tmux.frame(found)
    terminal = Terminal(frame.columns, frame.lines)
    terminal.feed(paint(frame, first=True))
    shown = terminal.snapshot()
    printed = panes.tmux("capture-pane", "-p", "-t", pane).split("\n")
    # Without -e it prints the letters that line drawing is made of.
    rows = [row.rstrip().replace("┌──┐", "lqqk") for row in shown.rows]
    assert rows[: len(printed)] == printed
    assert shown.cursor == frame.cursor
    assert "┌──┐" in "".join(shown.rows)
    colours = {run.style.bg for runs in shown.styles for run in runs}
    assert {4, 22} <= colours
