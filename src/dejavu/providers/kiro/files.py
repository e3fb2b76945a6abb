"""Kiro: a JSONL file a session, of the command line and of the editor; a database before.

Reads `sessions/cli/*.jsonl` and `sessions/*/sess_*/messages.jsonl` below `~/.kiro`, and
`kiro-cli/data.sqlite3` below the XDG data folder, which is Amazon Q's. An answer comes in pieces
under one id. (Form: public descriptions of September 2026.)

Tested in: tests/providers/test_recordings.py
"""

from pathlib import Path
from typing import Any

from dejavu.model import Part, Role, Text, ToolCall, ToolCallResponse

from ..amazonq.files import AmazonQDatabase
from ..entry_parsers import Entries, LineEntries
from ..formats import content_blocks as blocks
from ..formats.entries import Entry, entry, first_str, texts, time_of
from ..formats.json_lines import as_dict, as_dicts, as_list, as_str
from ..protocol import Source
from ..store_provider import CombinedProvider, document_beside
from . import AGENT

_KINDS = {"Prompt": Role.USER, "AssistantMessage": Role.ASSISTANT, "ToolResults": Role.TOOL}
_SILENT = frozenset(
    {"session_metadata", "usage_summary", "turn_end", "turn_start", "Clear", "Compaction"}
)


class KiroParser(LineEntries):
    """One session, of either client."""

    repeats = False

    def memory(self) -> dict[str, Any]:
        """The message that the last piece belongs to."""
        return {**super().memory(), "message": self._message}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse."""
        super().remember(memory)
        self._message = as_str(memory.get("message"))

    def entries(self, record: dict[str, Any]) -> Entries:
        """One record of the command line (`kind`, `data`) or of the editor (`payload`)."""
        kind = as_str(record.get("kind"))
        if kind:
            return self._command_line(kind, as_dict(record.get("data")))
        payload = as_dict(record.get("payload")) or record
        at = time_of(record.get("timestamp"))
        name = first_str(payload, "type", "role")
        if name == "tool_call":
            call = ToolCall(
                first_str(payload, "id", "toolCallId") or None,
                first_str(payload, "name", "toolName"),
                payload.get("input"),
            )
            return [Entry(Role.ASSISTANT, (call,), (), at, joined=True)]
        if name in _SILENT:
            return []
        said = entry({**payload, "role": name, "timestamp": None}, self.source.agent, self._strange)
        return (
            None
            if said is None
            else [said._replace(at=at, native_id=as_str(record.get("id")) or said.native_id)]
        )

    def _command_line(self, kind: str, data: dict[str, Any]) -> Entries:
        role = _KINDS.get(kind)
        if role is None:
            return [] if kind in _SILENT else None
        at = time_of(as_dict(data.get("meta")).get("timestamp"))
        native = first_str(data, "message_id") or None
        joined = bool(native) and native == self._message and role is Role.ASSISTANT
        self._message = native or ""
        parts: list[Part] = []
        results: list[Part] = []
        content = data.get("content")
        for block in (
            as_dicts(content) if isinstance(content, list) else [{"kind": "text", "data": content}]
        ):
            inner = block.get("data")
            value, what = as_dict(inner), first_str(block, "kind", "type")
            if what in ("toolUse", "tool_use"):
                name = first_str(value, "toolUseId", "tool_use_id", "id") or None
                parts.append(ToolCall(name, first_str(value, "name"), value.get("input")))
            elif what in ("toolResult", "tool_result"):
                name = first_str(value, "toolUseId", "tool_use_id") or None
                failed = as_str(value.get("status")).lower() == "error"
                shown = texts(value.get("content")) or value.get("content")
                results.append(ToolCallResponse(name, shown, failed))
            elif words := texts(inner) or texts(block.get("text")):
                parts.append(Text(words))
            elif what not in ("text", ""):
                parts += blocks.parts([{**value, "type": what}], self.source.agent, self._strange)[
                    0
                ]
        return [Entry(role, tuple(parts), tuple(results), at, native, joined=joined)]


class Kiro(CombinedProvider):
    """Provider of both clients' sessions and of the older database."""

    def native_id(self, path: Path) -> str:
        """The file's name, or the folder's."""
        return path.parent.name if path.name == "messages.jsonl" else path.stem

    def facts(self, source: Source, stored: dict[str, Any]) -> dict[str, Any]:
        """Folder, title and model, of the description next to the messages."""
        path = source.path
        description = (
            path.with_name("session.json")
            if path.name == "messages.jsonl"
            else path.with_suffix(".json")
        )
        head = as_dict(document_beside(description))
        folders = as_list(head.get("workspacePaths"))
        facts = {
            "workspace": first_str(head, "cwd", "workspacePath")
            or (as_str(folders[0]) if folders else ""),
            "title": first_str(head, "title", "name"),
            "began": time_of(head.get("created_at") or head.get("createdAt")),
            "model": first_str(head, "model", "modelId"),
        }
        return {**stored, **{name: fact for name, fact in facts.items() if fact}}


PROVIDER = Kiro(AGENT, AmazonQDatabase("kiro-cli"))
