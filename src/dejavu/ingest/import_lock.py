"""Importers of one archive take turns.

The place is a file lock next to the store, which falls with its holder. Two importers that follow
the same source at once would each commit turns that the other has moved past. It is held for a
batch at most. The next importer holds the queue's file, so a long import queues behind it after each
batch; it polls every 5 ms, those behind it every 0.1 s, for `PATIENCE` seconds.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

from dejavu.config.files import open_lock, wait_for_lock
from dejavu.model import ArchiveLockedError

FILE = "import.lock"
PATIENCE = 60.0


class ImportLock:
    """The importer's place in one archive. A context manager; claiming twice is fine.

    `clock` returns monotonic seconds, `sleep` waits so many.
    """

    def __init__(
        self,
        root: Path,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """The place in the archive at `root`, not claimed yet."""
        self._path = root / FILE
        self._descriptor: int | None = None
        self._clock, self._sleep = clock, sleep

    def claim(self) -> None:
        """Hold the place.

        Raises:
            ArchiveLockedError: others held it all the time.
            OSError: the lock's file cannot be made.
        """
        if self._descriptor is not None:
            return
        deadline = self._clock() + PATIENCE
        queue = self._lock(".queue", deadline, 0.1)
        try:
            self._descriptor = self._lock(".lock", deadline, 0.005)
        finally:
            os.close(queue)

    def _lock(self, suffix: str, deadline: float, longest: float) -> int:
        """The descriptor of a file once it is locked; polls every `longest` seconds at the most."""
        path = self._path.with_suffix(suffix)
        descriptor = open_lock(path)
        if wait_for_lock(
            descriptor, deadline, longest=longest, clock=self._clock, sleep=self._sleep
        ):
            return descriptor
        os.close(descriptor)
        raise ArchiveLockedError(
            f"another import into {path.parent} has run for {PATIENCE:g} s; "
            "try again, or end that process"
        )

    def release(self) -> None:
        """Let go of the place."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def pause(self) -> None:
        """Queue behind the waiting importer, and claim it again."""
        self.release()
        self.claim()

    def __enter__(self) -> Self:
        self.claim()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
