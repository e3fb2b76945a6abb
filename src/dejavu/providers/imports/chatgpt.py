"""ChatGPT's export: `conversations.json`, each conversation a tree of messages.

Branches stay in the order of the tree, each message with its parent; what was hidden from the
person is the system's. (Form: exports of 2023 to 2026.)

Tested in: tests/providers/imports/test_imports.py
"""

from typing import Any

from dejavu.model import Extension, Part, Reasoning, Role, Text, ToolCall, ToolCallResponse

from ..formats.entries import Entry, first_str, texts, time_of
from ..formats.json_lines import as_dict, as_dicts, as_list, as_str
from .export_parser import ExportParser

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL, "system": Role.SYSTEM}


class ChatGptParser(ExportParser):
    """Every conversation of an export."""

    def facts_of(self, conversation: dict[str, Any]) -> dict[str, Any]:
        """Title and beginning."""
        began = time_of(conversation.get("create_time"))
        return {"title": as_str(conversation.get("title")), "started_at": began}

    def messages(self, conversation: dict[str, Any]) -> list[Entry]:
        """The tree's messages, children after their parents."""
        mapping = as_dict(conversation.get("mapping"))
        roots = [
            name for name, node in mapping.items() if as_dict(node).get("parent") not in mapping
        ]
        found: list[Entry] = []
        seen: set[str] = set()
        waiting = [(name, "") for name in reversed(roots)]
        while waiting:
            name, above = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            node = as_dict(mapping.get(name))
            entry = self._message(name, as_dict(node.get("message")), above)
            if entry is not None:
                found.append(entry)
                above = name
            children = [child for child in as_list(node.get("children")) if isinstance(child, str)]
            waiting += [(child, above) for child in reversed(children)]
        return found

    def _message(self, name: str, message: dict[str, Any], above: str) -> Entry | None:
        author, meta = as_dict(message.get("author")), as_dict(message.get("metadata"))
        role = _ROLES.get(as_str(author.get("role")))
        if role is None:
            if message:
                self.strange(f"role {author.get('role')}")
            return None
        at, parts = (
            time_of(message.get("create_time")),
            self._parts(as_dict(message.get("content"))),
        )
        common: dict[str, Any] = {"at": at, "native_id": name, "parent": above or None}
        recipient = first_str(message, "recipient")
        if role is Role.TOOL:
            shown = "\n".join(part.content for part in parts if isinstance(part, Text))
            rest = [part for part in parts if not isinstance(part, Text)]
            return Entry(
                role,
                (),
                (ToolCallResponse(first_str(author, "name") or None, shown), *rest),
                **common,
            )
        if role is Role.ASSISTANT and recipient not in ("", "all"):
            words = "\n".join(part.content for part in parts if isinstance(part, Text))
            parts = [ToolCall(recipient, recipient, words)]
        if role is Role.USER and meta.get("is_visually_hidden_from_conversation"):
            role = Role.SYSTEM
        model = first_str(meta, "model_slug", "default_model_slug") or None
        return Entry(role, tuple(parts), model=model, **common) if parts else None

    def _parts(self, content: dict[str, Any]) -> list[Part]:
        kind = as_str(content.get("content_type"))
        if kind == "thoughts":
            thoughts = as_dicts(content.get("thoughts"))
            return [
                Reasoning(words)
                for one in thoughts
                if (words := first_str(one, "content", "summary"))
            ]
        if kind == "reasoning_recap":
            return [Reasoning(as_str(content.get("content")))] if content.get("content") else []
        parts: list[Part] = []
        for item in as_list(content.get("parts")):
            if isinstance(item, str):
                parts += [Text(item)] if item else []
            elif words := first_str(as_dict(item), "text"):
                parts.append(Text(words))
            elif item:
                named = as_dict(item)
                parts.append(
                    Extension(f"chatgpt.{first_str(named, 'content_type')[:40] or 'part'}", named)
                )
        if not parts and (words := texts(content.get("text") or content.get("result"))):
            parts.append(Text(words))
        return parts
