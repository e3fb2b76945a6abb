"""Crush: a SQLite database a project.

Reads the databases of the projects that `crush/projects.json` below the XDG data folder lists. In a
home that is not the user's own only those below that home count: a list in it is not trusted.
(Schema: `internal/db/migrations` of Crush; seen in descriptions of 0.92.)

Tested in: tests/providers/test_recordings.py
"""

from pathlib import Path
from typing import Any

from dejavu.model import Role

from ..entry_parsers import Entries, RowEntries
from ..follow.session_database import SessionDatabase
from ..follow.session_store import Store
from ..follow.session_tables import Queries, QueryStore
from ..formats import content_blocks as blocks
from ..formats.entries import Entry, Session, entry, first_str, time_of
from ..formats.json_lines import as_dict, as_dicts, as_str, decode_lenient
from ..protocol import Home
from ..store_provider import document_beside

_QUERIES = Queries(
    overview="SELECT s.id, s.updated_at, count(m.id), max(m.updated_at), sum(length(m.parts))"
    " FROM sessions s LEFT JOIN messages m ON m.session_id = s.id GROUP BY s.id",
    messages="SELECT * FROM messages WHERE session_id = ? ORDER BY created_at, rowid",
    session="SELECT * FROM sessions WHERE id = ?",
    needs=("sessions.id", "messages.parts"),
    session_needs="sessions.id",
)
_SILENT = frozenset({"finish", "step_start", "step_finish"})


class _ProjectStore(QueryStore):
    """The database of one project, whose folder is nowhere in it."""

    __slots__ = ()

    def session(self, native: str) -> dict[str, Any]:
        """The row, and the folder that the database is in."""
        folder = self.path.parent
        project = folder.parent if folder.name == ".crush" else folder
        return {**super().session(native), "directory": str(project)}


class CrushParser(RowEntries):
    """One session, one conversation."""

    def session(self, row: dict[str, Any]) -> Session:
        """Title, folder, and the session that called this one."""
        began, parent = time_of(row.get("created_at")), as_str(row.get("parent_session_id"))
        folder = first_str(row, "workspace_cwd", "directory")
        return Session(as_str(row.get("title")), folder, began, parent=parent)

    def entries(self, record: dict[str, Any]) -> Entries:
        """A message, whose parts are `{type, data}`."""
        parts: list[dict[str, Any]] = []
        finished: Any = None
        for part in as_dicts(decode_lenient(as_str(record.get("parts")).encode())):
            data, kind = as_dict(part.get("data")), as_str(part.get("type"))
            if kind == "tool_result":
                data = {**data, "tool_use_id": data.get("tool_call_id")}
            if kind == "finish":
                finished = data
            if kind not in _SILENT:
                parts.append({**data, "type": kind})
        said, results = blocks.parts(parts, self.source.agent, self._strange)
        message = entry(
            {**record, "parts": None, "content": None}, self.source.agent, self._strange
        )
        if message is None:
            return None
        failed = as_dict(finished)
        told = [message._replace(parts=tuple(said), results=tuple(results))]
        if message.role is Role.TOOL:
            told = [message._replace(parts=(), results=tuple(results or said))]
        if failed.get("reason") == "error":
            words = first_str(failed, "message", "details")
            told.append(Entry(Role.SYSTEM, tuple(blocks.parts(words, "crush", self._strange)[0])))
        return told


class Crush(SessionDatabase):
    """Provider of every project's `.crush/crush.db`."""

    agent = "crush"
    parser_class = CrushParser

    def roots(self, home: Home) -> tuple[Path, ...]:
        """The folder of the list of projects, and their databases' folders."""
        root = home.xdg_data("crush")
        return (root, *(path.parent for path in _databases(root, home)))

    def stores_of(self, root: Path, home: Home | None) -> list[Store]:
        """The databases that the list names; of one that is asked for alone, itself."""
        if home is None:
            return [_ProjectStore(root / "crush.db", queries=_QUERIES)]
        return [_ProjectStore(path, queries=_QUERIES) for path in _databases(root, home)]


def _databases(root: Path, home: Home) -> list[Path]:
    projects = as_dicts(as_dict(document_beside(root / "projects.json")).get("projects"))
    folders = [home.path / ".crush"]
    for project in projects:
        path, data = as_str(project.get("path")), as_str(project.get("data_dir"))
        if path or data:
            folders.append(Path(path, data or ".crush"))
    paths = [folder / "crush.db" for folder in dict.fromkeys(folders)]
    own = bool(home.environ)
    return [
        path
        for path in paths
        if (own or (path.is_relative_to(home.path) and ".." not in path.parts)) and path.is_file()
    ]


PROVIDER = Crush()
