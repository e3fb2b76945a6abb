"""OpenCode's SQLite database of 1.2 and later: tables `session`, `message` and `part`.

Presents its sessions as a store. The index of all sessions is queried once for each state of the
database, in two grouped queries; parts are too many to be looked at for that.
"""

import sqlite3
from collections.abc import Iterator
from typing import Any

from ..follow.session_store import Entry, Message
from ..follow.session_tables import Tables, recent
from ..follow.sqlite import columns, reading
from ..formats.json_lines import as_int, decode_lenient

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
