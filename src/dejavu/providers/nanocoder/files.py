"""Nanocoder: one JSON document a session, rewritten whole.

Reads `sessions/*.json` below `${NANOCODER_DATA_DIR:-~/.local/share/nanocoder}`, one source a
session. Messages are those of the model's API and carry no times; a session tells when it was last
saved.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dejavu.model import (
    Extension,
    Part,
    Role,
    Span,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    from_iso,
)

from ..conversation_builder import ConversationBuilder
from ..formats.json_coerce import as_dict, as_dicts, as_str
from ..parsing import MAIN, DocumentParser
from ..protocol import Home, Kind, Source
from ..session_files import SessionFileProvider

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL, "system": Role.SYSTEM}
_FAILED = "Error: "  # how the content of a call that failed begins
_LIST = "sessions.json"  # titles of all sessions, which each session's own document repeats


class NanocoderParser(DocumentParser):
    """One document, one conversation."""

    def document(self, value: Any, span: Span) -> None:
        """Take a session's document."""
        session = as_dict(value)
        head = self.head(
            self.source.native_id or as_str(session.get("id")) or self.source.path.stem,
            title=as_str(session.get("title")),
            workspace=as_str(session.get("workingDirectory")),
            started_at=from_iso(session.get("createdAt")),
        )
        thread = self.threads[MAIN] = ConversationBuilder(head)
        model = as_str(session.get("model")) or None
        for message in as_dicts(session.get("messages")):
            role = _ROLES.get(as_str(message.get("role")))
            if role is None:
                self.drift[f"role {message.get('role')}"] += 1
                parts: list[Part] = [Extension("nanocoder.message", message)]
            else:
                parts = list(_parts(message, role))
            if parts:
                thread.append(
                    Turn(
                        role=role or Role.SYSTEM,
                        parts=tuple(parts),
                        model=model if role is Role.ASSISTANT else None,
                        spans=(span,),
                    )
                )


def _parts(message: dict[str, Any], role: Role) -> Iterator[Part]:
    if role is Role.TOOL:
        content = message.get("content")
        failed = isinstance(content, str) and content.startswith(_FAILED)
        yield ToolCallResponse(as_str(message.get("tool_call_id")) or None, content, failed)
        return
    if text := as_str(message.get("content")):
        yield Text(text)
    for call in as_dicts(message.get("tool_calls")):
        function = as_dict(call.get("function"))
        name = as_str(function.get("name")) or "tool"
        yield ToolCall(as_str(call.get("id")) or None, name, function.get("arguments"))


class Nanocoder(SessionFileProvider):
    """Provider of `${NANOCODER_DATA_DIR:-~/.local/share/nanocoder}/sessions`."""

    agent = "nanocoder"
    parser_class = NanocoderParser

    def roots(self, home: Home) -> tuple[Path, ...]:
        """Its data folder, and the one that is named in its place."""
        folder = home.xdg_data("nanocoder")
        if home.environ.get("NANOCODER_DATA_DIR"):
            return folder, home.folder("NANOCODER_DATA_DIR")
        return (folder,)

    def discover(self, home: Home) -> Iterator[Source]:
        """A source for each session."""
        root = self.roots(home)[-1]
        for path in sorted((root / "sessions").glob("*.json")):
            if path.name != _LIST:
                yield self.source(home, path, path.stem, Kind.WHOLE)


PROVIDER = Nanocoder()
