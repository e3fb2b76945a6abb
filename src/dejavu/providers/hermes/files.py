"""Hermes: messages of all sessions in one SQLite database; one a profile before 0.17.

Reads `state.db` and `profiles/*/state.db` below `${HERMES_HOME:-~/.hermes}`. Rows that a rewind took
back stay, and say so; the copies that a compaction makes of rows are left out. (Schema: 0.19.)

Tested in: tests/providers/test_recordings.py
"""

from pathlib import Path
from typing import Any

from dejavu.model import Role, Usage

from ..entry_parsers import Entries, RowEntries
from ..follow.session_database import SessionDatabase
from ..follow.session_store import Store
from ..follow.session_tables import Queries, QueryStore
from ..formats.entries import Session, entry, time_of
from ..formats.json_lines import as_int, as_str, decode_lenient
from ..protocol import Home

_PACKED = "\0json:"
_QUERIES = Queries(
    overview="SELECT session_id, count(*), max(id), coalesce(sum({messages.active}), 0),"
    " coalesce(sum({messages.compacted}), 0), coalesce(sum(length(content)), 0)"
    " FROM messages GROUP BY session_id",
    messages="SELECT * FROM messages WHERE session_id = ? ORDER BY id",
    session="SELECT * FROM sessions WHERE id = ?",
    needs=("messages.session_id", "messages.role"),
    session_needs="sessions.id",
    optional=("messages.active", "messages.compacted"),
)


class HermesParser(RowEntries):
    """One session, one conversation."""

    def memory(self) -> dict[str, Any]:
        """The rows that a compaction may have copied."""
        return {**super().memory(), "compacted": self._compacted}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse."""
        super().remember(memory)
        self._compacted: list[str] = list(memory.get("compacted", ()))

    def session(self, row: dict[str, Any]) -> Session:
        """Title, folder, model, and the session that this one continues."""
        return Session(
            as_str(row.get("title")),
            as_str(row.get("cwd")),
            time_of(row.get("started_at")),
            parent=as_str(row.get("parent_session_id")),
            model=as_str(row.get("model")),
        )

    def entries(self, record: dict[str, Any]) -> Entries:
        """One row; its content may be packed JSON."""
        content = record.get("content")
        if isinstance(content, str) and content.startswith(_PACKED):
            content = decode_lenient(content.removeprefix(_PACKED).encode())
        said = entry({**record, "content": content}, self.source.agent, self._strange)
        if said is None:
            return None
        name = f"{record.get('role')} {record.get('timestamp')} {str(content)[:200]}"
        if record.get("compacted"):
            self._compacted = [*self._compacted[-500:], name]
        elif name in self._compacted:
            return []
        if record.get("active") == 0 and not record.get("compacted"):
            said = said._replace(meta={"rewound": True})
        tokens = as_int(record.get("token_count"))
        if said.role is Role.ASSISTANT and tokens:
            said = said._replace(usage=Usage(output_tokens=tokens))
        return [said]


class Hermes(SessionDatabase):
    """Provider of `${HERMES_HOME:-~/.hermes}`."""

    agent = "hermes"
    parser_class = HermesParser

    def roots(self, home: Home) -> tuple[Path, ...]:
        """Its folder."""
        return (home.folder("HERMES_HOME", ".hermes"),)

    def stores_of(self, root: Path, home: Home | None) -> list[Store]:  # noqa: ARG002 - all lie below the root
        """The database, and those of profiles."""
        paths = [root / "state.db", *sorted(root.glob("profiles/*/state.db"))]
        return [QueryStore(path, queries=_QUERIES) for path in paths if path.exists()]


PROVIDER = Hermes()
