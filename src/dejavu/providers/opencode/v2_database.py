"""OpenCode 2's sessions: tables `session_v2` and `session_message` of its SQLite database.

Opens the database and presents its sessions as a store. A message is one row: its kind in `type`,
all else in `data`; rows are edited in place and ordered by `seq`. Betas kept the sessions in
`session`, and the first of them had no `seq`. The migration from 1.x keeps messages' ids; rows that
it made of parts stand among them and say nothing new, so they are left out. (Schema:
`packages/core/src/session/sql.ts` and `packages/schema/src/session-message.ts` of OpenCode, 1.16 to
2.0.)
"""

import sqlite3
from collections.abc import Iterator
from typing import Any

from ..follow.session_store import Entry, Message
from ..follow.session_tables import Tables, recent
from ..follow.sqlite import columns, reading
from ..formats.json_lines import as_int, decode_lenient

_COUNTS = "SELECT session_id, count(*), max(time_updated) FROM session_message GROUP BY session_id"
_INDEX = "SELECT id, time_created, time_updated FROM session_message WHERE session_id = ? ORDER BY "
_TICK = 1e-3  # ms: rows made in the same millisecond keep their order


class Projection(Tables):
    """The rows of OpenCode 2 in a database: the sessions that have one."""

    def _overview(self, connection: sqlite3.Connection) -> dict[str, tuple[int, ...]]:
        if "data" not in columns(connection, "session_message"):
            return {}
        counted = {
            str(row[0]): (as_int(row[1]) or 0, as_int(row[2]) or 0)
            for row in connection.execute(_COUNTS)
        }
        touched: dict[str, int] = {}
        for table in ("session", "session_v2"):
            if "time_updated" in columns(connection, table):
                rows = connection.execute(f"SELECT id, time_updated FROM {table}")  # noqa: S608 - one of two names
                touched |= {str(row[0]): as_int(row[1]) or 0 for row in rows}
        moments = {name: max(touched.get(name, 0), counts[1]) for name, counts in counted.items()}
        latest = max(moments.values(), default=0)
        return {
            name: (moments[name], *counts, *recent(self.path, moments[name], latest))
            for name, counts in counted.items()
        }

    def session(self, native: str) -> dict[str, Any]:
        """The session's row, without what is empty; the newer table's where both have one."""

        def read(connection: sqlite3.Connection) -> dict[str, Any]:
            for table in ("session_v2", "session"):
                if "id" in columns(connection, table):
                    query = f"SELECT * FROM {table} WHERE id = ?"  # noqa: S608 - one of two names
                    row = connection.execute(query, (native,)).fetchone()
                    if row is not None:
                        return {k: row[k] for k in row.keys() if row[k] is not None}  # noqa: SIM118 - a Row iterates over its values
            return {}

        return reading(self.path, read)

    def index(self, native: str) -> dict[str, Entry]:
        """Messages in their order, without what a migration made of parts of older messages."""

        def read(connection: sqlite3.Connection) -> dict[str, Entry]:
            order = "seq" if "seq" in columns(connection, "session_message") else "time_created, id"
            rows = connection.execute(_INDEX + order, (native,)).fetchall()
            older = _older(connection, native)
            migrated = max((i for i, row in enumerate(rows) if row[0] in older), default=-1)
            entries: dict[str, Entry] = {}
            at = 0.0
            for index, row in enumerate(rows):
                at = max(at + _TICK, float(as_int(row[1]) or 0))
                if index > migrated or row[0] in older:
                    entries[str(row[0])] = Entry(at, (as_int(row[2]) or 0,))
            return entries

        return reading(self.path, read)

    def messages(self, native: str, wanted: list[str]) -> Iterator[Message]:  # noqa: ARG002 - ids suffice here
        """Each row; what tells it from an older message is its `type`."""

        def read(connection: sqlite3.Connection) -> list[Message]:
            query = "SELECT * FROM session_message WHERE id = ?"
            rows = (connection.execute(query, (name,)).fetchone() for name in wanted)
            return [
                {
                    "id": str(row["id"]),
                    "created": row["time_created"],
                    "type": str(row["type"]),
                    "data": decode_lenient(str(row["data"]).encode()),
                }
                for row in rows
                if row is not None
            ]

        yield from reading(self.path, read)


def _older(connection: sqlite3.Connection, native: str) -> set[str]:
    """The ids of the messages that the tables of 1.x have of a session."""
    if "session_id" not in columns(connection, "message"):
        return set()
    rows = connection.execute("SELECT id FROM message WHERE session_id = ?", (native,))
    return {str(row[0]) for row in rows}
