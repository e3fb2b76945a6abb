"""One watcher of panes for a user: a lock on a file in the state folder.

Tested in: tests/extensions/panes/test_watcher.py
"""

import os

from dejavu.config.files import open_lock, try_lock
from dejavu.config.paths import private_folder, state_home


class WatcherLock:
    """Held from `acquire` until this process ends."""

    def __init__(self) -> None:
        self._fd = -1

    def acquire(self) -> bool:
        """Whether there is no other watcher; it stays so while this process runs."""
        fd = open_lock(private_folder(state_home()) / "panes.lock")
        if not try_lock(fd):
            os.close(fd)
            return False
        self._fd = fd
        return True
