"""Long reading from a far server: one copy of the archive fetched, and read here.

Takes an environment; gives `Near.copied`, a block in which this thread's reads go to a copy in
LMDB on this machine, where fetching it whole beats asking for each conversation in turn (an index
made from nothing, over a slow line). The copy is gone afterwards. Costs O(archive), once.
"""

import shutil
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg

from . import pages
from .lmdb_backend import LmdbEnvironment, open_environment
from .transaction import Reader

FEW = 200
"""Fewer changes are never worth a copy."""

_TRIPS = 7  # round trips for each change, as `follow.py` asks
_SPEED = 10e6  # bytes a second that a line is taken to bring
_PREFIX = "near-"
_OLD = 86_400.0  # seconds after which a copy is one that a process left when it was killed


class Near:
    """The copies beneath one folder; each thread has its own."""

    def __init__(self, root: Path) -> None:
        """Nothing is copied yet."""
        self._root = root
        self._held = threading.local()

    @property
    def copy(self) -> LmdbEnvironment | None:
        """The copy this thread reads from; None outside such a block."""
        held: LmdbEnvironment | None = getattr(self._held, "copy", None)
        return held

    @contextmanager
    def copied(self, fetch: Callable[[Path], None]) -> Generator[None]:
        """A block that reads from what `fetch` puts into a folder."""
        self._sweep()
        with TemporaryDirectory(prefix=_PREFIX, dir=self._root) as name:
            fetch(Path(name))
            copy = open_environment(Path(name), readonly=False)
            self._held.copy = copy
            try:
                yield
            finally:
                self._held.copy = None
                copy.close()

    def _sweep(self) -> None:
        for left in self._root.glob(f"{_PREFIX}*"):
            if time.time() - left.stat().st_mtime > _OLD:
                shutil.rmtree(left, ignore_errors=True)


def worth(cursor: psycopg.Cursor[Any], changes: int, size: int) -> bool:
    """Whether fetching `size` bytes beats asking for each of `changes`, as the line is now."""
    trips: list[float] = []
    for _ in range(3):
        start = time.perf_counter()
        cursor.execute("select 1")
        trips.append(time.perf_counter() - start)
    return changes * _TRIPS * min(trips) > size / _SPEED + 0.5


def fetch(txn: Reader, target: Path) -> None:
    """Write every record of `txn` into an LMDB store in the folder `target`, emptied before."""
    for path in target.iterdir():  # of a try that broke
        path.unlink()
    fresh = open_environment(target, readonly=False)
    try:
        for page in pages.pages(txn):
            fresh.write(partial(pages.put, page=page))
    finally:
        fresh.close()
