"""Importers of one archive take turns.

Takes an archive's folder; gives a file lock beside the store, which falls with its holder. Two
that follow the same source at once would each commit turns that the other has moved past. It is
held for a batch at most; a waiter polls every 2.5 ms and gives up after `PATIENCE` seconds.
"""

import fcntl
import os
import time
from pathlib import Path
from typing import Self

from dejavu.record import Locked

FILE = "import.lock"
PATIENCE = 60.0
_NAP = 0.0025


class ImportLock:
    """The importer's place in one archive. A context manager; claiming twice is fine."""

    def __init__(self, root: Path) -> None:
        """The place in the archive at `root`, not claimed yet."""
        self._path = root / FILE
        self._held: int | None = None

    def claim(self) -> None:
        """Hold the place.

        Raises:
            Locked: others held it all the time.
            OSError: the lock's file cannot be made.
        """
        if self._held is not None:
            return
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        lock = os.open(self._path, flags, 0o600)
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    os.close(lock)
                    raise Locked(
                        f"another import into {self._path.parent} went on for {PATIENCE:g} s; "
                        "try again, or end that process"
                    ) from None
                time.sleep(_NAP)
            else:
                self._held = lock
                return

    def release(self) -> None:
        """Let go of the place."""
        if self._held is not None:
            os.close(self._held)
            self._held = None

    def pause(self) -> None:
        """Let go for as long as whoever waits needs to claim it, and claim it again."""
        self.release()
        time.sleep(2 * _NAP)
        self.claim()

    def __enter__(self) -> Self:
        self.claim()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
