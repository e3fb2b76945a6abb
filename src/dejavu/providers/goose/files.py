"""Goose: sessions in a SQLite database; before 1.10 a JSONL file each.

Reads `goose/sessions` below the XDG data folder (or `${GOOSE_PATH_ROOT}/data/sessions`). The files
stay when their sessions move into the database, which is then the one that is read.

Tested in: tests/providers/test_recordings.py
"""

from pathlib import Path
from typing import Any

from dejavu.model import Extension, Part, Role, ToolCall, ToolCallResponse

from ..entry_parsers import Entries, LineEntries, RowEntries
from ..follow.session_database import SessionDatabase
from ..follow.session_store import Store
from ..follow.session_tables import Queries, QueryStore
from ..formats import content_blocks as blocks
from ..formats.entries import Entry, Session, first_str, time_of
from ..formats.json_lines import as_dict, as_dicts, as_str, decode_lenient
from ..protocol import Home
from ..store_provider import CombinedProvider
from . import AGENT

_QUERIES = Queries(
    overview="SELECT s.id, s.updated_at, count(m.id), max(m.id), sum(length(m.content_json))"
    " FROM sessions s LEFT JOIN messages m ON m.session_id = s.id GROUP BY s.id",
    messages="SELECT * FROM messages WHERE session_id = ? ORDER BY id",
    session="SELECT * FROM sessions WHERE id = ?",
    needs=("sessions.id", "messages.content_json"),
    session_needs="sessions.id",
)
_REQUESTS = frozenset({"toolRequest", "frontendToolRequest"})
_SILENT = frozenset({"redactedThinking"})


def _message(record: dict[str, Any], content: Any, strange: blocks.Strange) -> Entry:
    """One message, whose blocks have Goose's own names."""
    parts: list[Part] = []
    results: list[Part] = []
    if isinstance(content, str):
        parts, _ = blocks.parts(content, "goose", strange)
    for block in as_dicts(content):
        kind = as_str(block.get("type"))
        if kind in _REQUESTS:
            call = as_dict(as_dict(block.get("toolCall")).get("value"))
            tool = first_str(call, "name")
            parts.append(ToolCall(as_str(block.get("id")) or None, tool, call.get("arguments")))
        elif kind == "toolResponse":
            results += _result(block)
        elif kind in ("conversationCompacted", "systemNotification"):
            parts.append(Extension(f"goose.{kind}", {"message": first_str(block, "msg")}))
        elif kind not in _SILENT:
            parts += blocks.parts([block], "goose", strange)[0]
    role = Role.ASSISTANT if record.get("role") == "assistant" else Role.USER
    at = time_of(record.get("created_timestamp") or record.get("created"))
    native = record.get("message_id") or record.get("id")
    name = str(native) if isinstance(native, str | int) else None
    return Entry(role, tuple(parts), tuple(results), at, name)


def _result(block: dict[str, Any]) -> list[Part]:
    told = as_dict(block.get("toolResult"))
    value = told.get("value")
    failed = told.get("status") == "error" or bool(as_dict(value).get("isError"))
    content = as_dict(value).get("content", value) if isinstance(value, dict) else value
    shown, blobs = blocks.response(told.get("error") if content is None else content)
    return [ToolCallResponse(as_str(block.get("id")) or None, shown, failed), *blobs]


class GooseParser(RowEntries):
    """A session of the database."""

    def session(self, row: dict[str, Any]) -> Session:
        """Its name, folder and model."""
        config = as_dict(decode_lenient(as_str(row.get("model_config_json")).encode()))
        return Session(
            first_str(row, "description", "name"),
            as_str(row.get("working_dir")),
            time_of(row.get("created_at")),
            model=first_str(config, "model_name", "model"),
        )

    def entries(self, record: dict[str, Any]) -> Entries:
        """A row of `messages`."""
        content = decode_lenient(as_str(record.get("content_json")).encode())
        return [_message(record, content, self._strange)]


class GooseLinesParser(LineEntries):
    """A session's file of before 1.10: a description, then messages."""

    repeats = False

    def entries(self, record: dict[str, Any]) -> Entries:
        """The description, or a message."""
        if "role" in record:
            return [_message(record, record.get("content"), self._strange)]
        if "working_dir" in record or "description" in record:
            began = time_of(record.get("created_at"))
            title, folder = as_str(record.get("description")), as_str(record.get("working_dir"))
            return [Session(title, folder, began)]
        return None


class GooseDatabase(SessionDatabase):
    """Sessions of 1.10 and later."""

    agent = "goose"
    parser_class = GooseParser

    def roots(self, home: Home) -> tuple[Path, ...]:
        """The folder of sessions, where a variable or habit puts it."""
        if home.environ.get("GOOSE_PATH_ROOT"):
            return (home.folder("GOOSE_PATH_ROOT") / "data" / "sessions",)
        mac = home.path / "Library" / "Application Support" / "Block" / "goose" / "sessions"
        return (mac if mac.is_dir() else home.xdg_data("goose") / "sessions",)

    def stores_of(self, root: Path, home: Home | None) -> list[Store]:  # noqa: ARG002 - all lie below the root
        """The one database."""
        path = root / "sessions.db"
        return [QueryStore(path, queries=_QUERIES)] if path.exists() else []


PROVIDER = CombinedProvider(AGENT, GooseDatabase())
