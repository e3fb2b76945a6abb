"""`ObserverSupervisor`: restart the observer where it ends before its session does.

The sink that a session has for its observer. An observer that was killed, or that failed, is
followed by another one after a pause, at the most once for each of `PAUSES` in a row; that one is
told the end of what passed, except what ended the one before it at once. Then the sink is given up,
and the session drops it. The agent and its terminal never notice. One that ends while it archives
the end of the session is followed at once, for as long as the session waits. Waits for nothing.

`ReplayBuffer` holds the last of what passed: the header, the newest output up to a limit with the
resizes between, and of the output before that its length and the private modes it set (DECSET: which
screen, bracketed paste, the mouse). Memory: O(limit). Cost: O(bytes); what is dropped is looked
through once.
"""

from __future__ import annotations

import errno
import time
from collections import deque

from .events import Exit, Gap, Header, Output, Resize
from .stdio import PIPE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .events import Event
    from .observer_process import ObserverProcess


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


PAUSES = (0.5, 5.0, 30.0)  # s before each new start
SUSPECT = 10.0  # s within which an observer that was told what passed may have ended over that
SETTLED = 600.0  # s after which an observer's end has nothing to do with the one before


class ObserverSupervisor:
    """`make` makes an observer, which its first event starts.

    `deadline` is the moment (monotonic seconds) at which `expire` is wanted. `report` and `done` are
    the last observer's, `restarts` how many there were after the first.
    """

    takes_keys = True

    def __init__(
        self, make: Callable[[], ObserverProcess], pauses: Sequence[float] = PAUSES
    ) -> None:
        self._make, self._pauses = make, pauses
        self._process: ObserverProcess | None = make()
        self._gone: ObserverProcess | None = None
        self._replay = ReplayBuffer()
        self._started_at = time.monotonic()
        self._restart_at: float | None = None
        self._failures = 0  # in a row
        self._is_suspect = False  # what passed
        self._exit: Exit | None = None
        self._closed = False
        self.restarts = 0
        self.report = b""
        self.done = False

    def event(self, event: Event) -> None:
        """Hand an event to the observer. Raises OSError where it has ended too often."""
        self._replay.add(event)
        if isinstance(event, Exit):
            self._exit = event
        if self._process is None:
            return
        try:
            self._process.event(event)
        except OSError as error:
            if isinstance(event, Header):
                raise  # there is none to be had here
            self._lose(error)

    def poll_fds(self) -> Sequence[tuple[int, int]]:
        """The observer's."""
        return () if self._process is None else self._process.poll_fds()

    def ready(self, fd: int) -> None:
        """The observer's."""
        if self._process is None:
            return
        try:
            self._process.ready(fd)
        except OSError as error:
            self._lose(error)
        else:
            self._take_report()
            if self._closed and self._process.vanished:
                self._lose(OSError(errno.EPIPE, "it ended before all was archived"))

    @property
    def deadline(self) -> float | None:
        """When `expire` is wanted: a new start is due, or the observer's own."""
        return self._restart_at if self._process is None else self._process.deadline

    def expire(self) -> None:
        """Do what is due."""
        if self._process is None:
            self._start()
            return
        try:
            self._process.expire()
        except OSError as error:
            self._lose(error)

    def close(self) -> None:
        """No event follows; one that waits to be started is started now: it archives the rest."""
        self._closed = True
        if self._process is not None:
            self._process.close()
        elif self._restart_at is not None:
            self._start()

    def is_behind(self) -> bool:
        """The observer's."""
        return self._process is not None and self._process.is_behind()

    def abort(self) -> None:
        """Let the observer go."""
        self._restart_at = None
        if self._process is not None:
            self._process.abort()
            self._take_report()

    def _take_report(self) -> None:
        if self._process is not None:
            self.report, self.done = self._process.report, self._process.done

    def _lose(self, error: OSError) -> None:
        """The observer has ended: plan the next one, or give up."""
        lived = time.monotonic() - self._started_at
        self._gone, self._process = self._process, None
        if self._gone is not None:
            self._gone.discard()
        self._is_suspect = self.restarts > 0 and lived < SUSPECT
        self._failures = 1 if lived >= SETTLED else self._failures + 1
        if self._failures > len(self._pauses):
            self._restart_at = None
            raise BrokenPipeError(
                error.errno, f"the observer has ended {self._failures} times, the last: {error}"
            )
        self._restart_at = time.monotonic() + self._pauses[self._failures - 1]
        if self._exit is not None or self._closed:
            self._start()

    def _start(self) -> None:
        """Start another observer and tell it what passed. One that cannot be is lost like another."""
        self._restart_at, self._started_at = None, time.monotonic()
        if self._gone is not None:
            self._gone.discard()  # its exit may have come after the end of its pipe
        if self._is_suspect:
            self._replay.drop_all()
        self.restarts += 1
        self._process = process = self._make()
        try:
            for event in self._replay.events(time.time(), self.restarts):
                process.event(event)
            if self._exit is not None:
                process.event(self._exit)
            if self._closed:
                process.close()
        except OSError as error:
            self._lose(error)
