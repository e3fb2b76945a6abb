"""GNU screen by its commands: text alone, without styles.

`screen -ls` names the sessions, `-Q info` a window's size, `-X hardcopy` writes its text to a file of
ours, `-X stuff` types. Screen 4 writes one byte a cell, the character's lowest: what is not Latin-1
is lost there, so nothing of such a screen is archived, and few of its states are told for sure.

Tested in: tests/extensions/panes/test_other_multiplexers.py
"""

import contextlib
import re
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from dejavu.sessions.process_table import process_rows

from .multiplexer import Frame, Pane, PaneError, one_by_one, run
from .processes import environment_of

_SESSION = re.compile(r"^\s+((\d+)\.\S+)\s.*\((?:Detached|Attached|Multi)", re.MULTILINE)
_INFO = re.compile(r"\(\d+,\d+\)/\((\d+),(\d+)\)")
_WINDOWS = 40
_PIECE = 500
"""Bytes that one `stuff` takes; screen's own limit is some 700."""
_WAIT = 1.0
_PROC = Path("/proc")


class GnuScreen:
    """The screen sessions of this user."""

    name = "screen"

    def servers(self) -> list[str]:
        """Return the names of the sessions."""
        return list(_sessions())

    def panes(self, server: str) -> list[Pane]:
        """Return a session's windows, by the processes below it."""
        panes: list[Pane] = []
        for child in _children(_sessions().get(server, 0))[:_WINDOWS]:
            number = environment_of(child).get("WINDOW", "")
            if number.isdecimal():
                columns, lines = _size(server, number)
                panes.append(
                    Pane(
                        "screen", server, number, child, "", columns, lines, "", "", "", "", server
                    )
                )
        return panes

    def why_polled(self, pane: Pane) -> str:
        """Return that it prints a pane's text when asked, and not what its program writes."""
        del pane
        return "it tells text alone"

    def frame(self, pane: Pane) -> Frame:
        """Return the window's text, through a file that only we can read."""
        columns, lines = _size(pane.server, pane.id)
        with tempfile.TemporaryDirectory(prefix="dejavu-") as folder:
            path = Path(folder) / "hardcopy"
            run([*_at(pane), "hardcopy", str(path)])
            # screen answers before it has written, and writes every row with its end.
            end, text = time.monotonic() + _WAIT, b""
            while text.count(b"\n") < lines and time.monotonic() < end:
                time.sleep(0.01)
                with contextlib.suppress(FileNotFoundError):
                    text = path.read_bytes()
        if not text:
            raise PaneError(f"screen wrote nothing of {pane.source}")
        rows = _decoded(text).split("\n")
        if rows and not rows[-1]:
            rows.pop()
        return Frame(columns, lines, tuple(rows[:lines]), False)

    def frames(self, panes: Sequence[Pane]) -> list[Frame | None]:
        """Return what several panes show."""
        return one_by_one(self.frame, panes)

    def write(self, pane: Pane, data: bytes, *, paste: bool) -> None:
        """Type with `stuff`, in pieces; screen brackets no paste that comes this way."""
        del paste
        # `stuff` reads \\ and ^ as escapes, and puts variables of its environment in.
        text = data.decode("utf-8", "replace")
        for start in range(0, len(text), _PIECE // 4):
            piece = text[start : start + _PIECE // 4]
            run([*_at(pane), "stuff", re.sub(r"[\\^$]", r"\\\g<0>", piece)])


def _decoded(text: bytes) -> str:
    """The text of a hardcopy: UTF-8 where it is, else a byte a cell."""
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        # The right half of a wide character is 255; half of a box-drawing one is a control.
        cells = (
            byte if byte == 10 or 32 <= byte < 127 or 160 <= byte < 255 else 32 for byte in text
        )
        return bytes(cells).decode("latin-1")


def _at(pane: Pane) -> list[str]:
    return ["screen", "-S", pane.server, "-p", pane.id, "-X"]


def _sessions() -> dict[str, int]:
    """The sessions that run, with the process of each."""
    # It exits with 1 where there are none, and with other numbers that say how many there are.
    text = run(["sh", "-c", "screen -ls; true"]).decode("utf-8", "replace")
    return {match[1]: int(match[2]) for match in _SESSION.finditer(text)}


def _size(session: str, number: str) -> tuple[int, int]:
    """Columns and lines of a window, from `info`."""
    text = run(["screen", "-S", session, "-p", number, "-Q", "info"]).decode("utf-8", "replace")
    match = _INFO.search(text)
    if match is None:
        raise PaneError(f"screen told nothing of window {number} of {session}")
    return int(match[1]), int(match[2])


def _children(pid: int) -> list[int]:
    if not _PROC.is_dir():
        return [row.pid for row in process_rows() if row.parent == pid]
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
        return [int(word) for word in text.split()]
    return []
