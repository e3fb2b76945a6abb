"""Amazon Q: a document a conversation, in a SQLite database; one a folder before.

Reads `amazon-q/data.sqlite3` below the XDG data folder (macOS: Application Support): the table
`conversations` has one document a folder, `conversations_v2` one a conversation. (Form:
`crates/chat-cli` of the Amazon Q Developer CLI.)

Tested in: tests/providers/test_recordings.py
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dejavu.model import Part, Role, Text, ToolCall, ToolCallResponse

from ..entry_parsers import Entries, RowEntries
from ..follow.session_database import SessionDatabase
from ..follow.session_store import Entry as IndexEntry
from ..follow.session_store import Message, Store
from ..follow.session_tables import Tables, row_print
from ..follow.sqlite import columns, reading
from ..formats.entries import Entry, Session, first_str, texts, time_of
from ..formats.json_lines import as_dict, as_dicts, as_list, as_str, decode_lenient
from ..protocol import Home


@dataclass(slots=True)
class DocumentStore(Tables):
    """Both tables: a key (the folder), the conversation's id where there is one, its document."""

    def _rows(self, connection: sqlite3.Connection) -> Iterator[tuple[str, str, Any]]:
        if {"conversation_id", "value"} <= columns(connection, "conversations_v2"):
            for row in connection.execute(
                "SELECT key, conversation_id, value FROM conversations_v2"
            ):
                yield str(row[0]), str(row[1]), row[2]
        if {"key", "value"} <= columns(connection, "conversations"):
            for row in connection.execute("SELECT key, value FROM conversations"):
                yield str(row[0]), "", row[1]

    def _overview(self, connection: sqlite3.Connection) -> dict[str, tuple[int, ...]]:
        found: dict[str, tuple[int, ...]] = {}
        for key, native, value in self._rows(connection):
            name = native or as_str(_document(value).get("conversation_id")) or key
            found.setdefault(name, (row_print((value,)),))
        return found

    def _found(self, native: str) -> tuple[str, dict[str, Any]]:
        def read(connection: sqlite3.Connection) -> tuple[str, dict[str, Any]]:
            for key, name, value in self._rows(connection):
                document = _document(value)
                if native == (name or as_str(document.get("conversation_id")) or key):
                    return key, document
            return "", {}

        return reading(self.path, read)

    def session(self, native: str) -> dict[str, Any]:
        """The folder, and what the document says besides its messages."""
        key, document = self._found(native)
        model = document.get("model_info") or document.get("model")
        return {"directory": key, "model": model} if document else {}

    def index(self, native: str) -> dict[str, IndexEntry]:
        """Each message, by its place."""
        history = as_list(self._found(native)[1].get("history"))
        return {
            str(i): IndexEntry(float(i + 1), (row_print((repr(one),)),))
            for i, one in enumerate(history)
        }

    def messages(self, native: str, wanted: list[str]) -> Iterator[Message]:
        """Those messages: a pair, or an object with both."""
        names = set(wanted)
        for i, one in enumerate(as_list(self._found(native)[1].get("history"))):
            if str(i) in names:
                pair = as_list(one)
                data = {"user": pair[0], "assistant": pair[-1]} if len(pair) > 1 else as_dict(one)
                yield {"id": str(i), "data": data or {"message": one}}


def _document(value: Any) -> dict[str, Any]:
    raw = value if isinstance(value, bytes) else as_str(value).encode("utf-8", "replace")
    return as_dict(decode_lenient(raw))


class AmazonQParser(RowEntries):
    """One conversation: each entry of its history is what was said to the model, and its answer."""

    def session(self, row: dict[str, Any]) -> Session:
        """Folder and model."""
        model = row.get("model")
        name = as_str(model) or first_str(as_dict(model), "model_id", "model_name")
        return Session(workspace=as_str(row.get("directory")), model=name)

    def entries(self, record: dict[str, Any]) -> Entries:
        """A prompt or results of tools, then the answer."""
        user, assistant = as_dict(record.get("user")), as_dict(record.get("assistant"))
        if not user and not assistant:
            return None
        content = as_dict(user.get("content"))
        at = time_of(user.get("timestamp"))
        told: list[Entry | Session] = []
        results = _results(content)
        words = first_str(as_dict(content.get("Prompt")), "prompt")
        folder = first_str(
            as_dict(as_dict(user.get("env_context")).get("env_state")), "current_working_directory"
        )
        told.append(Session(workspace=folder))
        if words or results:
            told.append(Entry(Role.USER, (Text(words),) if words else (), results, at))
        for answer in (as_dict(value) for value in assistant.values()):
            parts: list[Part] = [Text(text)] if (text := first_str(answer, "content")) else []
            parts += [
                ToolCall(
                    first_str(call, "id") or None,
                    first_str(call, "name", "orig_name"),
                    call.get("args", call.get("orig_args")),
                )
                for call in as_dicts(answer.get("tool_uses"))
            ]
            told.append(
                Entry(
                    Role.ASSISTANT, tuple(parts), (), None, first_str(answer, "message_id") or None
                )
            )
        return told


def _results(content: dict[str, Any]) -> tuple[Part, ...]:
    """What the tools of a prompt gave."""
    results: list[Part] = []
    for kind in content.values():
        for result in as_dicts(as_dict(kind).get("tool_use_results")):
            blocks = ({**one, "text": one.get("Text")} for one in as_dicts(result.get("content")))
            shown = "\n".join(texts(block) or str(block.get("Json", "")) for block in blocks)
            failed = as_str(result.get("status")) == "Error"
            results.append(
                ToolCallResponse(first_str(result, "tool_use_id") or None, shown, failed)
            )
    return tuple(results)


class AmazonQDatabase(SessionDatabase):
    """Provider of a `data.sqlite3`."""

    agent = "amazonq"
    parser_class = AmazonQParser

    def __init__(self, folder: str = "amazon-q") -> None:
        super().__init__()
        self._folder = folder

    def roots(self, home: Home) -> tuple[Path, ...]:
        """Its data folder."""
        mac = home.path / "Library" / "Application Support" / self._folder
        return (mac if mac.is_dir() else home.xdg_data(self._folder),)

    def stores_of(self, root: Path, home: Home | None) -> list[Store]:  # noqa: ARG002 - all lie below the root
        """The one database."""
        path = root / "data.sqlite3"
        return [DocumentStore(path)] if path.exists() else []


PROVIDER = AmazonQDatabase()
