"""`ObserverSupervisor`: restart the observer where it ends before its session does.

The sink that a session has for its observer. An observer that was killed, or that failed, is
followed by another one after a pause, at the most once for each of `PAUSES` in a row; that one is
told the end of what passed (`replay`), except what ended the one before it at once. Then the sink
is given up, and the session drops it. The agent and its terminal never notice. One that ends while it
archives the end of the session is followed at once, for as long as the session waits. Waits for nothing;
memory: see `replay`.
"""

from __future__ import annotations

import errno
import time

from .events import Exit, Header
from .replay import ReplayBuffer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .events import Event
    from .observer_process import ObserverProcess

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
