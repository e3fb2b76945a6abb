"""Turns from kimi-cli's two logs: the wire's events, or the model's context.

Parses lines `{timestamp, message: {type, payload}}` (protocols 1.1 to 1.10), or chat messages with
control records (`_checkpoint`, `_usage`) among them, into conversations. A sub-agent's events in
its parent's wire are left out where it has its own log.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from msgspec.structs import replace

from dejavu.model import (
    Conversation,
    Extension,
    Part,
    Reasoning,
    Relation,
    Role,
    Span,
    Text,
    ToolCall,
    ToolCallResponse,
    Usage,
    from_iso,
)

from ..conversation_builder import ConversationBuilder
from ..entry_parsers import Entries, LineEntries
from ..formats import content_blocks as blocks
from ..formats.entries import entry
from ..formats.json_lines import UNREADABLE, as_dict, as_int, as_str, decode_lenient
from ..message_assembler import MessageAssembler, Piece
from ..parsing import MAIN

_NOISE = frozenset(
    {
        "metadata", "hello", "TurnEnd", "StepBegin", "ApprovalRequest", "ApprovalResponse",
        "ApprovalRequestResolved", "HookTriggered", "HookResolved", "CompactionBegin",
        "CompactionEnd", "PlanDisplay", "MCPLoadingBegin", "MCPLoadingEnd", "QuestionRequest",
        "QuestionResponse", "Notification", "StepRetry", "BtwBegin", "BtwEnd",
    }
)  # fmt: skip


class _KimiCliParser(MessageAssembler):
    """What both logs share: the conversation's head."""

    def begin(self) -> Conversation:
        """The head: a session's, a sub-agent's, or that of a context rotated away."""
        native = self.source.native_id or self.source.path.parent.name
        above, _, part = native.rpartition("/")
        rotated = part.startswith("context_")
        return self.head(
            native,
            parent=above or None,
            relation=Relation.COMPACTION if rotated else Relation.SUBAGENT,
            title="" if above else as_str(self.facts.get("title")),
            workspace=as_str(self.facts.get("workspace")),
        )


class KimiWireParser(_KimiCliParser):
    """The wire log.

    No `LineEntries`: one log holds several conversations, and calls come in pieces.
    """

    def memory(self) -> dict[str, Any]:
        """Also: the call whose arguments are still coming in pieces, a thread."""
        return {**super().memory(), "calls": self._calls}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse."""
        super().remember(memory)
        self._calls: dict[str, dict[str, Any]] = dict(memory.get("calls", {}))

    def record(self, line: memoryview, span: Span) -> None:
        """Take one event."""
        record = as_dict(decode_lenient(line))
        if not record:
            self.drift[UNREADABLE] += 1
            return
        message = as_dict(record.get("message"))
        kind = as_str(message.get("type")) or as_str(record.get("type"))
        piece = Piece(as_dict(message.get("payload")), span, from_iso(record.get("timestamp")))
        if MAIN not in self.threads:
            self.threads[MAIN] = ConversationBuilder(self.begin())
        self._take(MAIN, kind, piece, line)

    def _take(self, key: str, kind: str, piece: Piece, line: memoryview) -> None:
        thread = self.threads[key]
        if kind not in ("ToolCallPart", "ToolCall", "StatusUpdate"):
            self._settle_call(key)
        act = self._ACTS.get(kind)
        if kind == "SubagentEvent":
            self._subagent(piece, line)
        elif act is not None:
            act(self, key, thread, piece)
        elif kind not in _NOISE:
            self.append_unknown(thread, kind or "(untyped)", line, piece.span, at=piece.at)

    def _subagent(self, piece: Piece, line: memoryview) -> None:
        if self.facts.get("subagents"):
            return
        key = as_str(piece.payload.get("agent_id")) or as_str(
            piece.payload.get("parent_tool_call_id")
        )
        key = key or as_str(piece.payload.get("task_tool_call_id"))
        if key not in self.threads:
            main = self.threads[MAIN].head
            native, folder = main.native_id, main.workspace
            head = self.head(
                f"{native}/{key}", parent=native, relation=Relation.SUBAGENT, workspace=folder
            )
            self.threads[key] = ConversationBuilder(head)
        event = as_dict(piece.payload.get("event"))
        inner = piece._replace(payload=as_dict(event.get("payload")))
        self._take(key, as_str(event.get("type")), inner, line)

    def _prompt(self, _key: str, thread: ConversationBuilder, piece: Piece) -> None:
        user_input = piece.payload.get("user_input")
        message_parts, _ = blocks.parts(user_input, self.source.agent, self._strange)
        if message_parts:
            self.add(thread, Role.USER, message_parts, piece)

    def _content(self, _key: str, thread: ConversationBuilder, piece: Piece) -> None:
        payload = piece.payload
        if payload.get("type") == "think":
            part: Part = Reasoning(as_str(payload.get("think")))
        elif payload.get("type") == "text":
            part = Text(as_str(payload.get("text")))
        else:
            part = Extension("kimi-cli.content", payload)
        self._join(thread, part, piece)

    def _join(self, thread: ConversationBuilder, part: Part, piece: Piece) -> None:
        """Streamed pieces of one kind are one part."""
        seq = len(thread) - 1
        current = thread.get(seq)
        last = current.parts[-1] if current is not None and current.parts else None
        for kind in (Text, Reasoning):
            going = thread.head.native_id in self._going and current is not None
            if going and isinstance(last, kind) and isinstance(part, kind) and current is not None:
                whole = kind(last.content + part.content)
                parts = (*current.parts[:-1], whole)
                spans = (*current.spans, piece.span)
                thread.replace(seq, replace(current, parts=parts, spans=spans))
                return
        self.append_assistant(thread, [part], piece)

    def _call(self, key: str, _thread: ConversationBuilder, piece: Piece) -> None:
        self._settle_call(key)
        function = as_dict(piece.payload.get("function"))
        self._calls[key] = {
            "id": as_str(piece.payload.get("id")),
            "name": as_str(function.get("name")),
            "arguments": as_str(function.get("arguments")),
            "span": [piece.span.offset, piece.span.length],
            "at": piece.at,
        }

    def _call_part(self, key: str, _thread: ConversationBuilder, piece: Piece) -> None:
        if key in self._calls:
            self._calls[key]["arguments"] += as_str(piece.payload.get("arguments_part"))

    def _settle_call(self, key: str) -> None:
        """A call is given once its arguments are whole."""
        call = self._calls.pop(key, None)
        if call is not None:
            call_input = blocks.arguments(call["arguments"])
            part = ToolCall(call["id"] or None, call["name"], call_input)
            self.append_assistant(
                self.threads[key], [part], Piece({}, Span(*call["span"]), call["at"])
            )

    def _result(self, _key: str, thread: ConversationBuilder, piece: Piece) -> None:
        value = as_dict(piece.payload.get("return_value") or piece.payload.get("result"))
        answer, blobs = blocks.response(value.get("output"))
        if not answer:
            answer = value.get("message", answer)
        call = as_str(piece.payload.get("tool_call_id")) or None
        parts: list[Part] = [ToolCallResponse(call, answer, bool(value.get("is_error"))), *blobs]
        self.add(thread, Role.TOOL, parts, piece)

    def _status(self, _key: str, thread: ConversationBuilder, piece: Piece) -> None:
        token_usage = as_dict(piece.payload.get("token_usage"))
        if token_usage:
            read = as_int(token_usage.get("input_cache_read"))
            written = as_int(token_usage.get("input_cache_creation"))
            fresh = as_int(token_usage.get("input_other")) or 0
            usage = Usage(
                input_tokens=fresh + (read or 0) + (written or 0),
                output_tokens=as_int(token_usage.get("output")),
                cache_read_input_tokens=read,
                cache_creation_input_tokens=written,
            )
            self._settle_call(_key)
            self.set_usage(thread, usage)

    def _interrupted(self, _key: str, thread: ConversationBuilder, piece: Piece) -> None:
        self.add(thread, Role.SYSTEM, [Extension("kimi-cli.interrupted", piece.payload)], piece)
        self.end(thread)

    def _strange(self, kind: str) -> None:
        self.drift[kind] += 1

    _ACTS: ClassVar[dict[str, Callable[..., None]]] = {
        "TurnBegin": _prompt,
        "SteerInput": _prompt,
        "ContentPart": _content,
        "ToolCall": _call,
        "ToolCallPart": _call_part,
        "ToolResult": _result,
        "StatusUpdate": _status,
        "StepInterrupted": _interrupted,
    }


class KimiContextParser(_KimiCliParser, LineEntries):
    """The model's context."""

    version = 3
    repeats = False

    def _main(self) -> ConversationBuilder:
        if MAIN not in self.threads:
            self.threads[MAIN] = ConversationBuilder(self.begin())
        return self.threads[MAIN]

    def entries(self, record: dict[str, Any]) -> Entries:
        """One message or control record."""
        role = as_str(record.get("role"))
        if role in ("_checkpoint", "_usage"):
            return []
        message = {**record, "role": "system"} if role == "_system_prompt" else record
        one = entry(message, self.source.agent, self._strange)
        if one is None:
            return None
        first = next((part.content for part in one.parts if isinstance(part, Text)), "")
        injected = first.lstrip().startswith(("<system-reminder>", "<system>"))
        return [one._replace(role=Role.SYSTEM) if one.role is Role.USER and injected else one]
