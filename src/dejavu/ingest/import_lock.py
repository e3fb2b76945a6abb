"""Importers of one archive take turns.

Takes an archive's folder; gives a file lock beside the store, which falls with its holder. Two
that follow the same source at once would each commit turns that the other has moved past. It is
held for a batch at most. Whoever is next holds the queue's file, so a long import stands behind
it after each batch; it polls every 5 ms, those behind it every 0.1 s, for `PATIENCE` seconds.
"""

import fcntl
import os
import time
from pathlib import Path
from typing import Self

from dejavu.model import ArchiveLockedError

FILE = "import.lock"
PATIENCE = 60.0


class ImportLock:
    """The importer's place in one archive. A context manager; claiming twice is fine."""

    def __init__(self, root: Path) -> None:
        """The place in the archive at `root`, not claimed yet."""
        self._path = root / FILE
        self._held: int | None = None

    def claim(self) -> None:
        """Hold the place.

        Raises:
            ArchiveLockedError: others held it all the time.
            OSError: the lock's file cannot be made.
        """
        if self._held is not None:
            return
        deadline = time.monotonic() + PATIENCE
        queue = self._taken(".queue", deadline, 0.1)
        try:
            self._held = self._taken(".lock", deadline, 0.005)
        finally:
            os.close(queue)

    def _taken(self, ending: str, deadline: float, longest: float) -> int:
        """The descriptor of a file once it is locked; polls every `longest` seconds at the most."""
        path = self._path.with_suffix(ending)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        file, nap = os.open(path, flags, 0o600), 0.001
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    os.close(file)
                    raise ArchiveLockedError(
                        f"another import into {path.parent} went on for {PATIENCE:g} s; "
                        "try again, or end that process"
                    ) from None
                time.sleep(nap)
                nap = min(2 * nap, longest)
            else:
                return file

    def release(self) -> None:
        """Let go of the place."""
        if self._held is not None:
            os.close(self._held)
            self._held = None

    def pause(self) -> None:
        """Stand behind whoever waits, and claim it again."""
        self.release()
        self.claim()

    def __enter__(self) -> Self:
        self.claim()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
