"""CodeBuddy Code: items of the Responses API, a JSONL file a session.

Reads `projects/*/*.jsonl` below `${CODEBUDDY_CONFIG_DIR:-~/.codebuddy}`; WorkBuddy writes the same.
What the harness put among a person's words is marked in `providerData`. (Form: public descriptions
of 2.161, October 2026.)

Tested in: tests/providers/test_recordings.py
"""

from typing import Any

from dejavu.model import Part, Reasoning, Role, Text, ToolCall, ToolCallResponse
from dejavu.model.compaction import compacted

from ..entry_parsers import Entries, LineEntries
from ..formats import content_blocks as blocks
from ..formats.anthropic_messages import split_injected
from ..formats.entries import Entry, Session, entry, first_str, texts, time_of, usage_of
from ..formats.json_lines import as_dict, as_str

_SILENT = frozenset({"turn-metrics", "file-history-snapshot", "session-meta", "topic"})
_MARKS = (
    "skipRun",
    "isMeta",
    "isCompactInternal",
    "isCompacted",
    "isSummary",
    "compactType",
    "teammateMessage",
)


class CodeBuddyParser(LineEntries):
    """One session, one conversation."""

    def entries(self, record: dict[str, Any]) -> Entries:
        """One item."""
        kind, at = as_str(record.get("type")), time_of(record.get("timestamp"))
        native, provider = as_str(record.get("id")) or None, as_dict(record.get("providerData"))
        folder = Session(workspace=as_str(record.get("cwd")))
        call = first_str(record, "callId", "call_id") or None
        if kind in ("custom-title", "ai-title"):
            return [Session(first_str(record, "title", "customTitle", "aiTitle"))]
        if kind == "message":
            said = entry({**record, "source": None}, self.source.agent, self._strange)
            return None if said is None else [folder, self._said(said, record, provider)]
        if kind == "reasoning":
            words = (
                texts(record.get("summary"))
                or texts(record.get("content"))
                or texts(record.get("rawContent"))
            )
            return [Entry(Role.ASSISTANT, (Reasoning(words),) if words else (), (), at, native)]
        if kind == "function_call":
            given = blocks.arguments(record.get("arguments"))
            part = ToolCall(call, as_str(record.get("name")), given)
            return [folder, Entry(Role.ASSISTANT, (part,), (), at, native, joined=True)]
        if kind == "function_call_result":
            output = record.get("output")
            result = ToolCallResponse(call, texts(output) or output, bool(record.get("isError")))
            return [Entry(Role.TOOL, (), (result,), at, native)]
        if kind == "summary":
            words = texts(record.get("summary")) or texts(record.get("content"))
            return [
                Entry(
                    Role.SYSTEM,
                    (Text(words),) if words else (),
                    (),
                    at,
                    native,
                    meta=compacted(),
                )
            ]
        return [] if kind in _SILENT else None

    def _said(self, said: Entry, record: dict[str, Any], provider: dict[str, Any]) -> Entry:
        model = first_str(provider, "model", "modelId") or None
        usage = usage_of(provider.get("usage")) or usage_of(provider.get("rawUsage"))
        if said.role is not Role.USER:
            return said._replace(model=said.model or model, usage=said.usage or usage)
        if any(provider.get(mark) or record.get(mark) for mark in _MARKS):
            return said._replace(role=Role.SYSTEM)
        parts: list[Part] = [part for part in said.parts if not isinstance(part, Text)]
        for part in said.parts:
            if isinstance(part, Text):
                typed, around = split_injected(part.content)
                parts += [*([Text(typed)] if typed else []), *around]
        plain = any(isinstance(part, Text) for part in parts)
        return said._replace(parts=tuple(parts), role=Role.USER if plain else Role.SYSTEM)
