"""Tables of a SQLite database as a store of sessions, read by an agent's own queries.

`Tables` asks what tells of changes in all sessions once a state of the database. `QueryStore` is
one whose agent keeps a session a row and a message a row: three queries describe it. A changed
session costs its messages' rows; nothing is asked while the database is unchanged.

Tested in: tests/providers/opencode/test_database.py
"""

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from dejavu.model.blake2 import blake2b

from .session_store import Entry, Message
from .sqlite import columns, reading
from .stamp import Stamp, database_stamp

_DAY = 86_400_000  # milliseconds


@dataclass(slots=True)
class Tables(ABC):
    """A generation's tables in a database; what they say of all sessions is asked once a state."""

    path: Path
    _seen: Stamp = field(default=(), repr=False)
    _sessions: dict[str, tuple[int, ...]] = field(
        default_factory=dict[str, tuple[int, ...]], repr=False
    )

    def sessions(self) -> Iterable[str]:
        """Each session's id; none where there is no database any more."""
        try:
            current_stamp = database_stamp(self.path)
        except OSError:
            return ()
        if current_stamp != self._seen:
            self._sessions = reading(self.path, self._overview)
            self._seen = current_stamp
        return self._sessions

    def gate(self, native: str) -> tuple[int, ...] | None:
        """Of the session's row and of its messages; of the whole database while it is at work."""
        self.sessions()
        return self._sessions.get(native)

    def extra_paths(self, native: str) -> tuple[Path, ...]:  # noqa: ARG002 - the database has all
        """None: the database and its log are known."""
        return ()

    @abstractmethod
    def _overview(self, connection: sqlite3.Connection) -> dict[str, tuple[int, ...]]:
        """Each session's gate."""


def recent(path: Path, touched: int, latest: int) -> Stamp:
    """What more to ask of a session touched at `touched`: the state of the whole database.

    Parts are edited without a word in their message while a session is at work: of those touched
    within a day of the latest, any change anywhere is a reason to look.
    """
    return database_stamp(path) if latest - touched < _DAY else ()


class Queries(NamedTuple):
    """How one agent's tables are asked. Columns that a table lacks are NULL in what is asked."""

    overview: str
    """Each session: its id, then what changes with it; a NULL among them says that nothing tells,
    and any change of the database is a reason to look."""
    messages: str
    """The messages of the session `?` in order, the id first."""
    session: str = ""
    """The row of the session `?`."""
    session_needs: str = ""
    """`table.column` without which there is no such row."""
    needs: tuple[str, ...] = ()
    """`table.column` of which one that is missing says that it is no such database."""
    optional: tuple[str, ...] = ()
    """`table.column` that versions lack: `{table.column}` in a query is NULL then."""


@dataclass(slots=True)
class QueryStore(Tables):
    """A database described by `queries`; `decode` makes a message's row what its parser reads."""

    queries: Queries = field(default=Queries("", ""), repr=False)
    decode: Callable[[dict[str, Any]], dict[str, Any]] = field(default=dict[str, Any], repr=False)

    def _overview(self, connection: sqlite3.Connection) -> dict[str, tuple[int, ...]]:
        if not all(_has(connection, name) for name in self.queries.needs):
            return {}
        database = database_stamp(self.path)
        rows = connection.execute(self._query(connection, self.queries.overview))
        return {
            str(row[0]): (row_print(tuple(row)), *database)
            if None in tuple(row)
            else (row_print(tuple(row)),)
            for row in rows
            if row[0] is not None
        }

    def _query(self, connection: sqlite3.Connection, query: str) -> str:
        for name in self.queries.optional:
            mark = "{" + name + "}"
            if mark in query:
                query = query.replace(mark, name if _has(connection, name) else "NULL")
        return query

    def session(self, native: str) -> dict[str, Any]:
        """The session's row, without what is empty."""

        def read(connection: sqlite3.Connection) -> dict[str, Any]:
            needed = self.queries.session_needs
            if not self.queries.session or (needed and not _has(connection, needed)):
                return {}
            row = connection.execute(
                self._query(connection, self.queries.session), (native,)
            ).fetchone()
            return {} if row is None else self.decode(_plain(row))

        return reading(self.path, read)

    def _rows(self, native: str) -> list[dict[str, Any]]:
        def read(connection: sqlite3.Connection) -> list[dict[str, Any]]:
            query = self._query(connection, self.queries.messages)
            return [_plain(row) for row in connection.execute(query, (native,) * query.count("?"))]

        return reading(self.path, read)

    def index(self, native: str) -> dict[str, Entry]:
        """Each message by its id, or by its place where it has none."""
        return {
            _name(row, place): Entry(float(place), (row_print(tuple(row.values())),))
            for place, row in enumerate(self._rows(native))
        }

    def messages(self, native: str, wanted: list[str]) -> Iterator[Message]:
        """Those rows, as the parser reads them."""
        names = set(wanted)
        for place, row in enumerate(self._rows(native)):
            if (name := _name(row, place)) in names:
                yield {"id": name, "data": self.decode(row)}


def _has(connection: sqlite3.Connection, name: str) -> bool:
    table, _, column = name.partition(".")
    return column in columns(connection, table)


def _plain(row: sqlite3.Row) -> dict[str, Any]:
    """A row without what is empty."""
    return {key: row[key] for key in row.keys() if row[key] is not None}  # noqa: SIM118 - a Row iterates over its values


def _name(row: dict[str, Any], place: int) -> str:
    first = next(iter(row.values()), None)
    return str(first) if isinstance(first, str | int) else f"#{place}"


def row_print(values: tuple[Any, ...]) -> int:
    """A number that tells that values changed."""
    digest = blake2b(msgspec.msgpack.encode(values), digest_size=7).digest()
    return int.from_bytes(digest, "big")
