"""Chat sessions of VS Code before they had files: all under one key of a `state.vscdb`.

The value is a list of the documents that stand in files since. Read by snapshot, never locked; O(the
value).

Tested in: tests/providers/imports/test_imports.py
"""

import sqlite3
from pathlib import Path
from typing import Any

import msgspec

from ..follow.sqlite import columns, reading
from ..formats.json_lines import as_dicts, as_str, decode_lenient

_KEY = "interactive.sessions"


def stored_sessions(path: Path) -> dict[str, bytes]:
    """Each session's document, by its id; those in which nothing was asked are left out.

    Raises:
        OSError, UnreadableSessionError: the database cannot be read.
    """

    def value(connection: sqlite3.Connection) -> Any:
        if "key" not in columns(connection, "ItemTable"):
            return None
        row = connection.execute("SELECT value FROM ItemTable WHERE key = ?", (_KEY,)).fetchone()
        return None if row is None else row[0]

    raw = reading(path, value)
    data = raw if isinstance(raw, bytes) else as_str(raw).encode("utf-8", "replace")
    return {
        as_str(session.get("sessionId")) or f"session-{place}": msgspec.json.encode(session)
        for place, session in enumerate(as_dicts(decode_lenient(data) if data else None))
        if session.get("requests")
    }
