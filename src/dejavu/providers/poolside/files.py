"""Poolside: a trajectory of events a session, one a line.

Reads `~/.local/state/poolside/trajectories/*.ndjson`. Answers and thoughts end with their whole
text; tokens come with the inference of a call. (Form: observed by others, July 2026.)

Tested in: tests/providers/test_recordings.py
"""

from typing import Any

from dejavu.model import Reasoning, Role, Text, ToolCall, ToolCallResponse

from ..entry_parsers import Entries, LineEntries
from ..formats import content_blocks as blocks
from ..formats.entries import Entry, Session, first_str, texts, time_of, usage_of
from ..formats.json_lines import as_dict, as_str

_SILENT = frozenset({
    "assistant_message.start", "thought.start", "tool_call.inference.start", "session.end", "tool_call.start",
})  # fmt: skip


class PoolsideParser(LineEntries):
    """One session, one conversation."""

    def entries(self, record: dict[str, Any]) -> Entries:
        """One event."""
        kind = first_str(record, "type", "event", "kind")
        data = as_dict(record.get("data")) or as_dict(record.get("payload")) or record
        at = time_of(record.get("timestamp") or record.get("time"))
        words = texts(
            data.get("content") or data.get("text") or data.get("message") or data.get("prompt")
        )
        if kind == "session.start":
            folder = first_str(data, "cwd", "working_directory", "workspace")
            return [Session(workspace=folder, started_at=at, model=first_str(data, "model"))]
        if kind == "session.input":
            return [Entry(Role.USER, (Text(words),) if words else (), (), at)]
        if kind == "assistant_message.end":
            return [Entry(Role.ASSISTANT, (Text(words),) if words else (), (), at, joined=True)]
        if kind == "thought.end":
            return [
                Entry(Role.ASSISTANT, (Reasoning(words),) if words else (), (), at, joined=True)
            ]
        call = first_str(data, "tool_call_id", "id", "call_id") or None
        if kind == "tool_call.parsed":
            given = data.get("arguments", data.get("args", data.get("input")))
            name = first_str(data, "name", "tool_name", "tool")
            return [
                Entry(
                    Role.ASSISTANT,
                    (ToolCall(call, name, blocks.arguments(given)),),
                    (),
                    at,
                    joined=True,
                )
            ]
        if kind == "tool_call.result":
            output = data.get("result", data.get("output"))
            failed = bool(data.get("is_error") or data.get("error"))
            shown = texts(output) or words or output or as_str(data.get("error"))
            return [Entry(Role.TOOL, (), (ToolCallResponse(call, shown, failed),), at)]
        if kind == "tool_call.inference.end":
            usage = usage_of(data.get("usage")) or usage_of(data)
            return [Entry(Role.ASSISTANT, usage=usage)] if usage else []
        return [] if kind in _SILENT else None
