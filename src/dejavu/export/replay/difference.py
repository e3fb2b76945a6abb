"""The first frame and row where another terminal shows something else than our grid.

Our grid counts emoji cell by cell, as the others do, whatever the agent's rules ask for. Bytes go to
both up to the last whole sequence, so that a comparison never falls into one. O(bytes), and one
reading of the other terminal a frame.
"""

import re
from codecs import utf_8_decode
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from dejavu.capsule import Gap, Output, Resize
from dejavu.screen import Terminal

from .playback import Frame
from .tmux import Tmux
from .xterm import Xterm

_CAN = b"\x18"  # ends the sequence that a gap cut in two
_HELD = 1 << 20  # bytes of one sequence that are waited for
# Terminals keep or drop these as they like; no one sees a difference.
_UNSEEN = re.compile("[\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff]")
_CUT = re.compile(rb"\x1b(?:\[[0-?]*+[ -/]*+|[\]PX^_][^\x07\x18\x1a\x1b]*+\x1b?|[ -/]*+)\Z")


class Peer(Protocol):
    """Another terminal."""

    name: str

    def feed(self, data: bytes) -> None:
        """Take bytes."""
        ...

    def resize(self, columns: int, lines: int) -> None:
        """Take another size."""
        ...

    def read(self) -> tuple[list[str], tuple[int, int]]:
        """The rows shown, without trailing blanks, and the cursor's row and column."""
        ...

    def close(self) -> None:
        """End it."""
        ...


PEERS: dict[str, Callable[[int, int], Peer]] = {"xterm": Xterm, "tmux": Tmux}


@dataclass(frozen=True, slots=True)
class Difference:
    """The first row that differs, `row` counted from 0; where it is the cursor, its row with us.

    `before` and `offset` bound the bytes of output that made the frame.
    """

    frame: int
    at: float
    before: int
    offset: int
    row: int
    ours: str
    theirs: str
    cursor: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """How many looks were compared, and the first difference, if there is one."""

    compared: int
    difference: Difference | None


def compare(looks: Iterable[Frame], peer: Peer, columns: int, lines: int) -> Verdict:
    """Feed both what led to each look and compare; looks inside an update (?2026) are passed."""
    ours = Terminal(columns, lines)
    pending, compared, before = b"", 0, 0
    for look in looks:
        for event in look.events:
            match event:
                case Output(_, data):
                    pending += data
                    ready = whole(pending)
                    ours.feed(pending[:ready])
                    peer.feed(pending[:ready])
                    pending = pending[ready:]
                case Resize(_, columns, lines):
                    ours.resize(columns, lines)
                    peer.resize(columns, lines)
                case Gap():
                    pending += _CAN
                case _:
                    pass
        if ours.synchronized:
            continue
        compared += 1
        if difference := _differs(ours, peer):
            row, mine, theirs, cursor = difference
            return Verdict(
                compared,
                Difference(look.number, look.at, before, look.offset, row, mine, theirs, cursor),
            )
        before = look.offset
    return Verdict(compared, None)


def _differs(ours: Terminal, peer: Peer) -> tuple[int, str, str, bool] | None:
    """The first row whose text differs, ours and theirs; else the cursor, in words."""
    snapshot = ours.snapshot()
    rows, cursor = peer.read()
    rows += [""] * (snapshot.lines - len(rows))
    for number, (mine, theirs) in enumerate(zip(snapshot.rows, rows, strict=False)):
        if _seen(mine) != _seen(theirs):
            return number, mine.rstrip(), theirs, False
    row, column = cursor
    cursor = (row, min(column, snapshot.columns - 1))
    if cursor != snapshot.cursor:
        mine, theirs = (f"row {row}, column {column}" for row, column in (snapshot.cursor, cursor))
        return snapshot.cursor[0], mine, theirs, True
    return None


def _seen(text: str) -> str:
    return _UNSEEN.sub("", text).rstrip()


def whole(data: bytes) -> int:
    """How many bytes there are up to the last whole character and sequence."""
    cut = _CUT.search(data)
    if cut:
        return cut.start() if len(data) - cut.start() < _HELD else len(data)
    tail = data[-3:]
    return len(data) - len(tail) + utf_8_decode(tail, "replace", False)[1]
