"""Piebald: chats in a SQLite database.

Reads `piebald/app.db` below the XDG data folder: `chats`, their `messages`, and the folders of
`projects`. Columns are those that Piebald's own analyzer reads; what a version lacks is left out.

Tested in: tests/providers/test_recordings.py
"""

from pathlib import Path
from typing import Any

from ..entry_parsers import Entries, RowEntries
from ..follow.session_database import SessionDatabase
from ..follow.session_store import Store
from ..follow.session_tables import Queries, QueryStore
from ..formats.entries import Session, entry, first_str, time_of, usage_of
from ..formats.json_lines import as_str, decode_lenient
from ..protocol import Home

_QUERIES = Queries(
    overview="SELECT chat_id, count(*), max({messages.updated_at}), max(rowid), NULL FROM messages"
    " GROUP BY chat_id",
    messages="SELECT * FROM messages WHERE chat_id = ? ORDER BY rowid",
    session="SELECT * FROM chats WHERE id = ?",
    needs=("messages.chat_id", "messages.role"),
    session_needs="chats.id",
    optional=("messages.updated_at",),
)


class PiebaldParser(RowEntries):
    """One chat, one conversation."""

    def session(self, row: dict[str, Any]) -> Session:
        """Title, folder and beginning."""
        folder = first_str(row, "working_directory", "directory", "path")
        return Session(first_str(row, "title", "name"), folder, time_of(row.get("created_at")))

    def entries(self, record: dict[str, Any]) -> Entries:
        """One message; its content may be JSON."""
        content = record.get("content") or record.get("parts") or record.get("text")
        if as_str(content)[:1] in ("[", "{"):
            content = decode_lenient(as_str(content).encode()) or content
        said = entry({**record, "content": content}, self.source.agent, self._strange)
        return None if said is None else [said._replace(usage=said.usage or usage_of(record))]


class Piebald(SessionDatabase):
    """Provider of `app.db`."""

    agent = "piebald"
    parser_class = PiebaldParser

    def roots(self, home: Home) -> tuple[Path, ...]:
        """Its data folder."""
        mac = home.path / "Library" / "Application Support" / "piebald"
        return (mac if mac.is_dir() else home.xdg_data("piebald"),)

    def stores_of(self, root: Path, home: Home | None) -> list[Store]:  # noqa: ARG002 - all lie below the root
        """The one database."""
        path = root / "app.db"
        return [QueryStore(path, queries=_QUERIES)] if path.exists() else []


PROVIDER = Piebald()
