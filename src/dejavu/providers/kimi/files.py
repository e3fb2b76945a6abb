"""Kimi Code: one append-only event log (`wire.jsonl`) for each agent of a session.

Reads `sessions/*/session_*/agents/*/wire.jsonl` below `${KIMI_CODE_HOME:-~/.kimi-code}`: the main
agent's conversation and one for each sub-agent. Protocols 1.1 to 1.5. What was said is in
`context.*` records (prompts in `append_message`, the rest in `append_loop_event`); the interface's
events repeat it and are left out. Titles and folders come from `state.json` next to the agents.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from dejavu.model import (
    Blob,
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
from dejavu.model.compaction import NONE, PROMPTS, compacted

from ..conversation_builder import ConversationBuilder
from ..follow.append import read_plain
from ..formats import content_blocks as blocks
from ..formats.json_lines import UNREADABLE, as_dict, as_dicts, as_int, as_str, decode_lenient
from ..message_assembler import MessageAssembler, Piece
from ..parsing import MAIN
from ..protocol import Home, Source
from ..session_files import SessionFileProvider

_NOISE = frozenset(
    {
        "metadata", "runtime.set_binding", "profile.bind", "permission.set_mode", "config.update",
        "turn.prompt", "turn.steer", "agent.message.appended", "agent.turn.started",
        "agent.turn.ended", "plugin.session_start", "llm.tools_snapshot", "llm.request",
        "token_counting.measured", "token_counting.turn_recorded", "turn.ended", "turn.started",
        "prompt.completed", "interaction.request", "interaction.resolved",
        "permission.record_approval_result", "file_history.tracked", "file_history.checkpoint",
        "tools.set_active_tools", "tools.update_store", "step.begin", "turn.step.started",
        "full_compaction.begin", "full_compaction.end", "full_compaction.started",
        "full_compaction.completed", "content.delta",
    }
)  # fmt: skip


def _facts(source: Source) -> dict[str, Any]:
    """The session's title, folder and parent, from `state.json`."""
    try:
        state = as_dict(decode_lenient(read_plain(source.path.parents[2] / "state.json")))
    except (OSError, IndexError):
        return {}
    custom = as_dict(state.get("custom"))
    facts = {
        "title": as_str(state.get("title")),
        "workspace": as_str(state.get("cwd")) or as_str(state.get("workDir")),
        "fork_of": as_str(state.get("forkedFrom")) or as_str(custom.get("forkedFrom")),
    }
    return {name: fact for name, fact in facts.items() if fact}


class KimiParser(MessageAssembler):
    """One agent's log, one conversation.

    No `LineEntries`: an answer comes in parts, in two lanes that repeat each other. The stream
    prints chat messages instead, so the two have no record in common.
    """

    version = 3

    def memory(self) -> dict[str, Any]:
        """Also: the model in use."""
        return {**super().memory(), "model": self._model}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse."""
        super().remember(memory)
        self._model: str | None = memory.get("model")

    def record(self, line: memoryview, span: Span) -> None:
        """Take one event."""
        value = decode_lenient(line)
        if not isinstance(value, dict):
            self.drift[UNREADABLE] += 1
            return
        record = as_dict(value)
        kind = as_str(record.get("type"))
        thread = self._thread(record)
        piece = Piece(record, span, from_iso(record.get("time")))
        if self.is_repeated(line, piece.at):
            return
        if kind == "context.append_loop_event":
            piece = piece._replace(payload=as_dict(record.get("event")))
            kind = as_str(piece.payload.get("type"))
        act: Callable[..., None] | None = self._ACTS.get(kind)
        if act is not None:
            act(self, thread, piece)
        if kind in ("llm.request", "config.update", "profile.bind", "usage.record"):
            named = piece.payload.get("modelAlias") or piece.payload.get("model")
            self._model = as_str(named) or self._model
        elif act is None and kind not in _NOISE:
            self.append_unknown(thread, kind or "(untyped)", line, span, at=piece.at)

    def _thread(self, record: dict[str, Any]) -> ConversationBuilder:
        thread = self.threads.get(MAIN)
        if thread is None:
            native = self.source.native_id or self.source.path.parent.name
            session, _, agent = native.partition("/")
            fork = as_str(self.facts.get("fork_of"))
            relation = Relation.SUBAGENT if agent else Relation.FORK
            head = self.head(native, parent=session if agent else fork or None, relation=relation)
            thread = self.threads[MAIN] = ConversationBuilder(head)
        disclosure = as_dict(record.get("environmentDisclosure"))
        folder = (
            as_str(self.facts.get("workspace"))
            or as_str(disclosure.get("cwd"))
            or as_str(record.get("cwd"))
        )
        agents = "/" in thread.head.native_id
        title = "" if agents else as_str(self.facts.get("title"))
        self.amend(thread, title=title, workspace=thread.head.workspace or folder)
        return thread

    # -- what was said -------------------------------------------------------------------------

    def _message(self, thread: ConversationBuilder, piece: Piece) -> None:
        message = as_dict(piece.payload.get("message"))
        parts = self._parts(message.get("content"))
        native = as_str(message.get("id")) or None
        role, origin = (
            as_str(message.get("role")),
            as_str(as_dict(message.get("origin")).get("kind")),
        )
        if role == "assistant":
            fresh = [part for part in parts if not self._told("message", part)]
            fresh += [_call(call) for call in as_dicts(message.get("toolCalls"))]
            if fresh:
                self.append_assistant(thread, fresh, piece, native_id=native, model=self._model)
        elif role == "tool":
            answer = ToolCallResponse(as_str(message.get("toolCallId")) or None, _joined(parts))
            self.add(thread, Role.TOOL, [answer], piece, native_id=native)
        elif parts:
            injected = origin not in ("", "user") or role != "user"
            role_of = Role.SYSTEM if injected else Role.USER
            self.add(thread, role_of, parts, piece, native_id=native)

    def _part(self, thread: ConversationBuilder, piece: Piece) -> None:
        parts = self._parts([piece.payload.get("part")])
        fresh = [part for part in parts if not self._told("loop", part)]
        if fresh:
            native = as_str(piece.payload.get("stepUuid")) or None
            self.append_assistant(thread, fresh, piece, native_id=native, model=self._model)

    def _told(self, lane: str, part: Part) -> bool:
        return isinstance(part, Text) and self.is_duplicate(lane, "answer", part.content)

    def _tool_call(self, thread: ConversationBuilder, piece: Piece) -> None:
        self.append_assistant(thread, [_call(piece.payload)], piece, model=self._model)

    def _tool_result(self, thread: ConversationBuilder, piece: Piece) -> None:
        result = as_dict(piece.payload.get("result"))
        answer, blobs = blocks.response(result.get("output"))
        call = as_str(piece.payload.get("toolCallId")) or None
        response = ToolCallResponse(call, answer, bool(result.get("isError")))
        note = as_str(result.get("note"))
        notes = [Extension("kimi.note", {"note": note})] if note else []
        self.add(thread, Role.TOOL, [response, *blobs, *notes], piece)

    def _parts(self, content: Any) -> list[Part]:
        if isinstance(content, str):
            return [Text(content)] if content else []
        return [self._block(block) for block in as_dicts(content)]

    def _block(self, block: dict[str, Any]) -> Part:
        kind = as_str(block.get("type"))
        if kind == "text":
            return Text(as_str(block.get("text")))
        if kind == "think":
            return Reasoning(as_str(block.get("think")) or as_str(block.get("text")))
        address = block.get("url") or as_dict(block.get("imageUrl") or block.get("image_url")).get(
            "url"
        )
        if (url := as_str(address)).startswith("data:") and ";base64," in url:
            mime, _, data = url[5:].partition(";base64,")
            return Blob(mime, data)
        if not kind.startswith(("image", "video", "audio", "file", "blob")):
            self.drift[f"part/{kind}"] += 1
        return Extension(f"kimi.{kind}", block)

    # -- what happened -------------------------------------------------------------------------

    def _step_end(self, thread: ConversationBuilder, piece: Piece) -> None:
        self.set_usage(thread, _usage(as_dict(piece.payload.get("usage"))), self._model)
        self.end(thread)

    def _failed(self, thread: ConversationBuilder, piece: Piece) -> None:
        words = as_str(piece.payload.get("message")) or as_str(piece.payload.get("errorMessage"))
        if piece.payload.get("reason") in (None, "error") and words:
            code = as_int(piece.payload.get("statusCode"))
            self.append_error(thread, words, piece, None if code is None else {"status": code})
        else:
            self._noted(thread, piece)

    def _compacted(self, thread: ConversationBuilder, piece: Piece) -> None:
        text = as_str(piece.payload.get("summary")) or as_str(piece.payload.get("contextSummary"))
        part = Text(text) if text else Extension("kimi.compaction", piece.payload)
        prompts = as_int(piece.payload.get("keptUserMessageCount"))
        what = "" if prompts is None else PROMPTS if prompts else NONE
        self.add(thread, Role.SYSTEM, [part], piece, meta=compacted(what))

    def _noted(self, thread: ConversationBuilder, piece: Piece) -> None:
        kind = as_str(piece.payload.get("type"))
        part = self.extension(kind, piece.payload, piece.span.length)
        self.add(thread, Role.SYSTEM, [part], piece)
        self.end(thread)

    _ACTS: ClassVar[dict[str, Callable[..., None]]] = {
        "context.append_message": _message,
        "content.part": _part,
        "tool.call": _tool_call,
        "tool.result": _tool_result,
        "step.end": _step_end,
        "turn.step.retrying": _failed,
        "turn.step.interrupted": _failed,
        "context.apply_compaction": _compacted,
        "context.undo": _noted,
        "context.clear": _noted,
        "forked": _noted,
    }


def _call(call: dict[str, Any]) -> ToolCall:
    function = as_dict(call.get("function"))
    call_input = call.get("args", call.get("arguments", function.get("arguments")))
    if isinstance(call_input, str):
        call_input = decode_lenient(call_input.encode()) if call_input[:1] == "{" else call_input
    name = as_str(call.get("name")) or as_str(function.get("name"))
    return ToolCall(
        as_str(call.get("toolCallId")) or as_str(call.get("id")) or None, name, call_input
    )


def _joined(parts: list[Part]) -> str:
    return "\n".join(part.content for part in parts if isinstance(part, Text))


def _usage(usage: dict[str, Any]) -> Usage | None:
    counted = [as_int(usage.get(k)) for k in ("inputOther", "inputCacheRead", "inputCacheCreation")]
    if not usage:
        return None
    return Usage(
        input_tokens=sum(count or 0 for count in counted),
        output_tokens=as_int(usage.get("output")),
        cache_read_input_tokens=counted[1],
        cache_creation_input_tokens=counted[2],
    )


class Kimi(SessionFileProvider):
    """Provider of `${KIMI_CODE_HOME:-~/.kimi-code}/sessions`."""

    agent = "kimi"
    parser_class = KimiParser

    def roots(self, home: Home) -> tuple[Path, ...]:
        """Kimi Code's folder."""
        return (home.folder("KIMI_CODE_HOME", ".kimi-code"),)

    def discover(self, home: Home) -> Iterator[Source]:
        """A source for each agent of each session."""
        (root,) = self.roots(home)
        for path in sorted(root.glob("sessions/*/*/agents/*/wire.jsonl")):
            session, who = path.parents[2].name, path.parent.name
            native = session if who == "main" else f"{session}/{who}"
            yield self.source(home, path, native)

    def facts(self, source: Source, stored: dict[str, Any]) -> dict[str, Any]:
        """Apply the current title and folder of `state.json`."""
        return {**stored, **_facts(source)}


PROVIDER = Kimi()
