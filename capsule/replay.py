"""`ReplayBuffer`: the last of what passed, for an observer that begins late.

Keeps the header, the newest output up to a limit with the resizes between, and of the output before
that its length and the private modes it set (DECSET: which screen, bracketed paste, the mouse).
Memory: O(limit). Cost: O(bytes); what is dropped is looked through once.
"""

from __future__ import annotations

from collections import deque

from .events import Gap, Header, Output, Resize
from .stdio import PIPE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .events import Event

LIMIT = 128 << 10  # bytes; agents redraw all they show in 5 to 30 KiB
_PIECE = 4 << 10  # bytes of output that are kept as one
_SCREENS = (b"1049", b"1047", b"47")  # first of all modes: what is drawn is drawn there


class ReplayBuffer:
    """`limit`: bytes of output that are kept."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._header: Header | None = None
        self._size: Resize | None = None  # the last one that was dropped
        self._kept: deque[tuple[float, bytearray] | Resize] = deque()
        self._held = 0
        self._lost = 0
        self._modes: dict[bytes, bytes] = {}
        self._tail = b""

    def add(self, event: Event) -> None:
        """Take the session's next event."""
        if isinstance(event, Header):
            self._header = event
        elif isinstance(event, Resize):
            self._kept.append(event)
        elif isinstance(event, Output):
            last = self._kept[-1] if self._kept else None
            if isinstance(last, tuple) and len(last[1]) < _PIECE:
                last[1].extend(event.data)
            else:
                self._kept.append((event.at, bytearray(event.data)))
            self._held += len(event.data)
            while self._held > self._limit:
                self._drop()

    def drop_all(self) -> None:
        """Keep none of the output: an observer has ended over it."""
        while self._kept:
            self._drop()

    def events(self, at: float, resumed: int) -> Iterator[Event]:
        """What an observer gets that begins `at` (Unix seconds), the `resumed`th after the first.

        The bytes of all events are those that the agent has written, so that places in its output
        hold; a part of the gap becomes the modes set in it.
        """
        if self._header is None:
            return
        size = self._size
        fields = {} if size is None else {"columns": size.columns, "lines": size.lines}
        yield Header({**self._header.fields, **fields, "resumed": resumed})
        modes = self._modes_set()
        if self._lost:
            modes = modes if len(modes) <= self._lost else b""
            yield Gap(at, self._lost - len(modes))
            if modes:
                yield Output(at, modes)
        for kept in self._kept:
            if isinstance(kept, Resize):
                yield kept
            else:
                yield Output(kept[0], bytes(kept[1]))

    @property
    def _draws(self) -> bool:
        return self._header is None or self._header.fields.get("mode") != PIPE

    def _drop(self) -> None:
        """Let the oldest go, to where a sequence, or a line, begins behind it."""
        oldest = self._kept.popleft()
        if isinstance(oldest, Resize):
            self._size = oldest
            return
        dropped = bytes(oldest[1])
        if self._kept and isinstance(self._kept[0], tuple):
            following = self._kept[0][1]
            # Where nothing draws, lines are sent; elsewhere a sequence may be cut.
            end = following.find(b"\x1b") if self._draws else following.find(b"\n") + 1
            end = len(following) if end < 0 else end
            dropped += following[:end]
            del following[:end]
        self._held -= len(dropped)
        self._lost += len(dropped)
        self._note_modes(dropped)

    def _note_modes(self, dropped: bytes) -> None:
        import re  # not on the way to an agent

        data = self._tail + dropped
        for found in re.finditer(rb"\x1b\[\?([\d;]{1,64})([hl])", data):
            for mode in found[1].split(b";"):
                self._modes[mode] = found[2]
        self._tail = data[-64:]

    def _modes_set(self) -> bytes:
        screens = [mode for mode in _SCREENS if self._modes.get(mode) == b"h"]
        others = [mode for mode in self._modes if mode not in _SCREENS]
        return b"".join(b"\x1b[?%b%b" % (mode, self._modes[mode]) for mode in (*screens, *others))
