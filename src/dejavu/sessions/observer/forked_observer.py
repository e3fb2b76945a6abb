"""What the observer server's children have in common: the request they are forked for, and a clean start.

A request is what a wrapper sends (`capsule.observer_request`): all that a program inherits from the
one that starts it. `run_alone` observes one session in the process that was forked for it.
Must hold nothing of the server or of another session: `close_all` sees to that.

Tested in: tests/sessions/observer/test_server.py
"""

import array
import fcntl
import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple, NoReturn

from dejavu.capsule.observer_request import DESCRIPTORS, GO, LARGEST, LENGTH, READY, SHARED
from dejavu.capsule.process import set_process_title
from dejavu.config.settings import load_config
from dejavu.model import DejavuError

GO_TIME = 10.0
"""Seconds for a wrapper to tell an observer to begin."""

CLOEXEC: int = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
"""Linux alone has it, and observers are forked there alone."""

_CONNECTION = 4  # where the connection to the wrapper is while an observer waits for its word
_HIGH = 64  # out of the way of the numbers that descriptors are to have
_TOGETHER = (b"DEJAVU_", b"XDG_", b"PYTHON", b"HOME=", b"TZ=", b"TMPDIR=")
"""Variables by which a process may remember something: sessions with other values do not share one."""


class Request(NamedTuple):
    """What an observer inherits. `shared`: whether it may be one process with others."""

    identity: bytes
    umask: int
    log: bytes
    shared: bool
    environment: dict[bytes, bytes]

    @classmethod
    def parse(cls, message: bytes) -> "Request":
        """The request in a message.

        Raises:
            ValueError: it is none.
        """
        identity, umask, log, way, *environment = message.split(b"\0")
        pairs = dict(pair.split(b"=", 1) for pair in environment if b"=" in pair)
        return cls(identity, int(umask), log, way == SHARED, pairs)

    @property
    def kind(self) -> bytes:
        """Equal for those that one process can serve."""
        pairs = (b"%b=%b" % pair for pair in self.environment.items())
        common = sorted(pair for pair in pairs if pair.startswith(_TOGETHER))
        return b"\0".join((b"%d" % self.umask, self.log, *common))


def receive(connection: socket.socket, descriptors: list[int]) -> bytes:
    """A request's message; its descriptors are added to the list, whatever happens.

    Raises:
        OSError, ValueError: it did not come, or not whole.
    """
    data, length = bytearray(), LENGTH.size
    while len(data) < length:
        room = socket.CMSG_SPACE(DESCRIPTORS * array.array("i").itemsize)
        piece, ancillary, _, _ = connection.recvmsg(1 << 20, room, CLOEXEC)
        for level, kind, content in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                rights = array.array("i")
                rights.frombytes(content[: len(content) // rights.itemsize * rights.itemsize])
                descriptors += rights
        if not piece:
            raise ValueError("the request ends too early")
        data += piece
        if length == LENGTH.size and len(data) >= length:
            length += LENGTH.unpack_from(data)[0]
            if length > LARGEST:
                raise ValueError("the request is too large")
    return bytes(data[LENGTH.size :])


def close_all(keep: set[int]) -> None:
    """Close every descriptor but the first three and these."""
    low = 3
    for fd in [*sorted(keep), os.sysconf("SC_OPEN_MAX")]:
        os.closerange(low, fd)
        low = fd + 1


def child_wakeups() -> int:
    """A descriptor that can be read once a child has ended; `drain` empties it."""
    wake, wake_end = os.pipe()
    for fd in (wake, wake_end):
        os.set_blocking(fd, False)
    signal.set_wakeup_fd(wake_end, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, _wake)
    return wake


def _wake(_number: int, _frame: object) -> None:
    """The wakeup descriptor says it all."""


def no_wakeups() -> None:
    """As in a program that has just started."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def reap(children: set[int]) -> None:
    """Take those that have ended out of the set."""
    for child in list(children):
        try:
            ended = os.waitpid(child, os.WNOHANG)[0]
        except ChildProcessError:
            ended = child
        if ended:
            children.discard(child)


def inherit(request: Request) -> None:
    """Take over what a program that the wrapper starts would have inherited, but descriptors."""
    os.setsid()
    no_wakeups()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.umask(request.umask)
    os.environb.clear()
    os.environb.update(request.environment)
    time.tzset()
    log = os.open(request.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
    set_process_title([sys.executable, "-m", __package__ or ""])


def run_alone(
    request: Request,
    connection: socket.socket,
    descriptors: list[int],
    observe: Callable[[], object],
) -> NoReturn:
    """Be the observer of one session."""
    try:
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _HIGH) for fd in descriptors]
        waiting = fcntl.fcntl(connection, fcntl.F_DUPFD_CLOEXEC, _HIGH)
        frames, reports, folder = high
        os.fchdir(folder)
        inherit(request)
        os.dup2(frames, 0)
        os.dup2(reports, 3)
        os.dup2(waiting, _CONNECTION, inheritable=False)
        close_all({3, _CONNECTION})
        if _may_begin():
            observe()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def is_allowed() -> bool:
    """Whether the session's settings want such an observer."""
    with suppress(DejavuError):  # told by the observer
        return load_config().capture.warm_observer
    return True


def _may_begin() -> bool:
    """Tell the wrapper that we are ready and wait for its word; False where it took that back."""
    with socket.socket(fileno=_CONNECTION) as connection:
        if not is_allowed():
            return False
        connection.settimeout(GO_TIME)
        connection.sendall(READY)
        return connection.recv(1) == GO
