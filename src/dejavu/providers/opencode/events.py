"""OpenCode's events, `{"type", "properties"}`: its server's `/event` stream and its plugins' hook.

Parses one event a line, bare or in an envelope (`{"t": moment, "payload": {...}}`), into prompts,
answers, thoughts, calls and results, session by session. A part comes again whole whenever it
changed, and in deltas between; what is drawn from a part whose answer is over is not drawn again,
so events that are told twice say nothing twice.

Source: packages/sdk/js types of OpenCode, and events recorded from 1.18.33.
"""

from collections.abc import Mapping
from typing import Any

from dejavu.model import (
    Extension,
    Relation,
    Role,
    Span,
    Text,
    conversation_id,
)

from ..formats.json_lines import UNREADABLE, as_dict, as_float, as_int, as_str, decode_lenient
from ..formats.streams.jsonl import LineParser
from ..formats.streams.partial_message import Piece
from ..formats.streams.values import without_none, words
from .parts import tool_call, tool_results, usage

_QUIET = (
    "catalog.", "command.", "file.", "global.", "ide.", "installation.", "integration.", "lsp.",
    "mcp.", "message.removed", "message.part.removed", "permission.", "plugin.", "project.", "pty.",
    "question.", "reference.", "server.", "session.deleted", "session.diff", "session.idle",
    "session.status", "todo.", "tui.", "vcs.", "workspace.", "worktree.",
)  # fmt: skip
_KEPT = 512  # ids of messages and parts that are remembered


class EventParser(LineParser):
    """Turns from events."""

    version = 2

    def memory(self) -> dict[str, Any]:
        """What must be remembered between feeds."""
        return {**super().memory(), "roles": self._roles, "past": self._past}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse of `memory`."""
        super().remember(memory)
        self._roles: dict[str, str] = memory.get("roles", {})
        """Roles by message; "" once a prompt was told."""
        self._past: list[str] = memory.get("past", [])
        """Parts of answers that are over."""

    def record(self, line: memoryview, span: Span) -> None:
        """Take one line."""
        value = as_dict(decode_lenient(line))
        if not value:
            self.drift[UNREADABLE] += 1
            return
        event = as_dict(value.get("payload")) or value
        moment = value.get("t") if "payload" in value else None
        sent_at = as_float(moment)
        at = self.at(span) if sent_at is None else sent_at
        kind = as_str(event.get("type"))
        properties = as_dict(event.get("properties"))
        if session(event):
            self.name(session(event))
        if kind in ("session.created", "session.updated"):
            self._session(as_dict(properties.get("info")))
        elif kind == "message.updated":
            self._message(as_dict(properties.get("info")), span)
        elif kind == "message.part.updated":
            self._part(as_dict(properties.get("part")), span, at, line)
        elif kind == "message.part.delta":
            self._delta(properties, span)
        elif kind == "session.error":
            error = as_dict(properties.get("error"))
            self.fail(words(error.get("data")) or words(error) or "error", span, at=at)
        elif kind == "session.compacted":
            self.append(Role.SYSTEM, [Extension("opencode.compact_boundary", {})], span, at=at)
        elif not kind.startswith(_QUIET) and "hook" not in event:
            self.unknown(kind or "(no type)", line)

    def _session(self, info: dict[str, Any]) -> None:
        self.name(
            None, workspace=as_str(info.get("directory")), agent_version=as_str(info.get("version")),
        )  # fmt: skip
        title, parent = as_str(info.get("title")), as_str(info.get("parentID"))
        if title and not title.startswith("New session - "):
            self.name(None, title=title)
        if parent:
            source = self.source
            up = conversation_id(source.agent, source.instance, parent)
            self.name(None, parent=up, relation=Relation.SUBAGENT)

    def _message(self, info: dict[str, Any], span: Span) -> None:
        """What is known of a message besides its parts."""
        key = as_str(info.get("id"))
        self._roles.setdefault(key, as_str(info.get("role")))
        for old in list(self._roles)[:-_KEPT]:
            del self._roles[old]
        current = self.open_answer()
        if current is not None and current.id == key:
            current.reach(span)
            meta = {**current.turn.meta, **without_none(stop_reason=as_str(info.get("finish")))}
            current.note(model=as_str(info.get("modelID")) or None, meta=meta)
            spent = as_int(as_dict(info.get("tokens")).get("input"))
            current.spend(usage(info) if spent else None)

    def _part(self, part: dict[str, Any], span: Span, at: float | None, line: memoryview) -> None:
        key, message = as_str(part.get("id")), as_str(part.get("messageID"))
        kind = as_str(part.get("type"))
        if key in self._past:
            return
        if self._roles.get(message) == "user":
            if kind == "text" and not part.get("synthetic") and part.get("text"):
                self._past = [*self._past, key][-_KEPT:]
                self.add_prompt([Text(as_str(part.get("text")))], span, at=at, native_id=message)
        elif kind in ("text", "reasoning"):
            answer = self.answer(span, message, at=at, native_id=message)
            answer.pieces[key] = Piece(kind, [as_str(part.get("text"))])
            answer.dirty = True
        elif kind == "tool":
            self._tool(part, span, at)
        elif kind not in ("step-start", "step-finish", "snapshot", "patch", "file", "agent"):
            self.unknown(f"part/{kind}", line)

    def _delta(self, properties: dict[str, Any], span: Span) -> None:
        current = self.open_answer()
        piece = (
            current.pieces.get(as_str(properties.get("partID"))) if current is not None else None
        )
        if current is not None and piece is not None and properties.get("field") == "text":
            piece.content.append(as_str(properties.get("delta")))
            current.reach(span)
            current.dirty = True

    def _tool(self, part: dict[str, Any], span: Span, at: float | None) -> None:
        """A call as soon as its arguments are known, its result once it ended."""
        key, state = as_str(part.get("callID")), as_dict(part.get("state"))
        if not state.get("input") and state.get("status") == "pending":
            return
        running = f"call:{key}"
        if running not in self._past:
            message = as_str(part.get("messageID"))
            answer = self.answer(span, message, at=at, native_id=message)
            self._whole()
            answer.add(tool_call(part))
            self._past = [*self._past, running][-_KEPT:]
        if results := tool_results(part):
            self.append(Role.TOOL, results, span, at=at)
            self._past = [*self._past, as_str(part.get("id"))][-_KEPT:]

    def _whole(self) -> None:
        """Texts before a call are whole."""
        current = self.open_answer()
        if current is not None:
            for piece in current.pieces.values():
                if (part := piece.part()) is not None:
                    current.add(part)
            self._past = [*self._past, *current.pieces][-_KEPT:]
            current.pieces.clear()

    def end_answer(self, sub: str | None = None) -> None:
        """The turn in progress is whole: what comes next is another."""
        current = self.open_answer(sub)
        if current is not None:
            self._past = [*self._past, *current.pieces][-_KEPT:]
        super().end_answer(sub)


def session(payload: Mapping[str, Any]) -> str:
    """The session's id."""
    properties = as_dict(payload.get("properties"))
    inside = as_dict(properties.get("info")) or as_dict(properties.get("part"))
    return (
        as_str(properties.get("sessionID"))
        or as_str(inside.get("sessionID"))
        or (as_str(inside.get("id")) if as_str(payload.get("type")).startswith("session.") else "")
    )
