"""Stepping through the frames of a recording on a terminal.

Each frame is redrawn from its cells (`styled`), with a line below it that says when it was and
how it was read. `Viewer` holds the position and reads frames as far as it is asked to go; `view`
owns the terminal and restores it. O(cells) a step; frames that were passed are kept (they share
their rows).
"""

import os
import re
import select
import signal
import termios
from collections.abc import Iterator
from itertools import islice
from types import FrameType

from dejavu.redact.sanitise import sanitise

from .ansi import styled, text_rows
from .playback import Frame

_KEYS = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|O[@-~])|[^\x1b]|\x1b")
_NEXT = {b"n", b" ", b"l", b"j", b"\r", b"\x1b[C", b"\x1b[B", b"\x1bOC", b"\x1bOB"}
_PREVIOUS = {b"p", b"b", b"h", b"k", b"\x7f", b"\x1b[D", b"\x1b[A", b"\x1bOD", b"\x1bOA"}
_FIRST = {b"0", b"\x1b[H", b"\x1bOH", b"\x1b[1~"}
_LAST = {b"G", b"$", b"\x1b[F", b"\x1bOF", b"\x1b[4~"}
_QUIT = {b"q", b"Q"}
_KEYS_TOLD = "n/p step · g go to · q quit"
_PROMPT = "go to frame 12, time 12.5s or 1:30: "

_TAKE = b"\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J"  # alternate screen, no cursor, no wrapping
_GIVE_BACK = b"\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"
_RESIZED = 0.5  # seconds between two looks at the window's size


class Viewer:
    """A position in the frames; keys move it. `done` once the person wants to leave."""

    def __init__(self, frames: Iterator[Frame], limit: int, *, colours: bool = True) -> None:
        self._source = islice(frames, limit)
        self._frames: list[Frame] = []
        self._complete = False
        self._entry: str | None = None  # what is typed after g
        self._complaint = ""
        self._colours = colours
        self.position = 0
        self.done = False

    def key(self, key: bytes) -> None:
        """One key, as the terminal sends it."""
        self._complaint = ""
        if self._entry is not None:
            self._type(key, self._entry)
        elif key in _NEXT:
            self._move(self.position + 1)
        elif key in _PREVIOUS:
            self._move(self.position - 1)
        elif key in _FIRST:
            self._move(0)
        elif key in _LAST:
            self._reach(None)
            self._move(len(self._frames) - 1)
        elif key == b"g":
            self._entry = ""
        elif key in _QUIT:
            self.done = True

    def _type(self, key: bytes, entry: str) -> None:
        """A key of the answer to `g`, of which `entry` has been typed."""
        if key in (b"\r", b"\n"):
            self._entry = None
            self.go(entry)
        elif key in (b"\x1b", b"\x15"):
            self._entry = None
        elif key in (b"\x7f", b"\x08"):
            self._entry = entry[:-1]
        elif len(entry) < 16 and re.fullmatch(rb"[0-9.:s]", key):
            self._entry = entry + key.decode()

    def go(self, target: str) -> None:
        """Go to a frame (`12`) or to what stood there at a time (`12.5s`, `1:30`)."""
        if re.fullmatch(r"\d+", target):
            self._move(int(target) - 1)
        elif match := re.fullmatch(r"(?:(\d+):)?(\d+(?:\.\d+)?)s?", target):
            seconds = 60 * int(match[1] or 0) + float(match[2])
            while self._reach(len(self._frames)) and self._frames[-1].at <= seconds:
                pass
            at = sum(frame.at <= seconds for frame in self._frames)
            self._move(at - 1)
        elif target:
            self._complaint = f"{target} is neither a frame nor a time"

    def _reach(self, position: int | None) -> bool:
        """Read frames up to a position, or all of them; whether there is one at it."""
        while position is None or position >= len(self._frames):
            frame = next(self._source, None)
            if frame is None:
                self._complete = True
                return False
            self._frames.append(frame)
        return True

    def _move(self, position: int) -> None:
        self._reach(max(0, position))
        self.position = max(0, min(position, len(self._frames) - 1))

    def draw(self, columns: int, lines: int) -> bytes:
        """The frame at hand, cut to the window, over everything that stood there."""
        self._reach(self.position)
        room = lines - 1
        rows: list[str] = []
        cursor = "\x1b[?25l"
        if self._frames:
            snapshot = self._frames[self.position].snapshot
            rows = styled(snapshot, columns) if self._colours else text_rows(snapshot)
            hidden = max(0, snapshot.lines - room)  # prompts stand at the bottom
            rows = rows[hidden:]
            row, column = snapshot.cursor
            if snapshot.cursor_visible and row >= hidden and self._entry is None:
                cursor = f"\x1b[{row - hidden + 1};{column + 1}H\x1b[?25h"
        rows += [""] * (room - len(rows))
        status = self._status()[:columns].ljust(columns)
        out = [f"\x1b[{number};1H{row}\x1b[0m\x1b[K" for number, row in enumerate(rows[:room], 1)]
        out.append(f"\x1b[{lines};1H\x1b[7m{status}\x1b[0m{cursor}")
        return "".join(out).encode("utf-8", "replace")

    def _status(self) -> str:
        if self._entry is not None:
            return f" {_PROMPT}{self._entry}"
        if not self._frames:
            return " nothing was written in this recording · q quit"
        frame = self._frames[self.position]
        count = f"{len(self._frames)}{'' if self._complete else '+'}"
        read = sanitise(f"{frame.state} by {frame.rule}", newlines=False)
        size = f"{frame.snapshot.columns}x{frame.snapshot.lines}"
        message = self._complaint or _KEYS_TOLD
        return f" {frame.number}/{count} · {frame.at:.2f}s · {read} · {size} · {message}"


class _Ended(Exception):  # noqa: N818 - not an error: a signal asked us to leave
    """A signal that ends this process came."""


def view(viewer: Viewer, keyboard: int, screen: int) -> int:
    """Let a person step through the frames; return the exit code. Both are descriptors of a tty."""

    def leave(number: int, _frame: FrameType | None) -> None:
        raise _Ended(number)

    before = termios.tcgetattr(keyboard)
    handlers = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGHUP)}
    raw = termios.tcgetattr(keyboard)
    raw[0] &= ~termios.ICRNL
    raw[3] &= ~(termios.ICANON | termios.ECHO | termios.ISIG | termios.IEXTEN)
    try:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, raw)
        _write(screen, _TAKE)
        return _loop(viewer, keyboard, screen)
    except _Ended as ended:
        return 128 + int(ended.args[0])
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        try:
            termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
            _write(screen, _GIVE_BACK)
        except (OSError, termios.error):  # the terminal is gone: nothing is left to restore
            pass


def _loop(viewer: Viewer, keyboard: int, screen: int) -> int:
    drawn: tuple[int, int] | None = None
    while not viewer.done:
        size = os.get_terminal_size(screen)
        shown = (max(1, size.columns), max(2, size.lines))
        if shown != drawn:
            if drawn:
                _write(screen, b"\x1b[2J")
            _write(screen, viewer.draw(*shown))
            drawn = shown
        if not select.select([keyboard], [], [], _RESIZED)[0]:
            continue
        keys = os.read(keyboard, 1024)
        if not keys:
            break  # end of file: the terminal hung up
        for key in _KEYS.findall(keys):
            if key == b"\x03":
                return 130
            viewer.key(key)
        _write(screen, viewer.draw(*shown))
    return 0


def _write(screen: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(screen, rest) :]
