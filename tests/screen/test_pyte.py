"""`dejavu.screen.pyte` beside pyte itself, on what pyte gets right."""

import copy
from types import ModuleType
from typing import Any

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.screen import Terminal
from dejavu.screen import pyte as face

COLUMNS, LINES = 12, 5

# Sequences that pyte and terminals understand alike, on narrow text.
_PIECES = [
    *("hello", "a long line that wraps around", "\u043f\u0440\u0438\u0432\u0435\u0442", "x"),
    *("\r\n", "\r", "\n", "\b", "\t", "\x1b7", "\x1bM", "\x1bD", "\x1bH", "\x1b[3g"),
    *("\x1b[H", "\x1b[2;3H", "\x1b[9;9H", "\x1b[A", "\x1b[2B", "\x1b[3C", "\x1b[2D", "\x1b[4G"),
    *("\x1b[3d", "\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[J", "\x1b[1J", "\x1b[2J", "\x1b[L"),
    *("\x1b[2@", "\x1b[P", "\x1b[3X", "\x1b]2;title\x07", "\x1b[4h", "\x1b[4l"),
    *("\x1b[m", "\x1b[1;31m", "\x1b[48;5;200m", "\x1b[38;2;1;2;3m", "\x1b[3;4;7;9m", "\x1b[27;94m"),
]


def _rendered(screen: Any) -> tuple[object, ...]:
    cells = [[screen.buffer[y][x] for x in range(COLUMNS)] for y in range(LINES)]
    # What was erased in colours keeps them in pyte, text attributes and all; terminals keep the
    # background. So blanks are compared by nothing but being blank.
    cells = [[cell if cell.data != " " else None for cell in row] for row in cells]
    return screen.display, cells, screen.title, screen.cursor.attrs


def _cursor(screen: Any) -> tuple[int, int]:
    return screen.cursor.y, min(screen.cursor.x, COLUMNS - 1)


@given(pieces=st.lists(st.sampled_from(_PIECES), max_size=30))
def test_a_stream_draws_what_it_draws_on_pyte(pieces: list[str]) -> None:
    screens = []
    for module in (pyte, face):
        screen = module.Screen(COLUMNS, LINES)
        stream = module.Stream(screen)
        for piece in pieces:
            stream.feed(piece)
            screen.cursor.x = min(screen.cursor.x, COLUMNS - 1)  # pending wraps are not alike
        screens.append(screen)
    assert _rendered(screens[1]) == _rendered(screens[0])
    assert _cursor(screens[1]) == _cursor(screens[0])


@given(pieces=st.lists(st.sampled_from(_PIECES), max_size=30))
def test_events_one_by_one_draw_the_same_as_text_whole(pieces: list[str]) -> None:
    class Ringing(face.Screen):
        def bell(self, *args: Any) -> None: ...

    whole, single = face.Screen(COLUMNS, LINES), Ringing(COLUMNS, LINES)
    streams = face.Stream(whole), face.Stream(single)
    for piece in pieces:
        for stream in streams:
            stream.feed(piece)
    assert _rendered(whole) == _rendered(single)
    assert whole.dirty <= single.dirty


@given(pieces=st.lists(st.sampled_from(_PIECES), max_size=30))
def test_every_row_that_changed_is_dirty(pieces: list[str]) -> None:
    class Ringing(face.Screen):
        def bell(self, *args: Any) -> None: ...

    for screen in (face.Screen(COLUMNS, LINES), Ringing(COLUMNS, LINES)):
        stream = face.Stream(screen)
        for piece in pieces:
            screen.dirty.clear()
            before = screen.display
            stream.feed(piece)
            changed = {y for y, row in enumerate(screen.display) if row != before[y]}
            assert changed <= screen.dirty


def test_what_pyte_loses_is_kept() -> None:
    screen = face.Screen(40, 2)
    stream = face.ByteStream(screen)
    stream.feed("⚠️ Do you want to proceed? (y/n)\r\n\x1b[4:3mcurly\x1b[m\x1bP+q544e\x1b\\".encode())
    stream.feed(b"\x1b[?1049hother\x1b[?1049l")
    assert [row.rstrip() for row in screen.display] == ["⚠️ Do you want to proceed? (y/n)", "curly"]
    assert screen.buffer[1][0].underscore


def test_overridden_events_are_sent_and_answers_written() -> None:
    class Program(face.Screen):
        seen: list[object]

        def set_title(self, param: str) -> None:
            self.seen.append(param)
            super().set_title(param)

        def write_process_input(self, data: str) -> None:
            self.seen.append(data)

    screen = Program(20, 2)
    screen.seen = []
    face.Stream(screen).feed("\x1b]2;name\x07\x1b[2;3H\x1b[6n\x1b[c")
    assert screen.seen == ["name", "\x1b[2;3R", "\x1b[?6c"]
    assert screen.title == "name"


def test_answers_of_text_taken_whole() -> None:
    class Program(face.Screen):
        answers = ""

        def write_process_input(self, data: str) -> None:
            self.answers += data

    screen = Program(20, 2)
    face.Stream(screen).feed("\x1b[2;3H\x1b[6n\x1b[c")
    assert screen.answers == "\x1b[2;3R\x1b[?6c"


@pytest.mark.parametrize("module", [pyte, face])
def test_cells_are_read_and_written(module: ModuleType) -> None:
    screen = module.Screen(5, 2)
    screen.buffer[0][1] = module.screens.Char("é", fg="red", bg="00ff00", bold=True)
    screen.buffer[1][0] = module.screens.Char("日")
    screen.buffer[1][1] = module.screens.Char("")
    assert screen.display == [" é   ", "日   "]
    assert screen.buffer[0][1] == module.screens.Char("é", "red", "00ff00", bold=True)
    assert screen.buffer[0][4] == screen.default_char
    assert screen.buffer[1][0].data == "日"


def test_half_of_a_wide_character_is_not_left() -> None:
    screen = face.Screen(5, 1)
    screen.draw("日本")
    screen.buffer[0][1] = face.screens.Char("x")
    assert screen.display == [" x本 "]


def test_a_line_stays_what_it_was() -> None:
    screen = face.HistoryScreen(5, 2, history=10)
    screen.draw("old")
    line = screen.buffer[0]
    face.Stream(screen).feed("\r\n\r\n\r\n")
    assert "".join(line[x].data for x in range(5)) == "old  "
    assert screen.history.top[0] == line
    assert copy.copy(screen.cursor).y == 1


@pytest.mark.parametrize("module", [pyte, face])
def test_history_pages(module: ModuleType) -> None:
    screen = module.HistoryScreen(4, 4, history=40)
    stream = module.Stream(screen)
    stream.feed("\r\n".join(map(str, range(20))))
    assert [line[0].data + line[1].data for line in screen.history.top][-2:] == ["14", "15"]
    screen.prev_page()
    assert (screen.display, screen.cursor.hidden) == (["14  ", "15  ", "16  ", "17  "], True)
    assert len(screen.history.bottom) == 2
    stream.feed("!")
    assert (screen.display[-1], screen.cursor.hidden) == ("19! ", False)
    screen.reset()
    assert not screen.history.top


@pytest.mark.parametrize("module", [pyte, face])
def test_a_resize_clips(module: ModuleType) -> None:
    screen = module.Screen(4, 3)
    module.Stream(screen).feed("abcd\r\nefgh\r\nijkl")
    screen.resize(2, 3)
    assert screen.display == ["efg", "ijk"]
    screen.resize(lines=3)
    assert screen.display == ["efg", "ijk", "   "]


@pytest.mark.parametrize("module", [pyte, face])
def test_132_columns(module: ModuleType) -> None:
    screen = module.Screen(80, 2)
    stream = module.Stream(screen)
    stream.feed("text\x1b[?3h")
    assert (screen.columns, screen.display[0].strip()) == (132, "")
    stream.feed("\x1b[?3l")
    assert screen.columns == 80


def test_modes_have_the_numbers_of_pyte() -> None:
    screen = face.Screen(5, 2)
    face.Stream(screen).feed("\x1b[?2004h\x1b[20h\x1b[?7l")
    assert screen.mode == {2004 << 5, face.modes.LNM, face.modes.DECTCEM}


def test_hostile_bytes_do_what_they_do_on_a_terminal(streams: st.SearchStrategy[bytes]) -> None:
    @given(data=streams)
    def check(data: bytes) -> None:
        if b"?3" in data or b"\xc2\x9b" in data or b"\xc2\x9c" in data or b"\xc2\x9d" in data:
            return  # DECCOLM and C1 controls: obeyed here, as in pyte, and not by a terminal
        screen, terminal = face.HistoryScreen(20, 5, history=50), Terminal(20, 5, history=50)
        face.ByteStream(screen).feed(data)
        terminal.feed(data)
        # Not the snapshot: that is the frame before an update under way (?2026).
        shown = tuple(map(face.chars.composed, terminal._grid.capture().rows))
        assert tuple(screen.display) == shown

    check()
