"""OpenCode's SQLite database of 1.2 and later: tables `session`, `message` and `part`.

Presents its sessions as a store. The index of all sessions is queried once for each state of the
database, in two grouped queries; parts are too many to be looked at for that.
"""

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..follow.sqlite import Stamp, columns, reading, stamp
from ..formats.json_coerce import as_int
from ..formats.json_lines import decode_lenient
from .store import Entry, Message

_DAY = 86_400_000  # milliseconds

_COUNTS = "SELECT session_id, count(*), max(time_updated) FROM message GROUP BY session_id"
_COUNTS_UNDATED = "SELECT session_id, count(*), 0 FROM message GROUP BY session_id"
_INDEX = (
    "SELECT m.id, m.time_created, max(m.time_updated), count(p.id), max(p.time_updated)"
    " FROM message m LEFT JOIN part p ON p.message_id = m.id WHERE m.session_id = ? GROUP BY m.id"
)
_INDEX_UNDATED = (
    "SELECT m.id, m.time_created, 0, count(p.id), sum(length(p.data))"
    " FROM message m LEFT JOIN part p ON p.message_id = m.id WHERE m.session_id = ? GROUP BY m.id"
)


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
            current_stamp = stamp(self.path)
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

    @abstractmethod
    def _overview(self, connection: sqlite3.Connection) -> dict[str, tuple[int, ...]]:
        """Each session's gate."""


class Database(Tables):
    """The tables of 1.x; parts are too many to be looked at for every session's gate."""

    def _overview(self, connection: sqlite3.Connection) -> dict[str, tuple[int, ...]]:
        if "id" not in columns(connection, "session"):
            return {}
        dated = "time_updated" in columns(connection, "message")
        counted = {
            str(row[0]): (as_int(row[1]) or 0, as_int(row[2]) or 0)
            for row in connection.execute(_COUNTS if dated else _COUNTS_UNDATED)
        }
        rows = connection.execute("SELECT * FROM session").fetchall()
        touched = {str(row["id"]): as_int(row["time_updated"]) or 0 for row in rows}
        latest = max(touched.values(), default=0)
        return {
            native: (at, *counted.get(native, (0, 0)), *recent(self.path, at, latest))
            for native, at in touched.items()
        }

    def session(self, native: str) -> dict[str, Any]:
        """The session's row, without what is empty."""

        def read(connection: sqlite3.Connection) -> dict[str, Any]:
            row = connection.execute("SELECT * FROM session WHERE id = ?", (native,)).fetchone()
            return {} if row is None else {k: row[k] for k in row.keys() if row[k] is not None}  # noqa: SIM118 - a Row iterates over its values

        return reading(self.path, read)

    def index(self, native: str) -> dict[str, Entry]:
        """Messages with the number of their parts and when the last was edited."""

        def read(connection: sqlite3.Connection) -> dict[str, Entry]:
            dated = "time_updated" in columns(connection, "part")
            query = _INDEX if dated else _INDEX_UNDATED
            return {
                str(row[0]): Entry(
                    float(as_int(row[1]) or 0), tuple(as_int(value) or 0 for value in row[2:])
                )
                for row in connection.execute(query, (native,))
            }

        return reading(self.path, read)

    def messages(self, native: str, wanted: list[str]) -> Iterator[Message]:  # noqa: ARG002 - ids suffice here
        """Read in one transaction, so that a message and its parts belong together."""

        def read(connection: sqlite3.Connection) -> list[Message]:
            return [message for name in wanted for message in self._message(connection, name)]

        yield from reading(self.path, read)

    def _message(self, connection: sqlite3.Connection, name: str) -> Iterator[Message]:
        row = connection.execute("SELECT * FROM message WHERE id = ?", (name,)).fetchone()
        if row is None:
            return
        query = "SELECT id, data FROM part WHERE message_id = ? ORDER BY id"
        parts = [
            {"id": str(part["id"]), "data": decode_lenient(str(part["data"]).encode())}
            for part in connection.execute(query, (name,))
        ]
        data = decode_lenient(str(row["data"]).encode())
        yield {"id": name, "created": row["time_created"], "data": data, "parts": parts}


def recent(path: Path, touched: int, latest: int) -> Stamp:
    """What more to ask of a session touched at `touched`: the state of the whole database.

    Parts are edited without a word in their message while a session is at work: of those touched
    within a day of the latest, any change anywhere is a reason to look.
    """
    return stamp(path) if latest - touched < _DAY else ()
