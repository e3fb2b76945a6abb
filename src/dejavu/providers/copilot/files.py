"""GitHub Copilot CLI: one append-only event log a session.

Reads `session-state/*/events.jsonl` below `~/.copilot`: sessions, and the sub-agents that speak
within them as conversations of their own.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from dejavu.model import (
    Extension,
    Part,
    Reasoning,
    Relation,
    Role,
    Span,
    Text,
    ToolCall,
    Usage,
    from_iso,
)
from dejavu.model.compaction import compacted

from ..conversation_builder import ConversationBuilder
from ..follow.append import read_plain
from ..formats import content_blocks as blocks
from ..formats.json_lines import UNREADABLE, as_dict, as_dicts, as_int, as_str, decode_lenient
from ..message_assembler import MessageAssembler, Piece
from ..parsing import MAIN
from ..protocol import Home, Source
from ..session_files import SessionFileProvider
from .records import answer_parts, error_facts, result_parts, tool_call

_NOISE = frozenset(
    {
        "assistant.turn_start", "assistant.turn_end", "assistant.message_delta",
        "assistant.reasoning_delta", "assistant.intent", "permission.requested",
        "permission.completed", "session.shutdown", "session.info", "session.idle",
        "session.usage_info", "session.background_tasks_changed", "hook.start", "hook.end",
        "session.compaction_start", "tool.execution_progress", "tool.execution_partial_result",
        "session.mode_changed", "session.tools_updated", "session.skills_loaded",
        "session.mcp_servers_loaded", "session.mcp_server_status_changed", "assistant.usage",
    }
)  # fmt: skip


def _facts(path: Path) -> dict[str, Any]:
    """The plain `key: value` lines of the session's description."""
    try:
        workspace_lines = (
            read_plain(path.parent / "workspace.yaml").decode("utf-8", "replace").splitlines()
        )
    except OSError:
        return {}
    fields = dict(
        line.split(": ", 1) for line in workspace_lines if ": " in line and not line[0].isspace()
    )
    title = (fields.get("name") or fields.get("summary") or "").strip().strip("\"'")
    return {"title": title} if title and not title.startswith(("|", ">")) else {}


class CopilotParser(MessageAssembler):
    """One session; sub-agents by the call that started them.

    No `LineEntries`: one log holds several conversations.
    """

    version = 3

    def memory(self) -> dict[str, Any]:
        """Also: calls asked for, tokens told before their answer, the model."""
        return {
            **super().memory(),
            "calls": self._calls,
            "usage": self._usage,
            "model": self._model,
        }

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse."""
        super().remember(memory)
        self._calls: list[str] = list(memory.get("calls", ()))
        self._usage: dict[str, Any] = dict(memory.get("usage", {}))
        self._model: str | None = memory.get("model")

    def record(self, line: memoryview, span: Span) -> None:
        """Take one event."""
        record = as_dict(decode_lenient(line))
        kind = as_str(record.get("type"))
        if not record:
            self.drift[UNREADABLE] += 1
            return
        data = as_dict(record.get("data"))
        thread = self._thread(data)
        piece = Piece({**data, "_id": record.get("id")}, span, from_iso(record.get("timestamp")))
        if self.is_repeated(line, piece.at, record.get("id"), data):
            return
        act = self._ACTS.get(kind)
        if act is not None:
            act(self, thread, piece)
        elif kind == "session.usage_record":  # just before the answer it was spent on
            self._usage = as_dict(data.get("usage"))
        elif kind not in _NOISE:
            self.append_unknown(thread, kind or "(untyped)", line, span, at=piece.at)

    def _thread(self, data: dict[str, Any]) -> ConversationBuilder:
        key = as_str(data.get("parentToolCallId")) or MAIN
        if key not in self.threads:
            native = self.source.native_id or as_str(data.get("sessionId")) or self.source.path.stem
            if key == MAIN:
                head = self.head(native, title=as_str(self.facts.get("title")))
            else:
                folder = self.threads[MAIN].head.workspace if MAIN in self.threads else ""
                head = self.head(
                    f"{native}/{key}",
                    parent=native,
                    relation=Relation.SUBAGENT,
                    workspace=folder,
                )
            self.threads[key] = ConversationBuilder(head)
        return self.threads[key]

    # -- events --------------------------------------------------------------------------------

    def _start(self, thread: ConversationBuilder, piece: Piece) -> None:
        data = piece.payload
        context = as_dict(data.get("context"))
        self._model = as_str(data.get("selectedModel")) or self._model
        self.amend(
            thread,
            workspace=as_str(context.get("cwd")),
            agent_version=as_str(data.get("copilotVersion")),
            started_at=thread.head.started_at or from_iso(data.get("startTime")),
        )

    def _switch(self, thread: ConversationBuilder, piece: Piece) -> None:
        self._model = as_str(piece.payload.get("newModel")) or self._model
        self.end(thread)

    def _prompt(self, thread: ConversationBuilder, piece: Piece) -> None:
        data = piece.payload
        parts: list[Part] = [Text(as_str(data.get("content")))] if data.get("content") else []
        parts += [
            blocks.inline(as_str(attachment.get("url")))
            or Extension("copilot.attachment", attachment)
            for attachment in as_dicts(data.get("attachments"))
        ]
        source = as_str(data.get("source"))
        role = Role.SYSTEM if source and source not in ("user", "cli", "typed") else Role.USER
        if parts:
            self.add(thread, role, parts, piece, native_id=as_str(data.get("_id")) or None)

    def _system(self, thread: ConversationBuilder, piece: Piece) -> None:
        if text := as_str(piece.payload.get("content")):
            self.add(thread, Role.SYSTEM, [Text(text)], piece)

    def _answer(self, thread: ConversationBuilder, piece: Piece) -> None:
        data = piece.payload
        thought = as_str(data.get("reasoningText"))
        if thought and self.is_duplicate("message", "thought", thought):
            thought = ""
        parts = answer_parts(data, thought)
        self._calls += [part.id or "" for part in parts if isinstance(part, ToolCall)]
        self.end(thread)
        self._model = as_str(data.get("model")) or self._model
        if parts:
            native = as_str(data.get("messageId")) or None
            self.append_assistant(thread, parts, piece, model=self._model, native_id=native)
        if self._usage:
            self.set_usage(thread, _usage(self._usage))
            self._usage = {}

    def _thought(self, thread: ConversationBuilder, piece: Piece) -> None:
        """Some versions write the thought before the message that has it too."""
        words = as_str(piece.payload.get("content")) or as_str(piece.payload.get("reasoningText"))
        if words and not self.is_duplicate("event", "thought", words):
            self.end(thread)
            self.append_assistant(thread, [Reasoning(words)], piece, model=self._model)

    def _called(self, thread: ConversationBuilder, piece: Piece) -> None:
        data = piece.payload
        native = as_str(data.get("toolCallId"))
        if native not in self._calls:
            self._calls.append(native)
            call = tool_call(data, "toolName")
            self.append_assistant(thread, [call], piece, model=self._model)

    def _returned(self, thread: ConversationBuilder, piece: Piece) -> None:
        data = piece.payload
        native = as_str(data.get("toolCallId"))
        self.add(thread, Role.TOOL, result_parts(data), piece)
        if native in self._calls:
            self._calls.remove(native)

    def _failed(self, thread: ConversationBuilder, piece: Piece) -> None:
        data = piece.payload
        self.append_error(thread, as_str(data.get("message")), piece, error_facts(data))

    def _compacted(self, thread: ConversationBuilder, piece: Piece) -> None:
        text = as_str(piece.payload.get("summaryContent"))
        part = Text(text) if text else Extension("copilot.compaction", piece.payload)
        self.add(thread, Role.SYSTEM, [part], piece, meta=compacted())

    def _named(self, thread: ConversationBuilder, piece: Piece) -> None:
        self.amend(thread, title=as_str(piece.payload.get("title")))

    def _noted(self, thread: ConversationBuilder, piece: Piece) -> None:
        data = {name: value for name, value in piece.payload.items() if name != "_id"}
        part = self.extension("event", data, piece.span.length)
        self.add(thread, Role.SYSTEM, [part], piece)

    _ACTS: ClassVar[dict[str, Callable[..., None]]] = {
        "session.start": _start,
        "session.resume": _start,
        "session.model_change": _switch,
        "session.title_changed": _named,
        "user.message": _prompt,
        "system.message": _system,
        "assistant.message": _answer,
        "assistant.reasoning": _thought,
        "tool.execution_start": _called,
        "tool.execution_complete": _returned,
        "session.error": _failed,
        "session.compaction_complete": _compacted,
        "session.truncation": _noted,
        "subagent.started": _noted,
        "subagent.completed": _noted,
        "abort": _noted,
    }


def _usage(data: dict[str, Any]) -> Usage:
    # Its `cost` is the multiplier of a premium request, not money.
    return Usage(
        input_tokens=as_int(data.get("inputTokens")),
        output_tokens=as_int(data.get("outputTokens")),
        cache_read_input_tokens=as_int(data.get("cacheReadTokens")),
        cache_creation_input_tokens=as_int(data.get("cacheWriteTokens")),
    )


class Copilot(SessionFileProvider):
    """Provider of `~/.copilot/session-state`."""

    agent = "copilot"
    parser_class = CopilotParser

    def roots(self, home: Home) -> tuple[Path, ...]:
        """Copilot's folder."""
        return (home.folder("COPILOT_HOME", ".copilot"),)

    def discover(self, home: Home) -> Iterator[Source]:
        """A source for each session."""
        (folder,) = self.roots(home)
        root = folder / "session-state"
        for path in sorted([*root.glob("*/events.jsonl"), *root.glob("*.jsonl")]):
            native = path.parent.name if path.name == "events.jsonl" else path.stem
            yield self.source(home, path, native)

    def facts(self, source: Source, stored: dict[str, Any]) -> dict[str, Any]:
        """The title is in `workspace.yaml` next to the events."""
        return {**stored, **_facts(source.path)}


PROVIDER = Copilot()
