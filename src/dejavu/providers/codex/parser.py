"""Turns from a Codex rollout of any generation.

Parses its lines into one conversation. Lines are bare items (before September 2025), or envelopes
`{timestamp, type, payload}` of two lanes that say the same things, the model's history
(`response_item`) and the interface's events (`event_msg`). Whichever lane says a thing first is
believed, the other one's copy is dropped, and what only one of them says is kept.

A session forked from another, or started by it, may begin with a copy of that one's records. They
are recognised by ids and times older than the session itself and left out where the other session
is there to be read.
"""

from collections.abc import Callable
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
    ToolCallResponse,
    from_iso,
)
from dejavu.model.compaction import PROMPTS, compacted

from ..conversation_builder import ConversationBuilder
from ..formats.json_lines import (
    UNREADABLE,
    as_dict,
    as_dicts,
    as_int,
    as_list,
    as_str,
    decode_lenient,
)
from ..message_assembler import MessageAssembler, Piece
from ..parsing import MAIN, DocumentParser
from . import items as codex

_NOISE = frozenset(
    {
        "world_state", "inter_agent_communication_metadata", "state", "task_started",
        "thread_settings_applied", "context_compacted", "turn_diff", "shutdown_complete",
        "token_usage_record_metadata", "exec_command_begin", "mcp_tool_call_begin",
        "patch_apply_begin", "item_started", "thread_goal_updated", "compaction", "ghost_snapshot",
        "reasoning_section_break", "agent_reasoning_section_break", "compaction_trigger",
    }
)  # fmt: skip
_CALLS = 256  # calls remembered
_META_KEYS = {"id", "timestamp"}  # of a first line before September 2025, which has no type


class CodexParser(MessageAssembler):
    """One rollout, one conversation.

    No `LineEntries`: the model's lane and the interface's repeat each other. The stream names what
    ran by the item's id and not the call's, so the two have no record in common.
    """

    version = 2

    def memory(self) -> dict[str, Any]:
        """Also: the model, when the session began, the calls made and the patches not yet told."""
        return {**super().memory(), "now": self._now, "calls": self._calls, "diffs": self._diffs}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse."""
        super().remember(memory)
        self._now: dict[str, Any] = dict(memory.get("now", {}))
        self._calls: dict[str, str] = dict(memory.get("calls", {}))
        self._diffs: dict[str, Any] = dict(memory.get("diffs", {}))

    # -- records -------------------------------------------------------------------------------

    def record(self, line: memoryview, span: Span) -> None:
        """Take one line of any generation."""
        value = decode_lenient(line)
        if not isinstance(value, dict):
            self.drift[UNREADABLE] += 1
            return
        record = as_dict(value)
        kind, payload = as_str(record.get("type")), as_dict(record.get("payload"))
        if not payload:  # bare: the record is its own payload
            payload = record
            if not kind:
                kind = (
                    "session_meta"
                    if record.keys() >= _META_KEYS
                    else as_str(record.get("record_type"))
                )
            elif kind not in ("session_meta", "turn_context", "compacted", "event_msg"):
                kind = "response_item"
        piece = Piece(payload, span, from_iso(record.get("timestamp")))
        if kind == "session_meta":
            self._meta(payload)
        elif not self._copied(piece):
            self._take(kind, piece, line)

    def _take(self, kind: str, piece: Piece, line: memoryview) -> None:
        thread, payload = self._thread(), piece.payload
        inner = as_str(payload.get("type")) if kind in ("response_item", "event_msg") else kind
        if kind == "response_item" and not inner and "role" in payload:
            inner = "message"
        if inner == "item_completed":
            piece = piece._replace(payload=as_dict(payload.get("item")))
            inner = as_str(piece.payload.get("type"))
        act: Callable[..., None] | None = self._ACTS.get(inner)
        if act is not None:
            act(self, thread, piece)
        elif inner in codex.CALLS:
            self._call(thread, inner, piece)
        elif inner in codex.OUTPUTS:
            self._output(thread, piece)
        elif inner in codex.EXECUTED:
            self._executed(thread, piece)
        elif inner not in _NOISE:
            self.append_unknown(thread, inner or kind or "(untyped)", line, piece.span, at=piece.at)

    # -- who, where, which model ---------------------------------------------------------------

    def _thread(self) -> ConversationBuilder:
        if MAIN not in self.threads:
            self._meta({})
        return self.threads[MAIN]

    def _meta(self, payload: dict[str, Any]) -> None:
        """The session's own description; a copied one later in the file is another session's."""
        if MAIN in self.threads:
            return
        native = (
            self.source.native_id or as_str(payload.get("id")) or as_str(payload.get("session_id"))
        )
        spawned = as_dict(as_dict(payload.get("source")).get("subagent"))
        spawn = as_dict(spawned.get("thread_spawn"))
        above = as_str(payload.get("parent_thread_id")) or as_str(spawn.get("parent_thread_id"))
        forked = as_str(payload.get("forked_from_id"))
        base = as_str(as_dict(payload.get("history_base")).get("thread_id"))
        relation = Relation.SUBAGENT if above or spawned else Relation.FORK
        head = self.head(
            native or self.source.path.stem,
            parent=above or forked or base or None,
            relation=relation,
            workspace=as_str(payload.get("cwd")),
            agent_version=as_str(payload.get("cli_version")) or None,
            started_at=from_iso(payload.get("timestamp")),
            title=as_str(self.facts.get("title")) or as_str(payload.get("agent_nickname")),
        )
        self.threads[MAIN] = ConversationBuilder(head)
        if (forked or above) and not base and self.facts.get("parent_here"):
            self._now["born"] = _created_at(native) or head.started_at

    def _copied(self, piece: Piece) -> bool:
        """Whether a record here represents the session this one was made from."""
        born = self._now.get("born")
        if born is None:
            return False
        passthrough = as_dict(piece.payload.get("internal_chat_message_metadata_passthrough"))
        if turn := as_str(piece.payload.get("turn_id")) or as_str(passthrough.get("turn_id")):
            made = _created_at(turn)
            self._now["copying"] = made is not None and made < born
        elif piece.at is not None and piece.at < born - 1:
            return True
        return bool(self._now.get("copying", True))

    def _context(self, thread: ConversationBuilder, piece: Piece) -> None:
        if model := as_str(piece.payload.get("model")):
            self._now["model"] = model
        self.amend(thread, workspace=thread.head.workspace or as_str(piece.payload.get("cwd")))

    def _named(self, thread: ConversationBuilder, piece: Piece) -> None:
        self.amend(thread, title=as_str(piece.payload.get("thread_name")))

    # -- what was said -------------------------------------------------------------------------

    def _answer(self, thread: ConversationBuilder, parts: list[Part], piece: Piece) -> None:
        native = as_str(piece.payload.get("id")) or None
        self.append_assistant(thread, parts, piece, model=self._now.get("model"), native_id=native)

    def _prompt(self, thread: ConversationBuilder, parts: list[Part], piece: Piece) -> None:
        if parts:
            native = as_str(piece.payload.get("id")) or None
            self.add(thread, Role.USER, parts, piece, native_id=native)

    def _message(self, thread: ConversationBuilder, piece: Piece) -> None:
        payload = piece.payload
        role, words, parts = (
            payload.get("role"),
            codex.message_text(payload),
            codex.content_parts(payload),
        )
        if role == "assistant":
            if not self.is_duplicate("model", "answer", words):
                self._answer(thread, parts, piece)
        elif role == "user" and not codex.injected(payload):
            if not self.is_duplicate("model", "prompt", words):
                self._prompt(thread, parts, piece)
        elif parts:
            native = as_str(payload.get("id")) or None
            self.add(thread, Role.SYSTEM, parts, piece, native_id=native)

    def _shown_prompt(self, thread: ConversationBuilder, piece: Piece) -> None:
        """The interface's prompt: `user_message` has its text, `UserMessage` its blocks."""
        payload = piece.payload
        words = as_str(payload.get("message")) or codex.message_text(payload)
        if not self.is_duplicate("shown", "prompt", words):
            parts = codex.content_parts(payload) or ([Text(words)] if words else [])
            parts += [codex.image({"url": url}) for url in as_list(payload.get("images"))]
            self._prompt(thread, parts, piece)

    def _shown_answer(self, thread: ConversationBuilder, piece: Piece) -> None:
        payload = piece.payload
        words = (
            as_str(payload.get("message"))
            or as_str(payload.get("text"))
            or codex.message_text(payload)
        )
        if words and not self.is_duplicate("shown", "answer", words):
            self._answer(thread, codex.content_parts(payload) or [Text(words)], piece)

    def _thought(self, thread: ConversationBuilder, piece: Piece) -> None:
        self._reasoning(thread, "model", codex.thoughts(piece.payload), piece)

    def _shown_thought(self, thread: ConversationBuilder, piece: Piece) -> None:
        sections = codex.thoughts(piece.payload) or [as_str(piece.payload.get("text"))]
        self._reasoning(thread, "shown", sections, piece)

    def _reasoning(
        self, thread: ConversationBuilder, lane: str, sections: list[str], piece: Piece
    ) -> None:
        fresh = [
            section
            for section in sections
            if section and not self.is_duplicate(lane, "thought", section)
        ]
        if fresh:
            self._answer(thread, [Reasoning(section) for section in fresh], piece)

    # -- tools ---------------------------------------------------------------------------------

    def _call(self, thread: ConversationBuilder, kind: str, piece: Piece) -> None:
        payload = piece.payload
        call = as_str(payload.get("call_id")) or as_str(payload.get("id"))
        if call and call in self._calls:
            return
        self._calls[call] = "called"
        name = as_str(payload.get("name")) or kind.removesuffix("_call")
        self._answer(thread, [ToolCall(call or None, name, codex.arguments(payload))], piece)
        if kind == "image_generation_call" and "result" in payload:
            self._response(thread, call, payload["result"], False, piece)

    def _output(self, thread: ConversationBuilder, piece: Piece) -> None:
        answer, failed = codex.output(piece.payload)
        self._response(thread, as_str(piece.payload.get("call_id")), answer, failed, piece)

    def _response(
        self, thread: ConversationBuilder, call: str, answer: Any, failed: bool, piece: Piece
    ) -> None:
        if call and self._calls.get(call) == "answered":
            return
        parts: list[Part] = [ToolCallResponse(call or None, answer, failed)]
        parts += codex.diffs(self._diffs.pop(call, None))
        self._calls[call] = "answered"
        self.add(thread, Role.TOOL, parts, piece)
        for old in list(self._calls)[:-_CALLS]:
            del self._calls[old]

    def _executed(self, thread: ConversationBuilder, piece: Piece) -> None:
        """A tool that ran; told here only if the model's lane does not tell it."""
        item = piece.payload
        call = as_str(item.get("id"))
        if item.get("changes"):
            self._diffs[call] = item["changes"]
        if call in self._calls:
            return
        name, arguments, answer, failed = codex.executed(item)
        self._calls[call] = "called"
        self._answer(thread, [ToolCall(call or None, name, arguments)], piece)
        self._response(thread, call, answer, failed, piece)

    def _ended(self, thread: ConversationBuilder, piece: Piece) -> None:
        """2025's end of a command or of an MCP call."""
        payload = piece.payload
        invoked = as_dict(payload.get("invocation"))
        kind = "McpToolCall" if invoked else "CommandExecution"
        item = {**payload, **invoked, "type": kind, "id": payload.get("call_id")}
        self._executed(thread, piece._replace(payload=item))

    def _patched(self, thread: ConversationBuilder, piece: Piece) -> None:
        payload = piece.payload
        item = {**payload, "type": "FileChange", "id": payload.get("call_id")}
        self._executed(thread, piece._replace(payload=item))

    # -- what happened -------------------------------------------------------------------------

    def _tokens(self, thread: ConversationBuilder, piece: Piece) -> None:
        payload = piece.payload
        info = as_dict(payload.get("info"))
        last = as_dict(payload.get("usage") or info.get("last_token_usage"))
        whole = as_dict(payload.get("thread_token_usage") or info.get("total_token_usage"))
        total = as_int(whole.get("total_tokens"))
        if last and (total is None or total != self._now.get("tokens")):
            self._now["tokens"] = total
            self.set_usage(thread, codex.usage(last), as_str(info.get("model")) or None)
            self.end(thread)

    def _done(self, thread: ConversationBuilder, piece: Piece) -> None:
        if error := as_dict(piece.payload.get("error")):
            self._error(thread, piece._replace(payload=error))
        self.clear_duplicates()
        self.end(thread)

    def _error(self, thread: ConversationBuilder, piece: Piece) -> None:
        info = piece.payload.get("codex_error_info")
        words = codex.error_words(as_str(piece.payload.get("message")))
        self.append_error(thread, words, piece, None if info is None else {"info": info})

    def _compacted(self, thread: ConversationBuilder, piece: Piece) -> None:
        text = as_str(piece.payload.get("message"))
        parts: list[Part] = [Text(text)] if text else [Extension("codex.compacted", {})]
        replaced = isinstance(piece.payload.get("replacement_history"), list)
        self.add(thread, Role.SYSTEM, parts, piece, meta=compacted(PROMPTS if replaced else ""))

    def _noted(self, thread: ConversationBuilder, piece: Piece) -> None:
        """What the harness did to the thread, kept as it is."""
        kind = as_str(piece.payload.get("type")) or "inter_agent_communication"
        part = self.extension(kind, piece.payload, piece.span.length)
        self.add(thread, Role.SYSTEM, [part], piece)
        self.end(thread)

    _ACTS: ClassVar[dict[str, Callable[..., None]]] = {
        "message": _message,
        "reasoning": _thought,
        "user_message": _shown_prompt,
        "UserMessage": _shown_prompt,
        "agent_message": _shown_answer,
        "AgentMessage": _shown_answer,
        "Plan": _shown_answer,
        "agent_reasoning": _shown_thought,
        "agent_reasoning_raw_content": _shown_thought,
        "Reasoning": _shown_thought,
        "exec_command_end": _ended,
        "mcp_tool_call_end": _ended,
        "patch_apply_end": _patched,
        "token_count": _tokens,
        "token_usage_record": _tokens,
        "turn_context": _context,
        "thread_name_updated": _named,
        "task_complete": _done,
        "turn_complete": _done,
        "error": _error,
        "stream_error": _error,
        "compacted": _compacted,
        "turn_aborted": _noted,
        "thread_rolled_back": _noted,
        "inter_agent_communication": _noted,
        "entered_review_mode": _noted,
        "exited_review_mode": _noted,
        "SubAgentActivity": _noted,
        "ContextCompaction": _noted,
    }


class CodexDocumentParser(CodexParser, DocumentParser):
    """The one-document rollouts of spring 2025: `{"session": {...}, "items": [...]}`."""

    def document(self, value: Any, span: Span) -> None:
        """Take the whole rollout."""
        document = as_dict(value)
        self._meta(as_dict(document.get("session")))
        for item in as_dicts(document.get("items")):
            piece = Piece(item, span, from_iso(item.get("timestamp")))
            self._take("response_item", piece, memoryview(b"{}"))


def _created_at(native: str) -> float | None:
    """The time in a UUID of version 7 (Unix seconds); None for any other id."""
    digits = native.replace("-", "")
    if len(digits) != 32 or digits[12] != "7":
        return None
    try:
        return int(digits[:12], 16) / 1000
    except ValueError:
        return None
