import json
import os
import signal
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ptyprocess import PtyProcess

from dejavu.capsule import Recording
from dejavu.export.replay import Frame, Playback, Viewer
from dejavu.scrapers import SessionReader
from dejavu.screen import Terminal

COLUMNS, LINES = 80, 14


@pytest.fixture
def cast(tmp_path: Path) -> Path:
    """Twelve frames, a second apart."""
    path = tmp_path / "a.cast"
    head = {"version": 2, "width": 40, "height": 10}
    rows = [[float(n), "o", f"\x1b[2J\x1b[H\x1b[3{n % 8}mframe {n}\r\n"] for n in range(1, 13)]
    path.write_text("\n".join(json.dumps(row) for row in (head, *rows)) + "\n")
    return path


@pytest.fixture
def frames(cast: Path) -> Iterator[Frame]:
    return Playback(Recording(cast), SessionReader("demo", 40, 10)).frames()


def _shown(viewer: Viewer, columns: int = COLUMNS, lines: int = LINES) -> list[str]:
    terminal = Terminal(columns, lines)
    terminal.feed(viewer.draw(columns, lines))
    return [row.rstrip() for row in terminal.snapshot().rows]


def _keys(viewer: Viewer, *keys: bytes) -> int:
    for key in keys:
        viewer.key(key)
    return viewer.position


def test_keys_step_and_stop_at_both_ends(frames: Iterator[Frame]) -> None:
    viewer = Viewer(frames, 100)
    assert _keys(viewer, b"p") == 0
    assert _keys(viewer, b"n", b"\x1b[C", b"\x1bOB") == 3
    assert _keys(viewer, b"p", b"\x1b[D") == 1
    assert _keys(viewer, b"G") == 11
    assert _keys(viewer, b"n") == 11
    assert _keys(viewer, b"0") == 0
    viewer.key(b"q")
    assert viewer.done


def test_going_to_a_frame_and_to_a_time(frames: Iterator[Frame]) -> None:
    viewer = Viewer(frames, 100)
    assert _keys(viewer, b"g", b"7", b"\r") == 6
    assert _keys(viewer, b"g", b"2", b".", b"5", b"s", b"\r") == 1
    assert _keys(viewer, b"g", b"0", b":", b"0", b"4", b".", b"9", b"\r") == 3
    assert _keys(viewer, b"g", b"9", b"9", b"\x7f", b"\r") == 8
    assert _keys(viewer, b"g", b"3", b"\x1b") == 8
    assert _keys(viewer, b"g", b"9", b"9", b"9", b"s", b"\r") == 11
    assert _keys(viewer, b"g", b"0", b"s", b"\r") == 0
    _keys(viewer, b"g", b":", b"\r")
    assert "neither a frame nor a time" in _shown(viewer)[-1]


def test_the_frame_and_how_it_was_read_are_drawn(frames: Iterator[Frame]) -> None:
    viewer = Viewer(frames, 100)
    _keys(viewer, b"n")
    rows = _shown(viewer)
    assert rows[0] == "frame 2"
    assert " 2/2+ · 2.03s · " in rows[-1]
    assert "40x10" in rows[-1]
    assert _shown(viewer, 20, 3)[-1].startswith(" 2/2+ · 2.03s")
    assert _shown(viewer, 20, 3)[0] == ""  # the bottom of the frame is what is kept


def test_without_colours_no_sgr_of_the_frame_is_drawn(frames: Iterator[Frame]) -> None:
    assert b"\x1b[0;38;5;1m" in Viewer(frames, 100).draw(COLUMNS, LINES)
    assert b"\x1b[0;3" not in Viewer(frames, 100, colours=False).draw(COLUMNS, LINES)


def test_no_more_than_the_limit_is_read(frames: Iterator[Frame]) -> None:
    assert _keys(Viewer(frames, 5), b"G") == 4


def test_an_empty_recording_says_so() -> None:
    viewer = Viewer(iter(()), 10)
    _keys(viewer, b"n", b"p", b"G", b"g", b"5", b"s", b"\r")
    assert "nothing was written" in _shown(viewer)[-1]


@pytest.fixture
def started(cast: Path, home: Path) -> Iterator[PtyProcess]:
    process = PtyProcess.spawn(
        [sys.executable, "-m", "dejavu.interfaces.cli", "replay", str(cast), "--frames"],
        dimensions=(LINES, COLUMNS),
        env={**os.environ, "TERM": "xterm-256color"},
    )
    yield process
    process.close(force=True)


def _until(process: PtyProcess, screen: Terminal, found: Callable[[Terminal], bool]) -> None:
    until = time.monotonic() + 30
    while not found(screen):
        assert time.monotonic() < until, "\n".join(screen.snapshot().rows)
        try:
            screen.feed(process.read(65536))
        except EOFError:
            assert found(screen)


def _row(number: int, text: str) -> Callable[[Terminal], bool]:
    return lambda screen: screen.snapshot().rows[number].rstrip().startswith(text)


def test_on_a_terminal_one_steps_and_gets_the_terminal_back(started: PtyProcess) -> None:
    before = termios.tcgetattr(started.fd)
    screen = Terminal(COLUMNS, LINES)
    _until(started, screen, _row(0, "frame 1"))
    assert screen.snapshot().alternate
    started.write(b"n\x1b[Cg12\r")
    _until(started, screen, _row(0, "frame 12"))
    started.setwinsize(8, 30)
    screen.resize(30, 8)
    _until(started, screen, _row(7, " 12/12"))
    started.write(b"q")
    _until(started, screen, lambda screen: not screen.snapshot().alternate)
    assert termios.tcgetattr(started.fd) == before
    assert started.wait() == 0
    assert screen.snapshot().cursor_visible


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_gives_the_terminal_back_too(started: PtyProcess, number: int) -> None:
    screen = Terminal(COLUMNS, LINES)
    _until(started, screen, _row(0, "frame 1"))
    started.kill(number)
    _until(started, screen, lambda screen: not screen.snapshot().alternate)
    assert started.wait() == 128 + number


def test_an_interrupt_is_130(started: PtyProcess) -> None:
    screen = Terminal(COLUMNS, LINES)
    _until(started, screen, _row(0, "frame 1"))
    started.write(b"\x03")
    _until(started, screen, lambda screen: not screen.snapshot().alternate)
    assert started.wait() == 130
