"""Claude.ai's export: `conversations.json`, each conversation a list of messages.

What was attached to a prompt is next to it. (Form: exports of 2024 to 2026.)

Tested in: tests/providers/imports/test_imports.py
"""

from typing import Any

from dejavu.model import Extension, Part, Role, Text

from ..formats import content_blocks as blocks
from ..formats.entries import Entry, first_str, time_of
from ..formats.json_lines import as_dicts, as_str
from .export_parser import ExportParser


class ClaudeAiParser(ExportParser):
    """Every conversation of an export."""

    def facts_of(self, conversation: dict[str, Any]) -> dict[str, Any]:
        """Title and beginning."""
        began = time_of(conversation.get("created_at"))
        return {"title": as_str(conversation.get("name")), "started_at": began}

    def messages(self, conversation: dict[str, Any]) -> list[Entry]:
        """The messages in the order of the export."""
        return [self._message(message) for message in as_dicts(conversation.get("chat_messages"))]

    def _message(self, message: dict[str, Any]) -> Entry:
        parts, results = blocks.parts(message.get("content"), "claude-ai", self.strange)
        if not any(isinstance(part, Text) for part in parts) and (
            words := first_str(message, "text")
        ):
            parts.append(Text(words))
        attached: list[Part] = [
            Extension("claude-ai.attachment", {key: value for key, value in one.items() if value})
            for key_ in ("attachments", "files")
            for one in as_dicts(message.get(key_))
        ]
        role = Role.USER if message.get("sender") == "human" else Role.ASSISTANT
        return Entry(
            role,
            (*parts, *attached),
            tuple(results),
            time_of(message.get("created_at")),
            first_str(message, "uuid") or None,
            first_str(message, "parent_message_uuid") or None,
        )
