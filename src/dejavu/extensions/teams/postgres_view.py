"""Several reads on one snapshot of PostgreSQL: what one of them fetched the others know.

A view holds a connection and a transaction from its first read to its end. A connection that breaks
ends it; the next read begins another, at a later moment. Belongs to one thread.

Tested in: tests/extensions/teams/test_postgres_backend.py
"""

from collections.abc import Callable
from contextlib import ExitStack
from typing import TypeVar

import psycopg

from . import postgres_schema as schema
from .postgres_connection import Connections
from .postgres_reader import PostgresReader

T = TypeVar("T")


class View:
    """A snapshot that is held; `end` it."""

    def __init__(self, connections: Connections, place: schema.Place) -> None:
        """Begin with the first `read`."""
        self._connections = connections
        self._place = place
        self._held = ExitStack()
        self._cursor: psycopg.Cursor[tuple[object, ...]] | None = None
        self._reader: PostgresReader | None = None

    def read(self, look: Callable[[PostgresReader], T]) -> T:
        """Return the result of `look`.

        Raises:
            ConnectionLostError: the connection broke, or none could be made.
            ArchiveError: the server refused.
        """
        if self._reader is None:
            self._cursor = self._held.enter_context(self._connections.cursor())
            self._reader = PostgresReader(self._cursor, schema.opening(self._place))
        try:
            return look(self._reader)
        except psycopg.Error:
            held, self._held, self._reader = self._held, ExitStack(), None
            with held:  # which says it in our words
                raise
        raise AssertionError  # unreachable: a stack of connections lets no error pass

    def end(self) -> None:
        """Give the connection back; the next read is of a later moment."""
        if self._cursor is not None and self._reader is not None and self._reader.began:
            self._connections.end_later(self._cursor)
        self._cursor = self._reader = None
        self._held.close()
