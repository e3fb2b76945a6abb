"""Locks between processes: flock(2) on a file, released by the kernel when its holder ends.

The one home of flock. Must import nothing heavy: a hook takes a lock before it has time for more.
Waiting polls, because flock cannot wait for a limited time.
"""

import fcntl
import os
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

__all__ = ["held_lock", "open_lock", "try_lock", "unlock", "wait_for_lock"]

_FIRST_PAUSE = 0.0002  # seconds


def open_lock(path: str | os.PathLike[str]) -> int:
    """The descriptor of a lock's file, created with mode 0600; links are refused.

    Raises:
        OSError: it cannot be created.
    """
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def try_lock(descriptor: int, *, shared: bool = False) -> bool:
    """Lock an open file unless another process or descriptor holds it; True if it is ours now.

    Raises:
        OSError: the file system has no locks.
    """
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def unlock(descriptor: int) -> None:
    """Release the lock and keep the file open."""
    fcntl.flock(descriptor, fcntl.LOCK_UN)


def wait_for_lock(
    descriptor: int,
    deadline: float,
    *,
    longest: float = 0.005,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> bool:
    """As `try_lock`, again and again until `deadline` (of `clock`); pauses are `longest` s at most."""
    pause = min(_FIRST_PAUSE, longest)
    while not try_lock(descriptor):
        if clock() >= deadline:
            return False
        sleep(pause)
        pause = min(2 * pause, longest)
    return True


@contextmanager
def held_lock(path: str | os.PathLike[str], patience: float = 0.0) -> Generator[bool]:
    """Hold a lock for the length of the block; yields False where others held it all the time.

    patience: seconds to wait for it.
    """
    descriptor = open_lock(path)
    try:
        yield wait_for_lock(descriptor, time.monotonic() + patience)
    finally:
        os.close(descriptor)
