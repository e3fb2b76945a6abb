"""Forge: a document a conversation, in a SQLite database.

Reads `.forge.db` in `~/forge` and `~/.forge`: the column `context` of `conversations` has the
messages, each under the name of its kind. (Schema: `crates/forge_repo` of ForgeCode.)

Tested in: tests/providers/test_recordings.py
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dejavu.model import ToolCallResponse

from ..entry_parsers import Entries, RowEntries
from ..follow.session_database import SessionDatabase
from ..follow.session_store import Entry as IndexEntry
from ..follow.session_store import Message, Store
from ..follow.session_tables import Tables, row_print
from ..follow.sqlite import columns, reading
from ..formats.entries import Session, entry, first, first_str, texts, time_of, usage_of
from ..formats.json_lines import as_dict, as_dicts, as_str, decode_lenient
from ..protocol import Home

_FACTS = "conversation_id", "title", "workspace_id", "created_at", "updated_at"


@dataclass(slots=True)
class ContextStore(Tables):
    """The table of conversations."""

    def _overview(self, connection: sqlite3.Connection) -> dict[str, tuple[int, ...]]:
        if not {"conversation_id", "context"} <= columns(connection, "conversations"):
            return {}
        query = (
            "SELECT conversation_id, updated_at, length(context) FROM conversations"
            " WHERE context IS NOT NULL"
        )
        return {str(row[0]): (row_print(tuple(row)),) for row in connection.execute(query)}

    def _row(self, native: str) -> dict[str, Any]:
        query = "SELECT * FROM conversations WHERE conversation_id = ?"
        row = reading(self.path, lambda c: c.execute(query, (native,)).fetchone())
        return {} if row is None else {key: row[key] for key in row.keys()}  # noqa: SIM118 - a Row iterates over its values

    def session(self, native: str) -> dict[str, Any]:
        """The row without its messages."""
        row = self._row(native)
        return {key: row[key] for key in _FACTS if row.get(key) is not None}

    def _messages(self, native: str) -> list[dict[str, Any]]:
        context = as_dict(decode_lenient(as_str(self._row(native).get("context")).encode()))
        return as_dicts(context.get("messages"))

    def index(self, native: str) -> dict[str, IndexEntry]:
        """Each message, by its place."""
        return {
            str(i): IndexEntry(float(i + 1), (row_print((repr(one),)),))
            for i, one in enumerate(self._messages(native))
        }

    def messages(self, native: str, wanted: list[str]) -> Iterator[Message]:
        """Those messages."""
        names = set(wanted)
        yield from (
            {"id": str(i), "data": one}
            for i, one in enumerate(self._messages(native))
            if str(i) in names
        )


class ForgeParser(RowEntries):
    """One conversation."""

    def session(self, row: dict[str, Any]) -> Session:
        """Title and beginning."""
        return Session(as_str(row.get("title")), started_at=time_of(row.get("created_at")))

    def entries(self, record: dict[str, Any]) -> Entries:
        """One message: `text` with its role, or `tool` with what it gave back."""
        inner = as_dict(record.get("message")) or record
        usage = usage_of(record.get("usage"))
        if result := as_dict(inner.get("tool")):
            output = as_dict(result.get("output"))
            shown = texts(first(output, ("values", "value"))) or output
            name = first_str(result, "call_id") or None
            part = ToolCallResponse(name, shown, bool(output.get("is_error")))
            said = entry({"role": "tool"}, "forge", self._strange)
            return None if said is None else [said._replace(results=(part,))]
        message = as_dict(inner.get("text")) or inner
        flat = {**message, "role": as_str(message.get("role")).lower(), "usage": None}
        said = entry(flat, "forge", self._strange)
        return None if said is None else [said._replace(usage=usage)]


class Forge(SessionDatabase):
    """Provider of `.forge.db`."""

    agent = "forge"
    parser_class = ForgeParser

    def roots(self, home: Home) -> tuple[Path, ...]:
        """Its folder, of today or of before."""
        folders = [home.folder("FORGE_CONFIG", "forge"), home.folder(None, ".forge")]
        return tuple(sorted(folders, key=lambda folder: not (folder / ".forge.db").is_file()))

    def stores_of(self, root: Path, home: Home | None) -> list[Store]:  # noqa: ARG002 - all lie below the root
        """The one database."""
        path = root / ".forge.db"
        return [ContextStore(path)] if path.exists() else []


PROVIDER = Forge()
