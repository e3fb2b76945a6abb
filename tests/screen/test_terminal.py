import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.extensions.testing import strategies
from dejavu.screen import Bell, Cleared, Terminal, Title

After = Callable[..., Terminal]


def _state(terminal: Terminal) -> tuple[object, ...]:
    lines = [(str(line), line.wrapped, line.runs()) for line in terminal.history]
    return terminal.snapshot(), lines, terminal.synchronized


def test_feed_says_what_changed() -> None:
    terminal = Terminal(10, 3)
    assert terminal.feed(b"one\r\ntwo").rows == (0, 1)
    assert terminal.feed(b"").rows == ()
    assert terminal.feed(b"\x1b[2;1Htwo").rows == ()
    assert terminal.feed(b"\x1b[1;1HONE").rows == (0,)
    changes = terminal.feed(b"\x1b]0;name\x07\x07\x1b[2J")
    assert changes.events == (Title("name"), Bell(), Cleared())
    assert changes.rows == (0, 1)


def test_lines_that_leave_the_top_are_reported_and_kept() -> None:
    terminal = Terminal(10, 2, history=3)
    changes = terminal.feed(b"1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7")
    assert [str(line) for line in changes.scrolled] == ["1", "2", "3", "4", "5"]
    assert [str(line) for line in terminal.history] == ["3", "4", "5"]


def test_alternate_screen_leaves_main_and_history_alone(after: After) -> None:
    terminal = after("main\x1b[?1049h" + "alt\r\n" * 9)
    assert terminal.snapshot().alternate
    assert terminal.snapshot().rows[0].startswith("alt")
    assert len(terminal.history) == 0
    terminal.feed(b"\x1b[?1049l")
    assert terminal.snapshot().rows[0].rstrip() == "main"
    assert terminal.snapshot().cursor == (0, 4)


def test_a_snapshot_inside_an_update_is_the_last_complete_frame(after: After) -> None:
    terminal = after("old")
    terminal.feed(b"\x1b[?2026h\x1b[H\x1b[2Jnew")
    assert terminal.synchronized
    assert terminal.snapshot().rows[0].rstrip() == "old"
    terminal.feed(b"er\x1b[?2026l")
    assert not terminal.synchronized
    assert terminal.snapshot().rows[0].rstrip() == "newer"


def test_partial_characters_wait_for_their_end() -> None:
    terminal = Terminal(10, 1)
    for byte in "é日🚀".encode():
        terminal.feed(bytes([byte]))
    assert terminal.snapshot().rows[0].rstrip() == "é日🚀"


def test_size_is_never_less_than_one_cell() -> None:
    terminal = Terminal(0, -1)
    terminal.feed("日a\r\nb".encode())
    terminal.resize(0, 0)
    assert (terminal.columns, terminal.lines) == (1, 1)
    assert len(terminal.snapshot().rows) == 1


@given(pieces=strategies.cuts(strategies.streams()))
def test_chunking_never_matters(pieces: tuple[bytes, ...]) -> None:
    stream = b"".join(pieces)
    terminals = []
    for feeds in ([stream], pieces, [bytes([byte]) for byte in stream]):
        terminal = Terminal(12, 5, history=20)
        for data in feeds:
            terminal.feed(data)
        terminals.append((_state(terminal), terminal.replies()))
    assert terminals[0] == terminals[1] == terminals[2]


@given(data=st.data())
def test_any_bytes_leave_a_sound_screen(
    streams: st.SearchStrategy[bytes], data: st.DataObject
) -> None:
    columns, lines = data.draw(st.integers(1, 15)), data.draw(st.integers(1, 6))
    terminal = Terminal(columns, lines, history=10)
    for _ in range(data.draw(st.integers(1, 3))):
        terminal.feed(data.draw(streams))
        _assert_sound(terminal)
        terminal.resize(data.draw(st.integers(1, 15)), data.draw(st.integers(1, 6)))
        _assert_sound(terminal)


def _assert_sound(terminal: Terminal) -> None:
    snapshot = terminal.snapshot()
    assert (snapshot.columns, snapshot.lines) == (terminal.columns, terminal.lines)
    row, column = snapshot.cursor
    assert 0 <= row < terminal.lines
    assert 0 <= column < terminal.columns
    assert len(terminal.history) <= 10
    for y, runs in enumerate(snapshot.styles):
        cells = [snapshot.crop(y, x, x + 1) for x in range(snapshot.columns)]
        assert all(cells), "every column has something to show, half a wide character a blank"
        whole = snapshot.crop(y, 0, snapshot.columns)
        assert whole == snapshot.rows[y]
        assert not set("\0\x01\x1b\r\n") & set(whole)
        ends = [end for run in runs for end in (run.start, run.end)]
        assert ends == sorted(ends)
        assert not ends or ends[-1] <= terminal.columns


def test_unterminated_strings_and_endless_sequences_stay_bounded() -> None:
    terminal = Terminal(10, 2)
    for start in (b"\x1b]0;", b"\x1bP", b"\x1b_", b"\x1b[", b"\x1b "):
        for _ in range(40):
            terminal.feed(start + b"1;" * 30_000)
            start = b""
        grid = terminal._grid
        held = len(grid._tail) + sum(map(len, grid._parts))
        assert held <= (1 << 20) + (1 << 16)
        terminal.feed(b"\x18")
    terminal.feed(b"\x1b[H\x1b[Kok")
    assert terminal.snapshot().rows[0].rstrip() == "ok"


def test_replies_are_handed_out_once_and_bounded() -> None:
    terminal = Terminal(10, 2)
    terminal.feed(b"\x1b[5n\x1b[6n")
    assert terminal.replies() == b"\x1b[0n\x1b[1;1R"
    assert terminal.replies() == b""
    terminal.feed(b"\x1b[c" * 100_000)
    assert len(terminal.replies()) < 1 << 17


@pytest.mark.shared
def test_recordings_read_the_same_however_they_are_cut(shared: Path) -> None:
    rng = random.Random(1)
    for cast in sorted((shared / "data" / "recordings").glob("*/*/session.cast")):
        data = _output(cast)[:40_000]
        whole = Terminal(120, 40)
        whole.feed(data)
        for step in (1, rng.randint(2, 9), rng.randint(10, 5000)):
            part = data if step > 1 else data[:10_000]
            expected = whole
            if step == 1:
                expected = Terminal(120, 40)
                expected.feed(part)
            pieces = Terminal(120, 40)
            for at in range(0, len(part), step):
                pieces.feed(part[at : at + step])
            assert _state(pieces) == _state(expected), f"{cast} cut every {step} bytes"


def _output(cast: Path) -> bytes:

    events = [json.loads(line) for line in cast.read_text().splitlines()[1:] if line]
    return b"".join(event[2].encode() for event in events if event[1] == "o")


def test_private_modes_can_be_asked_for() -> None:
    terminal = Terminal(10, 3)
    assert not terminal.private_mode(2004)
    terminal.feed(b"\x1b[?2004h")
    assert terminal.private_mode(2004)
    terminal.feed(b"\x1b[?2004l")
    assert not terminal.private_mode(2004)
    assert not terminal.private_mode(99999)
