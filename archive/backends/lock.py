"""One writer at a time, with a bounded wait.

`WriterLock.hold()` is the writer's place. LMDB's own writer lock waits without limit and cannot
say who holds it, so writers take a flock first: a dead holder's lock is released. Two files
make the queue fair: the process that waits for it holds `writer.queue`, so a writer in a tight loop
must stand behind it. Polls at most every 5 ms; never longer than `patience` seconds.
"""

import fcntl
import os
import struct
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from dejavu.config.files import open_lock, unlock, wait_for_lock
from dejavu.model import ArchiveLockedError

LOCK_FILES = ("writer.lock", "writer.queue")
_FLOCK = struct.Struct(
    "hhqqi4x"
)  # Linux's struct flock, 64-bit: kind, whence, start, length, process
PATIENCE = 10.0
"""Seconds for which another process is waited for."""


def wait_for_open(lock_file: Path, patience: float = PATIENCE) -> None:
    """Wait while another process holds LMDB's lock file for itself, as each does while it opens.

    LMDB waits for that without limit. For a file that this process has not open: to close it would
    drop LMDB's own locks on it. Only 64-bit Linux is asked: elsewhere nothing is awaited.

    Raises:
        ArchiveLockedError: it was held for `patience` seconds.
    """
    deadline = time.monotonic() + patience
    while holder := _opener(lock_file):
        if time.monotonic() >= deadline:
            raise ArchiveLockedError(
                f"process {holder} has locked {lock_file}; "
                f"waited {patience:g} s: try again, or end that process"
            )
        time.sleep(0.02)


def _opener(lock_file: Path) -> str:
    """The id of the process that keeps all others from opening; empty where there is none."""
    if not sys.platform.startswith("linux") or sys.maxsize < 1 << 32:
        return ""
    asked = _FLOCK.pack(fcntl.F_RDLCK, os.SEEK_SET, 0, 1, 0)
    try:
        fd = os.open(lock_file, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        kind, _, _, _, holder = _FLOCK.unpack(fcntl.fcntl(fd, fcntl.F_GETLK, asked))
    except OSError:
        return ""
    finally:
        os.close(fd)
    return "" if kind == fcntl.F_UNLCK else str(holder)


class WriterLock:
    """The writer's place in one archive, for all threads of this process."""

    def __init__(self, root: Path, patience: float = PATIENCE) -> None:
        """Open the lock files below `root`; `patience` is the longest wait in seconds."""
        self.patience = patience
        self._root = root
        self._thread = threading.Lock()
        try:
            self._writer, self._queue = (open_lock(root / name) for name in LOCK_FILES)
        except OSError as error:
            reason = f"the archive cannot be written, only read: {error.strerror}"
            raise OSError(error.errno, reason, str(root)) from error

    def is_in(self, root: Path) -> bool:
        """Whether the lock is that of the folder which is at `root` now: it may have been replaced."""
        try:
            return os.path.samestat((root / LOCK_FILES[0]).stat(), os.fstat(self._writer))
        except FileNotFoundError:
            return False

    def close(self) -> None:
        """Close the files; whatever was held falls."""
        for fd in (self._writer, self._queue):
            os.close(fd)

    @contextmanager
    def hold(self, patience: float | None = None) -> Generator[None]:
        """Hold the writer's place for the length of the block.

        Raises:
            ArchiveLockedError: another process or thread held it for `patience` seconds (None:
                those of this lock).
        """
        patience = self.patience if patience is None else patience
        deadline = time.monotonic() + patience
        if not self._thread.acquire(timeout=max(0.0, patience)):
            raise ArchiveLockedError(self._message(patience))
        try:
            self._acquire(self._queue, deadline, patience)
            try:
                self._acquire(self._writer, deadline, patience)
            finally:
                unlock(self._queue)
            try:
                os.pwrite(self._writer, b"%-20d\n" % os.getpid(), 0)
                yield
            finally:
                unlock(self._writer)
        finally:
            self._thread.release()

    def _acquire(self, fd: int, deadline: float, patience: float) -> None:
        if not wait_for_lock(fd, deadline):
            raise ArchiveLockedError(self._message(patience))

    def _message(self, patience: float) -> str:
        holder = os.pread(self._writer, 21, 0).split(b"\0")[0].strip().decode("ascii", "replace")
        who = f"process {holder}" if holder else "another process"
        return (
            f"the archive {self._root} is being written by {who}; "
            f"waited {patience:g} s: try again, or end that process"
        )
