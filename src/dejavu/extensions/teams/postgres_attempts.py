"""Work on a server that outlives a broken connection, and one writer at a time of this process.

A connection that breaks is made again and the work run again, within `PATIENCE` seconds.
Tested in: tests/extensions/teams/test_postgres_backend.py
"""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, TypeVar

import psycopg

from dejavu.model import ArchiveLockedError

from .postgres_connection import ConnectionLostError, Connections

T = TypeVar("T")
Cursor = psycopg.Cursor[Any]


PATIENCE = 10.0
"""Seconds a writer waits for its place, and a broken connection for its server."""


class Attempts:
    """`check` runs before each attempt, and raises where there must be none."""

    def __init__(self, connections: Connections, check: Callable[[], None]) -> None:
        self._connections, self._check = connections, check
        self._writing = threading.Lock()

    def on_cursor(self, work: Callable[[Cursor], T]) -> T:
        """Return the result of `work`, run again on a new connection where the old one broke."""

        def attempt() -> T:
            with self._connections.cursor() as cursor:
                return work(cursor)

        return self.repeat(attempt)

    def repeat(self, attempt: Callable[[], T]) -> T:
        """Return the result of `attempt`, made again where the connection broke.

        Raises:
            ArchiveError: no connection could be made for `PATIENCE` seconds.
        """
        deadline, nap = 0.0, 0.0
        while True:
            self._check()
            try:
                return attempt()
            except ConnectionLostError as lost:
                self._connections.drop()  # the others go to the same server
                deadline = deadline or time.monotonic() + PATIENCE
                if time.monotonic() >= deadline or self._connections.is_final(lost):
                    raise self._connections.unreachable(lost) from lost
            time.sleep(nap)
            nap = min(max(0.05, 2 * nap), 1.0)

    @contextmanager
    def alone(self, patience: float | None = None) -> Generator[None]:
        """Keep other writers of this process out; the server sees to those of others.

        Raises:
            ArchiveLockedError: another thread wrote all the time.
        """
        wait = PATIENCE if patience is None else patience
        if not self._writing.acquire(timeout=wait):
            raise ArchiveLockedError(
                f"the archive {self._connections.name} is being written by this process; try again"
            )
        try:
            yield
        finally:
            self._writing.release()
