"""One watcher of panes for a user: a lock on a file in the state folder."""

import fcntl
import os

from dejavu.config.paths import private_folder, state_home


class WatcherLock:
    """Held from `acquire` until this process ends."""

    def __init__(self) -> None:
        self._fd = -1

    def acquire(self) -> bool:
        """Whether there is no other watcher; it stays so while this process runs."""
        path = private_folder(state_home()) / "panes.lock"
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(fd)
            return False
        self._fd = fd
        return True
