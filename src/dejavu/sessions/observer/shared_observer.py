"""One observer for several sessions of a user, as long as each of them is light.

A session takes a tenth of a MB here and 9 MB in its own process, most of which are pages that
differ only in the interpreter's counts. What one session does must not be felt by another:

- An error in one session ends that session's observation alone; its wrapper asks for another one.
- Together they may take `_SHARE` of a core in the long run. Where they take more, or one made the
  others wait, the one that took most is forked off, into its own process.
- Each session's end, which archives and may take long, happens in a process forked off for it.
- A crash of this process is seen by every wrapper, and each then gets its own observer.

Before anything is done for a session, its environment and its folder become this process's
(`_enter`). The server (`server`) hands over the requests and sees to it that all sessions here agree
in what a process may remember (`forked_observer.Request.kind`). Ends with the last session.
Linux only, one thread.

Tested in: tests/sessions/observer/test_shared_observer.py
"""

import os
import select
import signal
import socket
import time
import traceback
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from dejavu.capsule.observer_request import DESCRIPTORS, GO, LARGEST, READY

from .forked_observer import (
    CLOEXEC,
    GO_TIME,
    Request,
    child_wakeups,
    close_all,
    inherit,
    is_allowed,
    no_wakeups,
    reap,
)

if TYPE_CHECKING:
    from .__main__ import Observation

_MOST = 64 << 10  # bytes of one session that are read before another has its turn
_SHARE = 0.5  # of a core that all sessions together may take ...
_BURST = 1.0  # ... and s of time beyond that
_CAUGHT = 64 << 10
_RECEIVED = DESCRIPTORS + 1  # descriptors of a request that is handed on: its connection, too


@dataclass(eq=False)
class _Session:
    """One session here, with what is to be its process's; `spent`: s of the time taken of late."""

    observation: "Observation"
    folder: int
    environment: dict[bytes, bytes]
    due: float | None = None
    screen: int | None = None
    spent: float = 0.0
    is_here: bool = True

    def close(self) -> None:
        """Let go of its descriptors; who has them, too, is not disturbed."""
        for fd in (self.observation.frames, self.observation.reports, self.folder):
            with suppress(OSError):
                os.close(fd)
        if self.observation.screen is not None:
            self.observation.screen.leave()


@dataclass(eq=False)
class _Waiting:
    """A session whose wrapper has to say that it may begin, until `end` (monotonic seconds)."""

    connection: socket.socket
    session: _Session
    end: float


def run_shared(
    channel: socket.socket,
    request: Request,
    descriptors: list[int],
    observation: "type[Observation]",
) -> NoReturn:
    """Be the observer of this session, and of those whose requests come by `channel`."""
    try:
        inherit(request)
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        close_all({channel.fileno(), *descriptors})
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # as `Observation.run`
        SharedObserver(channel, observation).run(request, descriptors)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


class SharedObserver:
    """The loop of the process."""

    def __init__(self, channel: socket.socket, observation: "type[Observation]") -> None:
        self._channel, self._observation = channel, observation
        self._channel.setblocking(False)
        self._sessions: list[_Session] = []
        self._waiting: dict[int, _Waiting] = {}
        self._children: set[int] = set()
        self._inside: _Session | None = None
        self._environment = dict(os.environb)
        self._taken = 0.0  # s of time beyond the share
        self._looked = time.monotonic()
        self._poll = select.poll()
        self._wake = child_wakeups()

    def run(self, request: Request, descriptors: list[int]) -> NoReturn:
        """Observe until there is no session left."""
        self._poll.register(self._channel, select.POLLIN)
        self._poll.register(self._wake, select.POLLIN)
        self._prepare(request, descriptors)
        while True:
            is_needed = self._sessions or self._waiting or self._children
            ready = dict(self._poll.poll(self._timeout() if is_needed else 0))
            if not is_needed and self._channel.fileno() not in ready:
                os._exit(0)
            if self._wake in ready:
                os.read(self._wake, _CAUGHT)
                reap(self._children)
            if self._channel.fileno() in ready:
                self._take_request()
            self._admit(ready)
            for session in self._sessions[:]:
                if session.is_here and self._is_due(session, ready):
                    self._serve(session, ready)

    @staticmethod
    def _is_due(session: _Session, ready: Mapping[int, int]) -> bool:
        if session.observation.frames in ready or session.screen in ready:
            return True
        return session.due is not None and session.due <= time.time()

    def _timeout(self) -> float | None:
        """Milliseconds until something is to be done; None where nothing is."""
        times = [session.due for session in self._sessions if session.due is not None]
        left = [min(times) - time.time()] if times else []
        left += [waiting.end - time.monotonic() for waiting in self._waiting.values()]
        return max(0.0, min(left) * 1000) if left else None

    # -- new sessions

    def _take_request(self) -> None:
        """Take one that the server hands on; where that is gone, those that are here remain."""
        descriptors: list[int] = []
        try:
            message, descriptors, _, _ = socket.recv_fds(self._channel, LARGEST, _RECEIVED, CLOEXEC)
            if not message:
                self._poll.unregister(self._channel)
                return
            self._prepare(Request.parse(message), descriptors)
            descriptors = []
        except (OSError, ValueError):
            traceback.print_exc()
        finally:
            for fd in descriptors:
                os.close(fd)

    def _prepare(self, request: Request, descriptors: list[int]) -> None:
        """Tell the wrapper that we are ready. Raises ValueError, OSError where there is none."""
        connected, frames, reports, folder = descriptors
        environment = {os.fsdecode(k): os.fsdecode(v) for k, v in request.environment.items()}
        session = _Session(
            self._observation(frames, reports, environment), folder, request.environment
        )
        connection = socket.socket(fileno=connected)
        connection.setblocking(False)
        is_ready = False
        try:
            self._enter(session)
            is_ready = is_allowed() and connection.send(READY) == len(READY)
        except Exception:
            traceback.print_exc()
        if not is_ready:
            connection.close()
            session.close()
            return
        self._waiting[connected] = _Waiting(connection, session, time.monotonic() + GO_TIME)
        self._poll.register(connection, select.POLLIN)

    def _admit(self, ready: Mapping[int, int]) -> None:
        """Begin the sessions whose wrappers say so, and forget those that took it back."""
        for fd, waiting in list(self._waiting.items()):
            if fd not in ready and time.monotonic() < waiting.end:
                continue
            may_begin = False
            with suppress(OSError):
                may_begin = waiting.connection.recv(1) == GO
            del self._waiting[fd]
            self._poll.unregister(fd)
            waiting.connection.close()
            if may_begin:
                self._sessions.append(waiting.session)
                self._poll.register(waiting.session.observation.frames, select.POLLIN)
            else:
                waiting.session.close()

    # -- sessions

    def _enter(self, session: _Session) -> None:
        """Let this process's folder and environment be the session's."""
        if session is self._inside:
            return
        try:
            os.fchdir(session.folder)
        except OSError:  # it may not be entered any more
            os.chdir("/")
        if self._environment != session.environment:
            for name in self._environment.keys() - session.environment.keys():
                del os.environb[name]
            for name, value in session.environment.items():
                if self._environment.get(name) != value:
                    os.environb[name] = value
        self._inside, self._environment = session, session.environment

    def _serve(self, session: _Session, ready: Mapping[int, int]) -> None:
        """Give a session its turn."""
        self._enter(session)
        began = time.monotonic()
        try:
            goes_on = session.observation.serve(ready, _MOST)
        except Exception:  # as its own process would end: its wrapper asks for another
            traceback.print_exc()
            self._drop(session)
            return
        if not goes_on:
            self._end(session)
            return
        session.due = session.observation.observer.due
        if session.screen is None and session.observation.screen is not None:
            session.screen = session.observation.screen.fileno()
            self._poll.register(session.screen, select.POLLIN)
        self._balance(session, began)

    def _balance(self, session: _Session, began: float) -> None:
        """Count the time; where all take too much, the one that took most gets its own process."""
        now = time.monotonic()
        left = self._taken - (now - self._looked) * _SHARE
        self._looked = now
        if left <= 0:
            for each in self._sessions:
                each.spent = 0.0
        self._taken = max(0.0, left) + now - began
        session.spent += now - began
        if self._taken > _BURST and len(self._sessions) > 1:
            self._taken = 0.0
            heaviest = max(self._sessions, key=lambda each: each.spent)
            self._fork_off(heaviest)

    def _end(self, session: _Session) -> None:
        """A session is over: what is left to do is done next to the others."""
        if self._fork_off(session, ended=True):
            return
        try:
            session.observation.finish()  # its index is made by who asks next
        except Exception:
            traceback.print_exc()
        self._drop(session)

    def _fork_off(self, session: _Session, *, ended: bool = False) -> bool:
        """Let another process go on with the session; False where there can be none."""
        self._enter(session)
        try:
            if len(os.listdir("/proc/self/task")) != 1:  # noqa: PTH208 - loads no pathlib
                return False
            child = os.fork()
        except OSError:
            return False
        if not child:
            _become_own(session, ended=ended)
        self._children.add(child)
        self._drop(session)
        return True

    def _drop(self, session: _Session) -> None:
        """Forget a session."""
        self._sessions.remove(session)
        self._poll.unregister(session.observation.frames)
        if session.screen is not None:
            self._poll.unregister(session.screen)
        session.close()
        session.is_here, self._inside = False, None


def _become_own(session: _Session, *, ended: bool) -> NoReturn:
    """Be the process of this session alone. What else is here stays referenced, and so unclosed."""
    try:
        os.setsid()
        no_wakeups()
        close_all({*session.observation.fds, session.observation.reports})
        session.observation.move(ended=ended)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)
