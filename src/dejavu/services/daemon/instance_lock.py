"""At most one daemon a user: the lock, and what others may ask of it.

`run` is the daemon, `running` returns its pid, `stop` ends it. The lock falls with the process that
holds it, however that ends. Nothing heavy is imported before the lock is held.
"""

import contextlib
import os
import time
from pathlib import Path

from dejavu.capsule.unix_socket import connect
from dejavu.config.files import open_lock, try_lock, unlock
from dejavu.config.malloc import keep_little
from dejavu.config.paths import private_folder

from ..hook_protocol import LOCK, LOG, SOCKET, SPOOL, folder

IDLE = 600.0
"""Seconds without work after which the daemon goes."""
_LOG_LIMIT = 1 << 20


def run(*, lock: int | None = None, idle: float = IDLE) -> bool:
    """Be the daemon until there is nothing to do; False if there is one already."""
    place = private_folder(Path(folder()))
    (place / SPOOL).mkdir(mode=0o700, exist_ok=True)
    if lock is None and (lock := _lock(place)) is None:
        return False
    os.set_inheritable(lock, False)
    os.ftruncate(lock, 0)
    os.pwrite(lock, str(os.getpid()).encode(), 0)
    with contextlib.suppress(OSError):
        if (place / LOG).stat().st_size > _LOG_LIMIT:
            os.truncate(place / LOG, 0)
    keep_little()
    from .daemon import Daemon
    from .spool import Spool

    try:
        while True:
            more = Daemon(place, idle=idle).run()
            os.ftruncate(lock, 0)  # it left in good order: a hook may start the next at once
            unlock(lock)
            # A hook may have come between the last look and here, and found the lock held.
            if not more or not Spool(place) or not try_lock(lock):
                return True
            idle = min(idle, 5.0)
    finally:
        os.close(lock)


def running() -> int | None:
    """The pid of the daemon; None where there is none."""
    place = Path(folder())
    try:
        lock = os.open(place / LOCK, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if try_lock(lock):
            return None
        return int(os.pread(lock, 20, 0) or b"0")
    except ValueError:
        return 0
    finally:
        os.close(lock)


def stop(patience: float = 20.0) -> bool:
    """Tell the daemon to leave, and wait for it; False if it is still there after `patience`."""
    from .daemon import STOP

    deadline = time.monotonic() + patience
    while running() is not None:
        with contextlib.suppress(OSError), connect(Path(folder(), SOCKET), patience) as peer:
            peer.sendall(STOP)
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _lock(place: Path) -> int | None:
    lock = open_lock(place / LOCK)
    if try_lock(lock):
        return lock
    os.close(lock)
    return None
