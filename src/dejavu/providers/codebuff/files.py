"""Codebuff: a JSON document of messages a chat.

Reads `projects/*/chats/*/chat-messages.json` below `~/.config/manicode`. Messages have a `variant`
and blocks: text, tools with their output, and sub-agents with blocks of their own. (Form: the
command line's own types, 2026.)

Tested in: tests/providers/test_recordings.py
"""

from collections.abc import Iterator
from typing import Any

from dejavu.model import Extension, Part, Reasoning, Role, Text, ToolCall, ToolCallResponse

from ..entry_parsers import DocumentEntries, Entries
from ..formats.entries import Entry, first_str, texts, time_of
from ..formats.json_lines import as_dicts, as_str

_VARIANTS = {
    "user": Role.USER,
    "ai": Role.ASSISTANT,
    "agent": Role.ASSISTANT,
    "error": Role.SYSTEM,
    "assistant": Role.ASSISTANT,
    "system": Role.SYSTEM,
}
_DEEPEST = 8


class CodebuffParser(DocumentEntries):
    """One chat, one conversation."""

    def entries(self, record: dict[str, Any]) -> Entries:
        """One message, and what its tools gave back."""
        role = _VARIANTS.get(first_str(record, "variant", "role"))
        if role is None:
            return None
        at, native = time_of(record.get("timestamp")), as_str(record.get("id")) or None
        inside = list(self._parts(record.get("blocks"), _DEEPEST))
        parts = [part for part in inside if not isinstance(part, ToolCallResponse)]
        results = [part for part in inside if isinstance(part, ToolCallResponse)]
        words = texts(record.get("content"))
        if words and not any(isinstance(part, Text) for part in parts):
            parts.insert(0, Text(words))
        told = [Entry(role, tuple(parts), (), at, native)]
        return [*told, *([Entry(Role.TOOL, (), tuple(results), at)] if results else [])]

    def _parts(self, value: Any, depth: int) -> Iterator[Part]:
        for block in as_dicts(value) if depth else []:
            kind = as_str(block.get("type"))
            if kind in ("text", "html", "markdown"):
                thinking = block.get("textType") == "reasoning"
                if words := first_str(block, "content", "text"):
                    yield Reasoning(words) if thinking else Text(words)
            elif kind == "tool":
                name = first_str(block, "toolCallId") or None
                yield ToolCall(name, first_str(block, "toolName"), block.get("input"))
                if (output := block.get("output")) is not None:
                    yield ToolCallResponse(name, texts(output) or output)
            elif kind == "agent":
                yield Extension(
                    "codebuff.agent", {"name": first_str(block, "agentName", "agentType")}
                )
                yield from self._parts(block.get("blocks"), depth - 1)
            else:
                self._strange(f"block/{kind}")
                yield Extension(f"codebuff.{kind[:40] or 'block'}", block)
