"""Grok Build's `chat_history.jsonl`: what the model was told and said, a line each.

Two generations: `type` in each line (`chat_format_version` 1 in `summary.json`), and before it `role` as in
OpenAI's chat (0). Lines have no times. A `user` line with a `synthetic_reason` is the program's own, except
what a person added while the model worked (`interjection`). Read where a session has no `updates.jsonl`,
which has times and tokens too.

Tested in: tests/providers/test_recordings.py
"""

from typing import Any

from dejavu.model import Extension, Reasoning, Role, ToolCall, ToolCallResponse

from ..entry_parsers import Entries, LineEntries
from ..formats import content_blocks as blocks
from ..formats.entries import Entry, entry, first_str, texts
from ..formats.json_lines import as_dict, as_str


class HistoryParser(LineEntries):
    """One session, one conversation."""

    repeats = False

    def memory(self) -> dict[str, Any]:
        """Whether the next answer continues the turn that its reasoning began."""
        return {**super().memory(), "open": self._open}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse."""
        super().remember(memory)
        self._open = bool(memory.get("open"))

    def entries(self, record: dict[str, Any]) -> Entries:
        """One line."""
        kind = as_str(record.get("type"))
        was_open, self._open = self._open, kind in ("reasoning", "backend_tool_call")
        if kind == "reasoning":
            thought = texts(record.get("summary")) or texts(record.get("content"))
            parts = (Reasoning(thought),) if thought else ()
            return [Entry(Role.ASSISTANT, parts, joined=was_open)]
        if kind == "backend_tool_call":
            call = as_dict(record.get("kind"))
            name = first_str(call, "tool_type", "name")
            part = ToolCall(first_str(call, "id") or None, name, call.get("action"))
            return [Entry(Role.ASSISTANT, (part,), joined=was_open)]
        if kind == "tool_result":
            shown, blobs = blocks.response(record.get("content"))
            failed = bool(record.get("is_error"))
            result = ToolCallResponse(first_str(record, "tool_call_id") or None, shown, failed)
            return [Entry(Role.TOOL, (), (result, *blobs))]
        said = entry(record, self.source.agent, self._strange)
        if said is None:
            return None
        reason = as_str(record.get("synthetic_reason"))
        if said.role is Role.USER and reason not in ("", "interjection"):
            mark = Extension("grok.synthetic", {"reason": reason})
            return [said._replace(role=Role.SYSTEM, parts=(*said.parts, mark))]
        return [said._replace(joined=was_open and said.role is Role.ASSISTANT)]
