"""What an agent tells through the Agent Client Protocol, put together as turns.

`AcpTurns` takes one `session/update` after the other: pieces of answers and thoughts, calls and how
they go on, plans, and prompts as agents replay or echo them. `acp_stream` reads the lines and calls
it. Calls that run are remembered, up to a bound. Pure; O(the update) each.

Tested in: tests/providers/formats/test_acp_stream.py
"""

from base64 import b64decode
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec

from dejavu.model import Extension, Part, Reasoning, Role, Span, Text
from dejavu.model.compaction import compacted

from . import acp
from .entries import first_str, joined_texts
from .json_lines import as_dict, as_dicts, as_str
from .streams.jsonl import LineParser
from .streams.partial_message import Answer, Piece

_REMEMBERED = 4096
_TERMINALS, _SHOWN = 64, 256 << 10  # terminals, and characters of what each shows
_MESSAGES = 64  # ids of messages that came, in pieces or whole


class TurnPosition(NamedTuple):
    """Where a line is in the raw, and when it passed (Unix seconds; None: it tells of before)."""

    span: Span
    at: float | None


class AcpTurns(LineParser):
    """The sessions of one process, each a conversation."""

    def memory(self) -> dict[str, Any]:
        """What must be remembered between feeds."""
        return {
            **super().memory(),
            "calls": self._calls,
            "sessions": self._sessions,
            "terminals": self._terminals,
        }

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse of `memory`."""
        super().remember(memory)
        self._calls: dict[str, dict[str, Any]] = memory.get("calls", {})
        """Calls by session and id: what was told of them; empty once they have ended."""
        self._sessions: dict[str, dict[str, Any]] = memory.get("sessions", {})
        """By id: `replay` while it is loaded, `asked` while a prompt is answered, `user`."""
        self._terminals: dict[str, str] = memory.get("terminals", {})
        """What terminals show, by session and id: the editor's, of version 2 the agent's own."""

    def session(self, native_id: str) -> dict[str, Any]:
        """What is known of a session."""
        session = self._sessions.setdefault(native_id, {})
        forget(self._sessions)
        return session

    def update(
        self, native_id: str, update: dict[str, Any], where: TurnPosition, line: memoryview
    ) -> None:
        """Take one update; of a replay of what is known, nothing."""
        replay = self.session(native_id).get("replay")
        if replay == "known" or not native_id:
            return
        if replay:
            where = TurnPosition(where.span, None)
        self.name(native_id)
        kind, sub = as_str(update.get("sessionUpdate")), parent_of(update)
        if kind in acp.WHOLE:
            if self._is_told(native_id, update):
                return
            kind += "_chunk"
            update = {**update, "sessionUpdate": kind}
        elif kind in acp.PIECES:
            self._note_told(native_id, update)
        if acp.PIECES.get(kind) is Role.USER:
            self._user(native_id, update, where)
        elif kind in acp.PIECES:
            self.end_user(native_id)
            self._said(update, where, sub)
        elif kind in ("tool_call", "tool_call_update"):
            self.end_user(native_id)
            self.call(native_id, update, where, sub)
        elif kind == "tool_call_content_chunk":
            self.call(native_id, self._with_content_before(native_id, update), where, sub)
        elif kind == "compaction_update" and update.get("status") == "completed":
            self.end_user(native_id)
            parts = acp.content_parts(update.get("summary") or [], self.source.agent, self.strange)
            self.append(Role.SYSTEM, parts, where.span, sub=sub, at=where.at, meta=compacted())
        elif kind in ("plan", "plan_update"):
            self._plan(update, where, sub)
        elif kind == "session_info_update":
            self.name(None, title=as_str(update.get("title")))
        elif kind == "config_option_update":
            self.model = model_of(update)
        elif kind in ("terminal_update", "terminal_output_chunk"):
            self._terminal_update(native_id, update)
        elif kind not in (*acp.SILENT, "compaction_update"):
            self.unknown(f"update/{kind}", line)

    def _with_content_before(self, native_id: str, update: dict[str, Any]) -> dict[str, Any]:
        """A piece of a call's content behind what was told of it."""
        key = f"{native_id}\0{as_str(update.get('toolCallId'))}"
        before = as_dicts(as_dict(as_dict(self._calls.get(key)).get("told")).get("content"))
        return {**update, "content": [*before, update.get("content")]}

    def terminal(self, native_id: str, terminal: str, shown: str) -> None:
        """What a terminal shows by now."""
        self._terminals[f"{native_id}\0{terminal}"] = shown[:_SHOWN]
        forget(self._terminals, _TERMINALS)

    def _terminal_update(self, native_id: str, update: dict[str, Any]) -> None:
        """All that a terminal of the agent shows (`output`), or what came to it (`data`)."""
        terminal, output = as_str(update.get("terminalId")), as_dict(update.get("output"))
        before = "" if output else self._terminals.get(f"{native_id}\0{terminal}", "")
        data = as_str(output.get("data")) or as_str(update.get("data"))
        with suppress(ValueError):
            text = b64decode(data).decode("utf-8", "replace")
            self.terminal(native_id, terminal, before + text)

    def _is_told(self, native_id: str, update: dict[str, Any]) -> bool:
        """Whether a message came before, whole or in pieces: then it says nothing new."""
        told: list[str] = self.session(native_id).get("told", [])
        if first_str(update, "messageId") in told:
            return True
        self._note_told(native_id, update)
        return False

    def _note_told(self, native_id: str, update: dict[str, Any]) -> None:
        session, message = self.session(native_id), first_str(update, "messageId")
        told: list[str] = session.get("told", [])
        if message and message not in told:
            session["told"] = [*told, message][-_MESSAGES:]

    def begun(self, where: TurnPosition, sub: str | None, message: str = "") -> Answer:
        """The assistant's turn in progress."""
        return self.answer(where.span, message or None, sub, at=where.at, model=self.model)

    def _said(self, update: dict[str, Any], where: TurnPosition, sub: str | None) -> None:
        """A piece of the answer."""
        answer = self.begun(where, sub, first_str(update, "messageId"))
        for part in acp.message_parts(update, self.source.agent, self.strange):
            if not isinstance(part, Text | Reasoning):
                _settle(answer)
                answer.add(part)
                continue
            kind = "text" if isinstance(part, Text) else "reasoning"
            last = next(reversed(answer.pieces.values()), None)
            if last is not None and last.kind == kind:
                last.content.append(part.content)
            else:
                answer.pieces[str(len(answer.pieces))] = Piece(kind, [part.content])
            answer.dirty = True

    def call(
        self, native_id: str, update: dict[str, Any], where: TurnPosition, sub: str | None
    ) -> dict[str, Any]:
        """A call as it is known by now, its result once it has ended; return what is known."""
        key = f"{native_id}\0{as_str(update.get('toolCallId'))}"
        entry = self._calls.setdefault(key, {"told": {}})
        forget(self._calls)
        if not entry:
            return update  # it has ended before
        told: dict[str, Any] = {
            **as_dict(entry.get("told")),
            **{name: value for name, value in update.items() if value is not None},
        }
        entry["told"] = told
        call = acp.tool_call(told)
        current = self.open_answer(sub)
        if not entry.get("shown"):
            current = self.begun(where, sub)
            _settle(current)
            current.add(call)
            entry["shown"] = True
        elif current is not None and _holds(current, call.id):
            current.reach(where.span)
            current.add(call)
        if acp.is_ended(told):
            own = f"{native_id}\0"
            shown = {
                key.removeprefix(own): text
                for key, text in self._terminals.items()
                if key.startswith(own)
            }
            results = acp.tool_response(told, shown)
            self.append(Role.TOOL, results, where.span, sub=sub, at=where.at)
            self._calls[key] = {}
        return told

    def _plan(self, update: dict[str, Any], where: TurnPosition, sub: str | None) -> None:
        """The plan as it is, in the place of the one before in the same turn."""
        answer = self.begun(where, sub)
        _settle(answer)
        plan = acp.plan(as_dict(update.get("plan")) or update, self.source.agent)
        others = [part for part in answer.turn.parts if getattr(part, "kind", "") != plan.kind]
        answer.note(parts=(*others, plan))

    # -- what a person said, as the agent tells it ---------------------------------------------

    def _user(self, native_id: str, update: dict[str, Any], where: TurnPosition) -> None:
        """A piece of a prompt: of one said before, or an echo of the one that is answered."""
        session, message = self.session(native_id), first_str(update, "messageId")
        waiting: dict[str, Any] = as_dict(session.get("user"))
        if waiting and message and waiting.get("message") not in ("", message):
            self.end_user(native_id)
            waiting = {}
        if not waiting:
            waiting = {"message": message, "at": where.at, "from": where.span.offset, "parts": []}
            session["user"] = waiting
        parts = acp.message_parts(update, self.source.agent, self.strange)
        waiting["parts"] += [msgspec.to_builtins(part) for part in parts]
        waiting["to"] = where.span.offset + where.span.length

    def end_user(self, native_id: str) -> None:
        """A prompt that came in pieces is whole; one that only echoes what was asked is dropped."""
        session = self.session(native_id)
        waiting = as_dict(session.pop("user", None))
        if not waiting:
            return
        parts = joined_texts(tuple(msgspec.convert(part, Part) for part in waiting["parts"]))
        text = text_of(parts).strip()
        if not parts or (text and text in as_str(session.get("asked"))):
            return
        self.name(native_id)
        self.end_answer()
        span = Span(waiting["from"], waiting["to"] - waiting["from"])
        self.add_prompt(parts, span, at=waiting["at"])

    def strange(self, kind: str) -> None:
        """Count content of a type that is not known."""
        self.drift[kind[:80]] += 1


def parent_of(update: dict[str, Any]) -> str | None:
    """The call of the sub-agent that an update is of, which agents put into their extension."""
    meta = as_dict(update.get("_meta"))
    inside = [meta, *map(as_dict, meta.values())]
    return next((name for one in inside if (name := first_str(one, "parentToolUseId"))), None)


def model_of(result: dict[str, Any]) -> str | None:
    """The model that a session's settings name."""
    named = as_str(as_dict(result.get("models")).get("currentModelId"))
    options = as_dicts(result.get("configOptions"))
    chosen = (as_str(one.get("currentValue")) for one in options if _is_model(one))
    return named or next((model for model in chosen if model not in ("", "default")), None)


def text_of(parts: tuple[Part, ...] | list[Part]) -> str:
    """The text in some parts."""
    return "".join(part.content for part in parts if isinstance(part, Text))


def forget(remembered: dict[str, Any], limit: int = _REMEMBERED) -> None:
    """Drop what is remembered the longest."""
    while len(remembered) > limit:
        del remembered[next(iter(remembered))]


def question(kind: str, data: dict[str, Any]) -> tuple[Part, ...]:
    """What a person is asked, in words with what was chosen, and as data."""
    outcome = data.get("chosen") or data.get("outcome")
    text = as_str(data.get("question")) + (f": {outcome}" if outcome else "")
    return Text(text), Extension(kind, data)


def _settle(answer: Answer) -> None:
    """What was said before something else is whole."""
    parts = tuple(part for piece in answer.pieces.values() if (part := piece.part()) is not None)
    if parts:
        answer.pieces.clear()
        answer.note(parts=(*answer.turn.parts, *parts))


def _holds(answer: Answer, call: str | None) -> bool:
    return any(getattr(part, "id", "") == call for part in answer.turn.parts)


def _is_model(option: dict[str, Any]) -> bool:
    return "model" in (option.get("category"), option.get("id"))
