"""Kimi Code: one append-only event log (`wire.jsonl`) for each agent of a session.

Takes `sessions/*/session_*/agents/*/wire.jsonl` below `${KIMI_CODE_HOME:-~/.kimi-code}`; gives the
main agent's conversation and one for each sub-agent. Protocols 1.1 to 1.5. What was said stands in
`context.*` records (prompts in `append_message`, the rest in `append_loop_event`); the interface's
events repeat it and are left out. Titles and folders come from `state.json` beside the agents.
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

from ..follow.append import read_plain
from ..formats import content_blocks as blocks
from ..formats.json_coerce import integer, mapping, rows, text
from ..formats.json_lines import UNREADABLE, plain
from ..message_assembler import AnswerParser, Piece
from ..parsing import MAIN
from ..protocol import Home, Source
from ..session_files import SessionFileProvider
from ..thread import Thread

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
        state = mapping(plain(read_plain(source.path.parents[2] / "state.json")))
    except (OSError, IndexError):
        return {}
    custom = mapping(state.get("custom"))
    facts = {
        "title": text(state.get("title")),
        "workspace": text(state.get("cwd")) or text(state.get("workDir")),
        "fork_of": text(state.get("forkedFrom")) or text(custom.get("forkedFrom")),
    }
    return {name: fact for name, fact in facts.items() if fact}


class KimiParser(AnswerParser):
    """One agent's log, one conversation."""

    def memory(self) -> dict[str, Any]:
        """Also: the model in use."""
        return {**super().memory(), "model": self._model}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse."""
        super().remember(memory)
        self._model: str | None = memory.get("model")

    def record(self, line: memoryview, span: Span) -> None:
        """Take one event."""
        value = plain(line)
        if not isinstance(value, dict):
            self.drift[UNREADABLE] += 1
            return
        record = mapping(value)
        kind = text(record.get("type"))
        thread = self._thread(record)
        piece = Piece(record, span, from_iso(record.get("time")))
        if kind == "context.append_loop_event":
            piece = piece._replace(payload=mapping(record.get("event")))
            kind = text(piece.payload.get("type"))
        act: Callable[..., None] | None = self._ACTS.get(kind)
        if act is not None:
            act(self, thread, piece)
        if kind in ("llm.request", "config.update", "profile.bind", "usage.record"):
            named = piece.payload.get("modelAlias") or piece.payload.get("model")
            self._model = text(named) or self._model
        elif act is None and kind not in _NOISE:
            self.keep(thread, kind or "(untyped)", line, span, at=piece.at)

    def _thread(self, record: dict[str, Any]) -> Thread:
        thread = self.threads.get(MAIN)
        if thread is None:
            native = self.source.native_id or self.source.path.parent.name
            session, _, agent = native.partition("/")
            fork = text(self.facts.get("fork_of"))
            relation = Relation.SUBAGENT if agent else Relation.FORK
            head = self.head(native, parent=session if agent else fork or None, relation=relation)
            thread = self.threads[MAIN] = Thread(head)
        told = mapping(record.get("environmentDisclosure"))
        folder = (
            text(self.facts.get("workspace")) or text(told.get("cwd")) or text(record.get("cwd"))
        )
        agents = "/" in thread.head.native_id
        title = "" if agents else text(self.facts.get("title"))
        self.amend(thread, title=title, workspace=thread.head.workspace or folder)
        return thread

    # -- what was said -------------------------------------------------------------------------

    def _message(self, thread: Thread, piece: Piece) -> None:
        message = mapping(piece.payload.get("message"))
        parts = self._parts(message.get("content"))
        native = text(message.get("id")) or None
        role, origin = text(message.get("role")), text(mapping(message.get("origin")).get("kind"))
        if role == "assistant":
            said = [part for part in parts if not self._told("message", part)]
            said += [_call(call) for call in rows(message.get("toolCalls"))]
            if said:
                self.say(thread, said, piece, native_id=native, model=self._model)
        elif role == "tool":
            answer = ToolCallResponse(text(message.get("toolCallId")) or None, _joined(parts))
            self.add(thread, Role.TOOL, [answer], piece, native_id=native)
        elif parts:
            injected = origin not in ("", "user") or role != "user"
            role_of = Role.SYSTEM if injected else Role.USER
            self.add(thread, role_of, parts, piece, native_id=native)

    def _part(self, thread: Thread, piece: Piece) -> None:
        parts = self._parts([piece.payload.get("part")])
        said = [part for part in parts if not self._told("loop", part)]
        if said:
            native = text(piece.payload.get("stepUuid")) or None
            self.say(thread, said, piece, native_id=native, model=self._model)

    def _told(self, lane: str, part: Part) -> bool:
        return isinstance(part, Text) and self.heard(lane, "answer", part.content)

    def _tool_call(self, thread: Thread, piece: Piece) -> None:
        self.say(thread, [_call(piece.payload)], piece, model=self._model)

    def _tool_result(self, thread: Thread, piece: Piece) -> None:
        result = mapping(piece.payload.get("result"))
        answer, blobs = blocks.response(result.get("output"))
        call = text(piece.payload.get("toolCallId")) or None
        response = ToolCallResponse(call, answer, bool(result.get("isError")))
        note = text(result.get("note"))
        beside = [Extension("kimi.note", {"note": note})] if note else []
        self.add(thread, Role.TOOL, [response, *blobs, *beside], piece)

    def _parts(self, content: Any) -> list[Part]:
        if isinstance(content, str):
            return [Text(content)] if content else []
        return [self._block(block) for block in rows(content)]

    def _block(self, block: dict[str, Any]) -> Part:
        kind = text(block.get("type"))
        if kind == "text":
            return Text(text(block.get("text")))
        if kind == "think":
            return Reasoning(text(block.get("think")) or text(block.get("text")))
        address = block.get("url") or mapping(block.get("imageUrl") or block.get("image_url")).get(
            "url"
        )
        if (url := text(address)).startswith("data:") and ";base64," in url:
            mime, _, data = url[5:].partition(";base64,")
            return Blob(mime, data)
        if not kind.startswith(("image", "video", "audio", "file", "blob")):
            self.drift[f"part/{kind}"] += 1
        return Extension(f"kimi.{kind}", block)

    # -- what happened -------------------------------------------------------------------------

    def _step_end(self, thread: Thread, piece: Piece) -> None:
        self.spend(thread, _usage(mapping(piece.payload.get("usage"))), self._model)
        self.end(thread)

    def _failed(self, thread: Thread, piece: Piece) -> None:
        words = text(piece.payload.get("message")) or text(piece.payload.get("errorMessage"))
        if piece.payload.get("reason") in (None, "error") and words:
            code = integer(piece.payload.get("statusCode"))
            self.fail(thread, words, piece, None if code is None else {"status": code})
        else:
            self._noted(thread, piece)

    def _compacted(self, thread: Thread, piece: Piece) -> None:
        said = text(piece.payload.get("summary")) or text(piece.payload.get("contextSummary"))
        part = Text(said) if said else Extension("kimi.compaction", piece.payload)
        self.add(thread, Role.SYSTEM, [part], piece, meta={"compact_summary": True})

    def _noted(self, thread: Thread, piece: Piece) -> None:
        kind = text(piece.payload.get("type"))
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
    function = mapping(call.get("function"))
    given = call.get("args", call.get("arguments", function.get("arguments")))
    if isinstance(given, str):
        given = plain(given.encode()) if given[:1] == "{" else given
    name = text(call.get("name")) or text(function.get("name"))
    return ToolCall(text(call.get("toolCallId")) or text(call.get("id")) or None, name, given)


def _joined(parts: list[Part]) -> str:
    return "\n".join(part.content for part in parts if isinstance(part, Text))


def _usage(usage: dict[str, Any]) -> Usage | None:
    counted = [
        integer(usage.get(k)) for k in ("inputOther", "inputCacheRead", "inputCacheCreation")
    ]
    if not usage:
        return None
    return Usage(
        input_tokens=sum(count or 0 for count in counted),
        output_tokens=integer(usage.get("output")),
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
        """`state.json` gives the title and the folder as they are now."""
        return {**stored, **_facts(source)}


PROVIDER = Kimi()
