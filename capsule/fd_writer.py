"""Writing to a file descriptor that may be slow, without ever waiting for it.

O_NONBLOCK belongs to the open file, not to the descriptor: set on fd 1 it would reach the shell
and every other program on that terminal, and stay after our end. So a terminal or pipe is opened
again, a socket is asked not to wait, and where neither is allowed we ask poll(2) before each small
write.
"""

from __future__ import annotations

import errno
import os
import select
import stat
import sys
import time
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket

# A blocking terminal takes at least this much when poll(2) calls it writable, or nearly so (the
# line discipline wakes writers with 256 bytes of room); a pipe takes PIPE_BUF.
SMALL = 256

MSG_DONTWAIT = 0x40 if sys.platform == "linux" else 0x80  # `socket` is not worth its import here

_FILE_FAULTS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS}

CHUNK = 65536  # bytes a read or a write asks for; a terminal gives about 4 KiB at a time


def reopen(fd: int, flags: int) -> int | None:
    """A descriptor of our own for the terminal or pipe behind `fd`, non-blocking.

    None where it cannot be had (a regular file would lose its offset, a socket has no name, a
    terminal may belong to another user).
    """
    mode = os.fstat(fd).st_mode
    if not (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)):
        return None
    names = [f"/proc/self/fd/{fd}"]
    if os.isatty(fd):
        with suppress(OSError):  # a container may not show its terminal's name
            names.insert(0, os.ttyname(fd))
    for name in names:
        try:
            return os.open(name, flags | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        except OSError:
            continue
    return None


class NonBlockingWriter:
    """A bounded queue in front of a descriptor.

    `pending` is what waits, in bytes. The caller stops producing when `full`. Once the other end
    is gone, `closed` is True and everything is dropped: who reads nothing misses nothing. `failure`
    says what a file that took no more reported, such as a full disk; empty where a reader went.
    `NonBlockingWriter(None, ..)` is closed from the start.
    """

    def __init__(self, fd: int | None, limit: int, *, blocking: bool = False) -> None:
        self.fd = -1 if fd is None else fd
        self.closed = fd is None
        self.failure = ""
        self._limit = limit
        self._queue = bytearray()
        self._poll: select.poll | None = None
        self._socket: socket.socket | None = None
        if blocking and fd is not None:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                import socket  # programs started by Node have some; others need none

                self._socket = socket.socket(fileno=fd)
            else:
                self._poll = select.poll()
                self._poll.register(fd, select.POLLOUT)

    @property
    def pending(self) -> int:
        """Bytes accepted and not yet written."""
        return len(self._queue)

    @property
    def full(self) -> bool:
        """Whether the caller should wait before giving more."""
        return not self.closed and len(self._queue) >= self._limit

    def write(self, data: bytes) -> None:
        """Write what goes at once, keep the rest."""
        if self.closed or not data:
            return
        if self._queue:
            self._queue += data
            return
        written = self._write(data)
        if written < len(data) and not self.closed:
            self._queue += data[written:]

    def flush(self) -> None:
        """Write what goes now of what waits; O(1) writes of at most 64 KiB each."""
        while self._queue and not self.closed:
            piece = bytes(self._queue[:CHUNK])
            written = self._write(piece)
            del self._queue[:written]  # empty already if that closed us
            if written < len(piece):
                break

    def drain(self, seconds: float) -> None:
        """Write what waits, waiting for the other end at most `seconds`."""
        deadline = time.monotonic() + seconds
        room = select.poll()
        room.register(self.fd, select.POLLOUT)
        while self._queue and not self.closed:
            left = deadline - time.monotonic()
            if left <= 0 or not room.poll(left * 1000):
                break
            self.flush()

    def _write(self, data: bytes) -> int:
        """Bytes written now; closes itself when the other end is gone."""
        if self._poll is not None:
            return self._write_small(data)
        try:
            if self._socket is not None:
                return self._socket.send(data, MSG_DONTWAIT)
            return os.write(self.fd, data)
        except BlockingIOError:
            return 0
        except OSError as error:
            self._fail(error)
            return 0

    def _write_small(self, data: bytes) -> int:
        """As `_write`, on a descriptor that blocks."""
        assert self._poll is not None  # noqa: S101 - for the type checkers
        written = 0
        try:
            while written < len(data) and self._poll.poll(0):
                written += os.write(self.fd, data[written : written + SMALL])
        except OSError as error:
            self._fail(error)
        return written

    def _fail(self, error: OSError) -> None:
        if error.errno in _FILE_FAULTS:  # others: EIO, a terminal hung up; EPIPE, a reader has gone
            self.failure = error.strerror or str(error)
        self.close()

    def close(self) -> None:
        """Drop what waits and take no more. The descriptor stays its owner's."""
        self.closed = True
        self._queue.clear()
        if self._socket is not None:
            self._socket.detach()  # or it would be closed with the object
            self._socket = None
