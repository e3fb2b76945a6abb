"""tmux's control mode as values: lines in, messages out (`man tmux`, CONTROL MODE).

Sans-IO. Bytes may be cut anywhere; a character's bytes may stand in two `%output` lines, so output
stays bytes. Cost: O(bytes). Memory: one line, and the block of one reply; either is bounded.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

LINE_LIMIT = 4 << 20
"""Bytes of a line; tmux's own are some kilobytes."""

BLOCK_LIMIT = 16 << 20
"""Bytes of the reply to a command; what is beyond is dropped."""

_OCTAL = re.compile(rb"\\([0-7]{3})")
_BYTES = tuple(bytes((number,)) for number in range(256))
_LEAF = re.compile(r"(\d+)x(\d+),\d+,\d+,(\d+)(?=[,}\]]|$)")


class Output(NamedTuple):
    """A pane's program wrote `data`."""

    pane: str
    data: bytes


class Reply(NamedTuple):
    """A command of ours is done."""

    lines: list[bytes]
    ok: bool


class Layout(NamedTuple):
    """Sizes (columns, lines) of a window's panes."""

    sizes: dict[str, tuple[int, int]]


class Paused(NamedTuple):
    """Output of a pane was withheld, as we did not keep up."""

    pane: str


class Continued(NamedTuple):
    """Output of a pane is sent again."""

    pane: str


class Panes(NamedTuple):
    """Panes, windows or sessions came or went."""


class Exit(NamedTuple):
    """The client is to end: its session is gone, or its server."""


Message = Output | Reply | Layout | Paused | Continued | Panes | Exit

_CHANGES = frozenset(
    (
        b"%window-add", b"%window-close", b"%unlinked-window-add", b"%unlinked-window-close",
        b"%sessions-changed", b"%session-changed", b"%window-pane-changed",
    )
)  # fmt: skip


class ControlParser:
    """The messages of one client, fed in pieces of any size."""

    def __init__(self) -> None:
        self._rest = b""
        self._skipping = False
        self._block: tuple[bytes, list[bytes]] | None = None
        self._size = 0

    def feed(self, data: bytes) -> Iterator[Message]:
        """The messages that are complete with these bytes. Never raises for what they hold."""
        lines = (self._rest + data).split(b"\n")
        self._rest = lines.pop()
        if len(self._rest) > LINE_LIMIT:
            self._rest, self._skipping = b"", True
        if self._skipping and lines:
            del lines[0]
            self._skipping = False
        for line in lines:
            message = self._in_block(line) if self._block is not None else self._message(line)
            if message is not None:
                yield message

    def _in_block(self, line: bytes) -> Message | None:
        assert self._block is not None  # noqa: S101 - for the type checkers
        number, lines = self._block
        # Replies hold what a pane shows, too: only the words that began the reply end it.
        word, _, rest = line.partition(b" ")
        if rest == number and word in (b"%end", b"%error"):
            self._block, self._size = None, 0
            return Reply(lines, word == b"%end") if number.endswith(b" 1") else None
        self._size += len(line)
        if self._size <= BLOCK_LIMIT:
            lines.append(line)
        return None

    def _message(self, line: bytes) -> Message | None:
        word, _, rest = line.partition(b" ")
        match word:
            case b"%output":
                pane, _, text = rest.partition(b" ")
                return Output(pane.decode("ascii", "replace"), unescape(text))
            case b"%extended-output":
                head, _, text = rest.partition(b" : ")
                return Output(head.split(b" ")[0].decode("ascii", "replace"), unescape(text))
            case b"%begin":
                self._block = rest, []
            case b"%layout-change":
                return Layout(sizes_of(rest.decode("utf-8", "replace")))
            case b"%pause":
                return Paused(rest.decode("ascii", "replace"))
            case b"%continue":
                return Continued(rest.decode("ascii", "replace"))
            case b"%exit":
                return Exit()
            case _ if word in _CHANGES:
                return Panes()
            case _:
                pass
        return None


def unescape(text: bytes) -> bytes:
    """Undo tmux's octal escapes: bytes below 32 and the backslash."""
    if b"\\" not in text:
        return text
    return _OCTAL.sub(lambda match: _BYTES[int(match[1], 8) & 0xFF], text)


def sizes_of(rest: str) -> dict[str, tuple[int, int]]:
    """Sizes of a window's panes by pane, from `%layout-change`'s words.

    The second layout is what is visible; a zoomed pane has the window's size there.
    """
    words = rest.split(" ")
    sizes: dict[str, tuple[int, int]] = {}
    for layout in words[1:3]:
        for match in _LEAF.finditer(layout):
            sizes[f"%{match[3]}"] = int(match[1]), int(match[2])
    return sizes
