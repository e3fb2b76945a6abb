"""The observer: another program that reads the session's events and does all the thinking.

It is started in its own session (the terminal's signals do not reach it, and it outlives a
SIGKILL of the wrapper: then its stdin ends without an `Exit`). It finds the frames on its stdin
and may write one short report to descriptor `REPORT_FD` before it ends; its stdout and stderr go
to `log` or nowhere, never to the user's terminal. Where a server forks such programs
(`observer_request`) it is asked first, and after `ANSWER_TIME` without an answer not waited for any
more; until then the frames wait in the pipe.

The queue in front of it is bounded. When it is full, what passes is counted and not kept, until half of
the queue has gone; then a `Gap` says how much is missing. Keys are told only while little is queued.
Nothing here ever waits: what is still queued when the wrapper leaves is written by a separate process.
"""

from __future__ import annotations

import errno
import fcntl
import os
import select
import signal
import sys
import termios
import time
from collections import deque
from contextlib import suppress

from .events import Gap, Header, Input, Keys, Output
from .process import IGNORED_BY_PYTHON, inheritable_fds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .events import Event
    from .observer_request import ObserverRequest

REPORT_FD = 3
QUEUE_LIMIT = 16 << 20  # bytes
KEYS_LIMIT = 1 << 20  # bytes queued beyond which keys are not told
REPORT_LIMIT = 64 << 10  # bytes
BACKLOG = 64 << 10  # bytes the observer has not read: more, and it will take a while
HAND_OVER_TIME = 600  # s the process that writes the rest may take
ANSWER_TIME = 1.0  # s a server has to fork an observer; it takes some 10 ms, on a busy machine more
PIPE_SIZE = 1 << 20  # bytes; fewer, larger wake-ups (Linux; elsewhere the default serves)
_F_SETPIPE_SZ = 1031


class ObserverProcess:
    """A sink that hands events to the program `argv`; started by the first event.

    `server` returns the socket's path and the identity of a server that has such a program ready
    (see `observer_request`); `shared`: it may be one that other sessions have, too. `deadline` is the
    moment (monotonic seconds) at which `expire` is wanted.
    After the session `report` holds what it reported (b"" when nothing came in time) and `done`
    whether it has ended. `lost` counts bytes of output it did not get.
    Raises OSError from `event` when it can not be started or has gone: the session drops it then.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        limit: int = QUEUE_LIMIT,
        log: str = os.devnull,
        server: Callable[[], tuple[str, bytes]] | None = None,
        shared: bool = True,
    ) -> None:
        self._argv = list(argv)
        self._env = dict(os.environ if env is None else env)
        self._limit = limit
        self._log = log
        self._queue: deque[bytes] = deque()
        self._queued = 0
        self._gap = 0
        self._keys_lost = False
        self._frames = -1
        self._reports = -1
        self._theirs: tuple[int, ...] = ()  # the observer's ends of both, until it has them
        self._server, self._shared = server, shared
        self._request: ObserverRequest | None = None
        self.deadline: float | None = None
        self._closing = False
        self._encode: Callable[[Event], bytes] | None = None
        self.pid = 0
        self._reaped = False
        self.report = b""
        self.done = False
        self.lost = 0

    def event(self, event: Event) -> None:
        """Queue one event, and write at once what goes."""
        if self._encode is None:
            self._start(event)
        assert self._encode is not None  # noqa: S101 - for the type checkers
        if isinstance(event, Keys):
            self._put_keys(event, self._encode)
            return
        if isinstance(event, (Output, Input)):
            if self._gap or self._queued + len(event.data) > self._limit:
                self._gap += len(event.data)
                self.lost += len(event.data)
                if self._queued > self._limit // 2:
                    return
                event, self._gap = Gap(event.at, self._gap), 0
        elif self._gap and not isinstance(event, Header):
            self._put(self._encode(Gap(getattr(event, "at", 0.0), self._gap)))
            self._gap = 0
        self._put(self._encode(event))

    def _put_keys(self, keys: Keys, encode: Callable[[Event], bytes]) -> None:
        """Queue what was typed where there is room; what came after a loss says so first."""
        if self._gap or self._queued + len(keys.data) > KEYS_LIMIT:
            self._keys_lost = True
            return
        if self._keys_lost:
            self._keys_lost = False
            self._put(encode(Keys(keys.at, b"")))
        self._put(encode(keys))

    def _put(self, frame: bytes) -> None:
        idle = not self._queue
        self._queue.append(frame)
        self._queued += len(frame)
        if idle:
            self._flush()

    def _flush(self) -> None:
        """Write until the pipe is full; raises BrokenPipeError when the observer has gone."""
        while self._queue:
            frame = self._queue.popleft()
            try:
                written = os.write(self._frames, frame)
            except BlockingIOError:
                written = 0
            except BrokenPipeError:
                self._queue.clear()
                raise
            self._queued -= written
            if written < len(frame):
                self._queue.appendleft(frame[written:])
                return

    def poll_fds(self) -> Sequence[tuple[int, int]]:
        """The server's answer; room in the pipe while something is queued; at the end, the report."""
        if self._request is not None:
            return ((self._request.fileno(), select.POLLIN),)
        if self._queue:
            return ((self._frames, select.POLLOUT),)
        if self._closing and self._reports >= 0:
            return ((self._reports, select.POLLIN),)
        if not self._closing and self._frames >= 0:
            return ((self._frames, 0),)  # nothing but its end
        return ()

    def ready(self, fd: int) -> None:
        """Go on writing, or reading the report. Raises BrokenPipeError where it has gone."""
        if self._request is not None:
            self._take_answer(self._request.answered())
            return
        if fd == self._reports:
            self._read_report()
            return
        if not self._queue:
            raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
        self._flush()
        if self._closing and not self._queue:
            self._end_frames()

    def close(self) -> None:
        """No more events: when the queue is empty the observer sees the end of its input."""
        self._closing = True
        if not self._queue:
            self._end_frames()

    @property
    def vanished(self) -> bool:
        """Whether it ended after `close` without a word of report: it did not get to its end."""
        return self._closing and self._reports < 0 and not self.report

    def is_behind(self) -> bool:
        """Whether it has so much to read still that its report may take long."""
        if self._frames < 0:
            return False
        answer = fcntl.ioctl(self._frames, termios.FIONREAD, bytes(4))
        return self._queued + int.from_bytes(answer, sys.byteorder) > BACKLOG

    def abort(self) -> None:
        """Close what is open; an observer still at work finishes alone."""
        self._closing = True
        with suppress(OSError):
            self.expire()
        if self._queue and self._frames >= 0:
            self._hand_over()
        self._queue.clear()
        self._end_frames()
        if self._reports >= 0:
            os.close(self._reports)
            self._reports = -1
        self._reap()

    def discard(self) -> None:
        """Let go of one that has gone; again, later, where its end was not to be had yet."""
        self._queue.clear()
        if self._request is not None:
            self._request.close()
            self._request, self.deadline = None, None
        self._close_theirs()
        self._end_frames()
        if self._reports >= 0:
            os.close(self._reports)
            self._reports = -1
        self._reap()

    def _end_frames(self) -> None:
        if self._frames >= 0:
            os.close(self._frames)
            self._frames = -1

    def _hand_over(self) -> None:
        """Let a process that is not waited for write what is queued.

        It holds none of our descriptors, so that neither a pipe nor a terminal stays open for it.
        """
        with suppress(OSError):  # no process to be had: the observer does without the rest
            child = os.fork()
            if child:
                os.waitpid(child, 0)
                return
            try:
                if os.fork() == 0:
                    os.setsid()
                    self._write_rest()
            finally:
                os._exit(0)

    def _write_rest(self) -> None:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        signal.alarm(HAND_OVER_TIME)
        os.closerange(0, self._frames)
        os.closerange(self._frames + 1, os.sysconf("SC_OPEN_MAX"))
        os.set_blocking(self._frames, True)
        for frame in self._queue:
            rest = memoryview(frame)
            while rest:
                rest = rest[os.write(self._frames, rest) :]

    def _read_report(self) -> None:
        try:
            data = os.read(self._reports, REPORT_LIMIT)
        except BlockingIOError:
            return
        self.report = (self.report + data)[:REPORT_LIMIT]
        if not data:
            os.close(self._reports)
            self._reports = -1
            # Of a server's child we are not told more; and who closes it unwritten has ended.
            self.done = not self.pid or not self.report
            self._reap()

    def _reap(self) -> None:
        if self.pid and not self._reaped:
            try:
                self._reaped = os.waitpid(self.pid, os.WNOHANG)[0] == self.pid
            except ChildProcessError:
                self._reaped = True
            self.done |= self._reaped

    def _start(self, event: Event) -> None:
        """Start the program. Imports msgpack here, after the agent runs.

        What ended one observer may end the next: then it is none that others share.
        """
        from .frames import encode

        frames, self._frames = os.pipe()
        self._theirs = (frames, self._open_reports())
        os.set_blocking(self._frames, False)
        with suppress(OSError):  # not Linux, or over the user's pipe limit
            fcntl.fcntl(self._frames, _F_SETPIPE_SZ, PIPE_SIZE)
        resumed = isinstance(event, Header) and event.fields.get("resumed")
        self._request = self._ask_server(shared=self._shared and not resumed)
        if self._request is None:
            self._spawn()
        self._encode = encode

    def _open_reports(self) -> int:
        self._reports, theirs = os.pipe()
        os.set_blocking(self._reports, False)
        return theirs

    def _ask_server(self, *, shared: bool) -> ObserverRequest | None:
        """A request to the server, if there is one; whatever fails, the program is started."""
        if self._server is None:
            return None
        try:
            from .observer_request import ObserverRequest

            path, identity = self._server()
            frames, reports = self._theirs
            request = ObserverRequest(
                path, identity, frames=frames, reports=reports, log=self._log, env=self._env,
                shared=shared,
            )  # fmt: skip
        except Exception:
            return None
        self.deadline = time.monotonic() + ANSWER_TIME
        return request

    def expire(self) -> None:
        """The server's time is up, if it was asked and has not answered: start the program."""
        if self._request is not None:
            self._take_answer(self._request.answered() or False)

    def _take_answer(self, answer: bool | None) -> None:
        if answer is None or self._request is None:
            return
        self._request.close()
        self._request, self.deadline = None, None
        if answer:
            self._close_theirs()
        else:
            # A server that hangs may hold the other pipe's end for long: its end would not be seen.
            frames, reports = self._theirs
            os.close(reports)
            os.close(self._reports)
            self._theirs = (frames, self._open_reports())
            self._spawn()
        if self._queue:
            self._flush()
        if self._closing and not self._queue:
            self._end_frames()

    def _close_theirs(self) -> None:
        for fd in self._theirs:
            os.close(fd)
        self._theirs = ()

    def _spawn(self) -> None:
        frames, reports = self._theirs
        try:
            self.pid = os.posix_spawn(
                self._argv[0],
                self._argv,
                self._env,
                setsid=True,
                setsigdef=IGNORED_BY_PYTHON,
                setsigmask=(),
                file_actions=[
                    # Descriptors handed to the agent are none of its business; and first, as
                    # one of them may be REPORT_FD.
                    *((os.POSIX_SPAWN_CLOSE, fd) for fd in inheritable_fds()),
                    (os.POSIX_SPAWN_DUP2, frames, 0),
                    (os.POSIX_SPAWN_DUP2, reports, REPORT_FD),
                    (
                        os.POSIX_SPAWN_OPEN,
                        1,
                        self._log,
                        os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW,
                        0o600,
                    ),
                    (os.POSIX_SPAWN_DUP2, 1, 2),
                ],
            )
        finally:
            self._close_theirs()
