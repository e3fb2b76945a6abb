"""DeepSeek Harness: a log of events a session, plain or as zstd frames in a row.

Reads `sessions/*/session-*/session.jsonl[.zstd]` below `${DSH_HOME:-~/.dsh}`. What plugins put into
a prompt is kept apart from what a person typed. Pieces of an answer are read until its whole message
comes, so that an interrupted one is not lost. (Form: 0.1.1, August 2026.)

Tested in: tests/providers/test_recordings.py
"""

from typing import Any

from dejavu.model import Reasoning, Role, Span, Text, ToolCall, Usage

from ..entry_parsers import Entries, LineEntries
from ..formats import content_blocks as blocks
from ..formats.entries import Entry, Session, first_str, time_of, usage_of
from ..formats.json_lines import as_dict, as_dicts, as_list, as_str
from ..parsing import MAIN
from ..store_provider import StoreProvider
from . import AGENT

_SILENT = frozenset({"permission/preset", "step/start", "step/end", "turn/start", "turn/end"})


class DshParser(LineEntries):
    """One session, one conversation."""

    repeats = False

    def memory(self) -> dict[str, Any]:
        """The step whose answer comes in pieces, and the turn they are put into."""
        return {**super().memory(), "draft": self._draft}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse."""
        super().remember(memory)
        self._draft: list[Any] = list(memory.get("draft", ()))

    def _take_record(self, record: dict[str, Any], line: memoryview, span: Span) -> None:
        data, thread = as_dict(record.get("data")), self._main()
        step = [str(data.get("turn")), str(data.get("step"))]
        kind = record.get("type")
        if kind == "assistant/message" and self._draft[:2] == step:
            thread.truncate(self._draft[2])
        elif kind in ("assistant/chunk", "text-chunks") and self._draft[:2] != step:
            self._draft = [*step, len(thread)]
            super()._take_record(record, line, span)
            self.threads[MAIN].freeze_before(self._draft[2])
            return
        if kind not in ("assistant/chunk", "text-chunks"):
            self._draft = []
        super()._take_record(record, line, span)

    def entries(self, record: dict[str, Any]) -> Entries:
        """What one event says."""
        kind, data = as_str(record.get("type")), as_dict(record.get("data"))
        at = time_of(record.get("time") or record.get("time0"))
        if kind == "session":
            parent = first_str(record, "parentSessionId", "parentId", "parent")
            began = time_of(record.get("createdAt"))
            return [Session("", as_str(record.get("cwd")), began, parent=parent)]
        if kind == "session/title":
            return [Session(as_str(data.get("title")))]
        message = as_dict(data.get("message")) or data
        if kind in ("user/message", "assistant/message", "tool/result"):
            parts, results = blocks.parts(message.get("content"), self.source.agent, self._strange)
            source = as_dict(message.get("source"))
            typed = Role.USER if source.get("kind") in ("user", None) else Role.SYSTEM
            if kind != "assistant/message":
                role = typed if kind == "user/message" else Role.TOOL
                return [Entry(role, tuple(parts), tuple(results), at)]
            usage = usage_of(message.get("usage")) or usage_of(data.get("usage"))
            model = first_str(source, "model", "modelId") or first_str(message, "model")
            return [Entry(Role.ASSISTANT, tuple(parts), (), at, model=model or None, usage=usage)]
        if kind in ("assistant/chunk", "text-chunks"):
            return [_piece(data, at)]
        if kind == "tool/call":
            arguments = blocks.arguments(data.get("arguments"))
            call = ToolCall(
                first_str(data, "callId", "id") or None, as_str(data.get("name")), arguments
            )
            return [Entry(Role.ASSISTANT, (call,), (), at, joined=True)]
        usage_told: Usage | None = usage_of(data.get("usage"))
        if usage_told is not None:
            return [Entry(Role.ASSISTANT, usage=usage_told)]
        return [] if kind in _SILENT else None


def _piece(data: dict[str, Any], at: float | None) -> Entry:
    """Pieces of an answer that may never be told whole."""
    chunks = as_dicts([data.get("chunk")])
    kind = as_str(chunks[0].get("type")) if chunks else as_str(data.get("type"))
    words = "".join(as_str(text) for text in as_list(data.get("texts")))
    words = words or "".join(as_str(chunk.get("text")) for chunk in chunks)
    if not words or kind not in ("", "text-delta", "reasoning-delta", "text"):
        return Entry(Role.ASSISTANT)
    part = Reasoning(words) if kind.startswith("reasoning") else Text(words)
    return Entry(Role.ASSISTANT, (part,), (), at, joined=True)


PROVIDER = StoreProvider(AGENT)
