"""Cursor's editor: chats in the key-value tables of its SQLite databases.

Reads `User/globalStorage/state.vscdb`: `composerData:ID` describes a chat, `bubbleId:CHAT:ID` is a
message of it. Chats of before 2025 stand in the workspaces' databases under one key. Values that are
no JSON or NULL occur and are left out. (Form: observed by others, July 2026.)

Tested in: tests/providers/test_recordings.py
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dejavu.model import Extension, Part, Reasoning, Role, Text, ToolCall, ToolCallResponse

from ..entry_parsers import Entries, RowEntries
from ..follow.session_database import SessionDatabase
from ..follow.session_store import Entry as IndexEntry
from ..follow.session_store import Message, Store
from ..follow.session_tables import Tables, row_print
from ..follow.sqlite import columns, reading
from ..follow.stamp import database_stamp
from ..formats import content_blocks as blocks
from ..formats.entries import Entry, Session, first_str, time_of, usage_of
from ..formats.json_lines import as_dict, as_dicts, as_int, as_str, decode_lenient
from ..protocol import Home
from ..store_provider import user_folders

_EDITORS = ("Cursor", "Cursor Nightly")
_OLDER = "workbench.panel.aichat.view.aichat.chatdata"
_RECENT = 86_400_000  # milliseconds


def _value(raw: Any) -> dict[str, Any]:
    data = raw if isinstance(raw, bytes) else as_str(raw).encode("utf-8", "replace")
    return as_dict(decode_lenient(data)) if data else {}


@dataclass(slots=True)
class ChatStore(Tables):
    """The chats of the editor's global database."""

    def _overview(self, connection: sqlite3.Connection) -> dict[str, tuple[int, ...]]:
        if "key" not in columns(connection, "cursorDiskKV"):
            return {}
        counts = connection.execute(
            "SELECT substr(key, 10, instr(substr(key, 10), ':') - 1), count(*) FROM cursorDiskKV"
            " WHERE key >= 'bubbleId:' AND key < 'bubbleId;' GROUP BY 1"
        )
        bubbles = {str(row[0]): as_int(row[1]) or 0 for row in counts}
        rows = connection.execute(
            "SELECT substr(key, 14), value FROM cursorDiskKV"
            " WHERE key >= 'composerData:' AND key < 'composerData;' AND value IS NOT NULL"
        )
        gates: dict[str, tuple[int, ...]] = {}
        touched: dict[str, int] = {}
        for name, value in rows:
            chat = _value(value)
            count = bubbles.get(str(name), 0)
            if chat and (count or chat.get("conversation")):
                touched[str(name)] = as_int(chat.get("lastUpdatedAt")) or 0
                gates[str(name)] = (row_print((value,)), count)
        latest, database = max(touched.values(), default=0), database_stamp(self.path)
        return {
            name: (*gate, *(database if latest - touched[name] < _RECENT else ()))
            for name, gate in gates.items()
        }

    def session(self, native: str) -> dict[str, Any]:
        """What describes the chat, without its messages."""
        chat = self._chat(native)
        return {
            k: v
            for k, v in chat.items()
            if k in ("name", "createdAt", "lastUpdatedAt", "modelConfig", "workspaceProjectDir")
        }

    def _chat(self, native: str) -> dict[str, Any]:
        query = "SELECT value FROM cursorDiskKV WHERE key = ?"
        row = reading(self.path, lambda c: c.execute(query, (f"composerData:{native}",)).fetchone())
        return {} if row is None else _value(row[0])

    def _messages(self, native: str) -> dict[str, dict[str, Any]]:
        """The messages in the chat's own order; then those that it does not list."""
        chat = self._chat(native)
        query = (
            "SELECT substr(key, ?), value FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY key"
        )
        prefix = f"bubbleId:{native}:"
        last = f"bubbleId:{native};"
        rows = reading(
            self.path, lambda c: c.execute(query, (len(prefix) + 1, prefix, last)).fetchall()
        )
        found = {str(row[0]): _value(row[1]) for row in rows}
        inline = {
            as_str(one.get("bubbleId")) or f"#{i}": one
            for i, one in enumerate(as_dicts(chat.get("conversation")))
        }
        found = {**inline, **{name: bubble for name, bubble in found.items() if bubble}}
        listed = [
            as_str(one.get("bubbleId")) for one in as_dicts(chat.get("fullConversationHeadersOnly"))
        ]
        order = [
            *(name for name in listed if name in found),
            *(name for name in found if name not in listed),
        ]
        return {name: found[name] for name in dict.fromkeys(order)}

    def index(self, native: str) -> dict[str, IndexEntry]:
        """Each message, by its id."""
        return {
            name: IndexEntry(float(place), (row_print((repr(bubble),)),))
            for place, (name, bubble) in enumerate(self._messages(native).items(), 1)
        }

    def messages(self, native: str, wanted: list[str]) -> Iterator[Message]:
        """Those messages."""
        names = set(wanted)
        for name, bubble in self._messages(native).items():
            if name in names:
                yield {"id": name, "data": bubble}


@dataclass(slots=True)
class OlderStore(Tables):
    """The chats of a workspace's database, all under one key."""

    def _tabs(self, connection: sqlite3.Connection) -> dict[str, dict[str, Any]]:
        if "key" not in columns(connection, "ItemTable"):
            return {}
        row = connection.execute("SELECT value FROM ItemTable WHERE key = ?", (_OLDER,)).fetchone()
        tabs = as_dicts(_value(row[0]).get("tabs")) if row is not None else []
        return {
            as_str(tab.get("tabId")) or f"tab{i}": tab
            for i, tab in enumerate(tabs)
            if tab.get("bubbles")
        }

    def _overview(self, connection: sqlite3.Connection) -> dict[str, tuple[int, ...]]:
        return {name: (row_print((repr(tab),)),) for name, tab in self._tabs(connection).items()}

    def session(self, native: str) -> dict[str, Any]:
        """The chat's title."""
        tab = reading(self.path, self._tabs).get(native, {})
        return {"name": tab.get("chatTitle"), "createdAt": tab.get("lastSendTime")}

    def index(self, native: str) -> dict[str, IndexEntry]:
        """Each message, by its place."""
        return {
            name: IndexEntry(float(i), (row_print((repr(one),)),))
            for i, (name, one) in enumerate(self._named(native), 1)
        }

    def _named(self, native: str) -> list[tuple[str, dict[str, Any]]]:
        bubbles = as_dicts(reading(self.path, self._tabs).get(native, {}).get("bubbles"))
        return [(f"{i}", bubble) for i, bubble in enumerate(bubbles)]

    def messages(self, native: str, wanted: list[str]) -> Iterator[Message]:
        """Those messages."""
        yield from (
            {"id": name, "data": one} for name, one in self._named(native) if name in wanted
        )


class CursorChatParser(RowEntries):
    """One chat, one conversation."""

    def session(self, row: dict[str, Any]) -> Session:
        """Its name, and when it began."""
        model = as_str(as_dict(row.get("modelConfig")).get("modelName"))
        folder, began = as_str(row.get("workspaceProjectDir")), time_of(row.get("createdAt"))
        return Session(as_str(row.get("name")), folder, began, model=model)

    def entries(self, record: dict[str, Any]) -> Entries:
        """One bubble: a prompt (type 1), or a step of the answer."""
        kind = record.get("type")
        role = Role.USER if kind in (1, "user") else Role.ASSISTANT
        at = time_of(record.get("createdAt") or record.get("timestamp"))
        native = as_str(record.get("bubbleId")) or None
        parts: list[Part] = []
        results: list[Part] = []
        if thought := first_str(as_dict(record.get("thinking")), "text"):
            parts.append(Reasoning(thought))
        if words := first_str(record, "text", "rawText"):
            parts.append(Text(words))
        called = as_dict(record.get("toolFormerData"))
        if name := first_str(called, "name"):
            call = first_str(called, "toolCallId") or None
            given = called.get("rawArgs") or called.get("params")
            parts.append(ToolCall(call, name, blocks.arguments(given)))
            if called.get("result") not in (None, ""):
                failed = called.get("status") in ("error", "failed")
                results.append(
                    ToolCallResponse(call, blocks.arguments(called.get("result")), failed)
                )
        if role is Role.USER and (around := as_dict(record.get("context"))):
            parts.append(Extension("cursor-ide.context", around))
        model = first_str(as_dict(record.get("modelInfo")), "modelName") or first_str(
            record, "modelType"
        )
        folder = Session(workspace=as_str(record.get("workspaceProjectDir")))
        said = Entry(
            role,
            tuple(parts),
            (),
            at,
            native,
            model=model or None,
            usage=usage_of(record.get("tokenCount")),
        )
        return [folder, said, *([Entry(Role.TOOL, (), tuple(results), at)] if results else [])]


class CursorEditor(SessionDatabase):
    """Provider of `state.vscdb`, the global one and those of workspaces."""

    agent = "cursor-ide"
    parser_class = CursorChatParser

    def roots(self, home: Home) -> tuple[Path, ...]:
        """The editor's user folder."""
        return (user_folders(home, _EDITORS)[0],)

    def stores_of(self, root: Path, home: Home | None) -> list[Store]:  # noqa: ARG002 - all lie below the root
        """The global database, then those of workspaces."""
        paths = [root / "globalStorage" / "state.vscdb", root / "state.vscdb"]
        older = sorted(root.glob("workspaceStorage/*/state.vscdb"))
        return [
            *(ChatStore(path) for path in paths if path.exists()),
            *(OlderStore(path) for path in older),
        ]


PROVIDER = CursorEditor()
