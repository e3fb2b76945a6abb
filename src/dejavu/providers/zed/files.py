"""Zed: a document a thread, packed with zstd, in one SQLite database.

Reads `zed/threads/threads.db` below the XDG data folder, or macOS's. Two generations of documents
are next to each other: `{"User"}` and `{"Agent"}` today, `role` and `segments` before. Messages
have no times. (Form: `crates/agent/src/thread.rs` of Zed.)

Tested in: tests/providers/test_recordings.py
"""

import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dejavu.model import Blob, Extension, Part, Reasoning, Role, Text, ToolCall, ToolCallResponse

from ..entry_parsers import Entries, RowEntries
from ..follow.session_database import SessionDatabase
from ..follow.session_store import Entry as IndexEntry
from ..follow.session_store import Message, Store
from ..follow.session_tables import Tables, row_print
from ..follow.sqlite import columns, reading
from ..formats import content_blocks as blocks
from ..formats.entries import Entry, Session, entry, first_str, texts, time_of, usage_of
from ..formats.json_lines import as_dict, as_dicts, as_list, as_str, decode_lenient
from ..formats.long_lines import longest_line
from ..protocol import Home

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_OVERVIEW = "SELECT id, updated_at, length(data) FROM threads"
_FACTS = (
    "version",
    "title",
    "summary",
    "updated_at",
    "model",
    "cumulative_token_usage",
    "request_token_usage",
)


@dataclass(slots=True)
class ThreadStore(Tables):
    """The table of threads."""

    def _overview(self, connection: sqlite3.Connection) -> dict[str, tuple[int, ...]]:
        if not {"id", "data", "updated_at"} <= columns(connection, "threads"):
            return {}
        return {str(row[0]): (row_print(tuple(row)),) for row in connection.execute(_OVERVIEW)}

    def _thread(self, native: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """The row, and its document; empty where it cannot be unpacked."""
        query = "SELECT * FROM threads WHERE id = ?"
        row = reading(self.path, lambda c: c.execute(query, (native,)).fetchone())
        if row is None:
            return {}, {}
        facts = {key: row[key] for key in row.keys() if key != "data" and row[key] is not None}  # noqa: SIM118 - a Row iterates over its values
        return facts, as_dict(decode_lenient(_unpacked(row["data"])))

    def session(self, native: str) -> dict[str, Any]:
        """The row, and what the document says besides its messages."""
        facts, document = self._thread(native)
        return {**{key: document[key] for key in _FACTS if key in document}, **facts}

    def index(self, native: str) -> dict[str, IndexEntry]:
        """Each message, by its place."""
        messages = as_list(self._thread(native)[1].get("messages"))
        return {
            str(i): IndexEntry(float(i + 1), (row_print((repr(one),)),))
            for i, one in enumerate(messages)
        }

    def messages(self, native: str, wanted: list[str]) -> Iterator[Message]:
        """Those messages; a word that is alone is a marker."""
        names = set(wanted)
        for i, one in enumerate(as_list(self._thread(native)[1].get("messages"))):
            if str(i) in names:
                yield {"id": str(i), "data": one if isinstance(one, dict) else {"marker": one}}


def _unpacked(data: Any) -> bytes:
    raw = data if isinstance(data, bytes) else as_str(data).encode("utf-8", "replace")
    if not raw.startswith(b"\x28\xb5\x2f\xfd"):
        return raw
    try:
        return zstd.ZstdDecompressor().decompress(raw, longest_line())
    except zstd.ZstdError:
        return b""


class ZedParser(RowEntries):
    """One thread, one conversation."""

    def session(self, row: dict[str, Any]) -> Session:
        """Title, first folder, beginning, and the thread that called this one."""
        model = row.get("model")
        name = as_str(model) or first_str(as_dict(model), "model", "id")
        folder = as_str(row.get("folder_paths")).partition("\n")[0]
        began = time_of(row.get("created_at") or row.get("updated_at"))
        return Session(
            first_str(row, "title", "summary"),
            folder,
            began,
            parent=as_str(row.get("parent_id")),
            model=name,
        )

    def entries(self, record: dict[str, Any]) -> Entries:
        """One message of either generation."""
        if "marker" in record:
            return []
        if "segments" in record:
            return self._older(record)
        for name, role in (("User", Role.USER), ("Agent", Role.ASSISTANT)):
            if name in record:
                message = as_dict(record[name])
                parts = tuple(
                    part for one in as_list(message.get("content")) for part in self._parts(one)
                )
                results = tuple(_results(as_dict(message.get("tool_results"))))
                native = as_str(message.get("id")) or None
                told = [Entry(role, parts, (), None, native, usage=usage_of(message.get("usage")))]
                return [*told, *([Entry(Role.TOOL, (), results)] if results else [])]
        return None

    def _parts(self, block: Any) -> Iterator[Part]:
        for kind, value in as_dict(block).items():
            inner = as_dict(value)
            if kind == "Text":
                yield Text(as_str(value) or texts(value))
            elif kind == "Thinking":
                yield Reasoning(first_str(inner, "text"))
            elif kind == "ToolUse":
                given = inner.get("input") or blocks.arguments(inner.get("raw_input"))
                yield ToolCall(first_str(inner, "id") or None, first_str(inner, "name"), given)
            elif kind == "Mention":
                yield Extension(
                    "zed.mention", {"uri": inner.get("uri"), "content": inner.get("content")}
                )
            elif kind == "Image":
                yield Blob("image/png", first_str(inner, "source", "data"))
            elif kind != "RedactedThinking":
                self._strange(f"block/{kind}")
                yield Extension(f"zed.{kind[:40]}", inner or {"value": value})

    def _older(self, record: dict[str, Any]) -> Entries:
        said = entry({**record, "content": record.get("segments")}, "zed", self._strange)
        if said is None:
            return None
        calls = tuple(
            ToolCall(first_str(call, "id") or None, first_str(call, "name"), call.get("input"))
            for call in as_dicts(record.get("tool_uses"))
        )
        results = tuple(
            ToolCallResponse(
                first_str(one, "tool_use_id") or None,
                texts(one.get("content")) or one.get("content"),
                bool(one.get("is_error")),
            )
            for one in as_dicts(record.get("tool_results"))
        )
        return [
            said._replace(parts=(*said.parts, *calls)),
            *([Entry(Role.TOOL, (), results)] if results else []),
        ]


def _results(results: dict[str, Any]) -> Iterator[Part]:
    for name, value in results.items():
        result = as_dict(value)
        content = result.get("content")
        shown = texts(as_dict(content).get("Text", content)) or result.get("output") or content
        yield ToolCallResponse(
            first_str(result, "tool_use_id") or name, shown, bool(result.get("is_error"))
        )


class Zed(SessionDatabase):
    """Provider of `threads.db`."""

    agent = "zed"
    parser_class = ZedParser

    def roots(self, home: Home) -> tuple[Path, ...]:
        """The folder of threads."""
        mac = home.path / "Library" / "Application Support" / "Zed" / "threads"
        return (mac if mac.is_dir() else home.xdg_data("zed") / "threads",)

    def stores_of(self, root: Path, home: Home | None) -> list[Store]:  # noqa: ARG002 - all lie below the root
        """The one database."""
        path = root / "threads.db"
        return [ThreadStore(path)] if path.exists() else []


PROVIDER = Zed()
