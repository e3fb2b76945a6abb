"""Hooks in Claude Code's form, which Codex, Kimi, Qwen and Gemini took over with changes.

Parses payloads with a `hook_event_name` into turns: the prompt, the answer as it is displayed,
calls and their results, the last message of a run, errors. Never the thoughts: no hook has them.

Hooks of one moment run side by side, so payloads arrive a little out of order: a text that is
displayed just after its call was announced comes before it, and one that is displayed after the
end of the run adds nothing to the last message, which that end told whole.

Sources, read in November 2026: code.claude.com/docs/en/hooks, learn.chatgpt.com/docs/hooks,
moonshotai.github.io/kimi-code (customization/hooks), qwenlm.github.io/qwen-code-docs (hooks),
geminicli.com/docs/hooks/reference; shapes as recorded from Claude Code 2.1.330, Codex 0.169.0,
Kimi Code 2.1.0, Qwen Code 0.24.4 and Gemini CLI 0.61.0.
"""

from collections.abc import Iterable
from typing import Any, ClassVar

import msgspec

from dejavu.model import Extension, Part, Role, Span, Text, ToolCall, ToolCallResponse, Vector

from ..anthropic_messages import Detail
from ..json_lines import (
    UNREADABLE,
    as_dict,
    as_float,
    as_int,
    as_list,
    as_str,
    coerce,
    decode_lenient,
)
from ..streams.command_line import names
from ..streams.jsonl import LineParser
from ..streams.values import without_none, words

_RACE = 1.0  # seconds within which a displayed text still belongs before an announced call
_KEPT = 256  # ids of messages and calls that are remembered
_QUIET = names(
    "BeforeModel BeforeToolSelection ConfigChange CwdChanged Elicitation ElicitationResult "
    "FileChanged InstructionsLoaded Interrupt Notification PermissionDenied PermissionRequest "
    "PermissionResult PostToolBatch PreCompact PreCompress SessionEnd Setup SubagentStart "
    "TaskCompleted TaskCreated TeammateIdle UserPromptExpansion WorktreeCreate WorktreeRemove"
)


_NO_ANSWER = frozenset({"[no response text]", "(no content)"})
"""What agents put in the place of a last message that they do not have."""


class DisplayedAnswer(msgspec.Struct, array_like=True):
    """An answer as hooks tell it: texts by message and place, calls, the run's last message."""

    messages: dict[str, dict[int, str]] = {}
    calls: list[ToolCall] = []
    called_at: float | None = None
    last: str = ""

    def texts(self) -> list[str]:
        """What was displayed, message by message."""
        return ["".join(by[index] for index in sorted(by)) for by in self.messages.values()]

    def forget(self, message: str) -> None:
        """What was displayed in these words is elsewhere."""
        texts_by_message = dict(zip(self.messages, self.texts(), strict=True))
        self.messages = {
            key: by for key, by in self.messages.items() if texts_by_message[key] != message
        }

    def parts(self) -> Iterable[Part]:
        """The texts in their order, then the calls."""
        texts = self.texts()
        if self.last and not any(text == self.last for text in texts):
            if texts and self.last.startswith(texts[-1].rstrip()):
                texts.pop()
            texts.append(self.last)
        return (*(Text(text) for text in texts if text), *self.calls)


class PayloadParser(LineParser):
    """Turns from payloads. Subclasses name their agent's events and where things are in them."""

    vector = Vector.HOOK
    aliases: ClassVar[dict[str, str]] = {}
    """Claude Code's names for events that are called otherwise."""
    last_is_verbatim: ClassVar[bool] = True
    """Whether the end of a run has its last message word for word."""

    def memory(self) -> dict[str, Any]:
        """What must be remembered between feeds."""
        shown = {key: msgspec.to_builtins(answer) for key, answer in self._shown.items()}
        past = {"past": self._past, "called": self._called, "prompt": self._prompt}
        return {**super().memory(), "shown": shown, **past}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse of `memory`."""
        super().remember(memory)
        shown = memory.get("shown", {})
        self._shown = {
            key: msgspec.convert(answer, DisplayedAnswer, strict=False)
            for key, answer in shown.items()
        }
        self._past: list[str] = memory.get("past", [])
        """Messages of answers that are over: what is displayed of them now adds nothing."""
        self._called: list[str] = memory.get("called", [])
        """Calls that were told."""
        self._prompt: str = memory.get("prompt", "")

    def record(self, line: memoryview, span: Span) -> None:
        """Take one line."""
        value = as_dict(decode_lenient(line))
        if not value:
            self.drift[UNREADABLE] += 1
            return
        payload = as_dict(value.get("payload")) or value
        moment = value.get("t", value.get("at")) if "payload" in value else None
        sent_at = as_float(moment)
        at = self.at(span) if sent_at is None else sent_at
        if not self.event(payload, span, at):
            kind = as_str(payload.get("hook_event_name")) or as_str(payload.get("type"))
            self.unknown(kind or "(no type)", line)

    def event(self, payload: dict[str, Any], span: Span, at: float | None) -> bool:
        """Take one payload; False if it is not understood."""
        kind = as_str(payload.get("hook_event_name"))
        kind = self.aliases.get(kind, kind)
        sub = self.sub(payload)
        self.name(as_str(payload.get("session_id")), workspace=as_str(payload.get("cwd")))
        self.model = as_str(payload.get("model")) or self.model
        if kind == "UserPromptSubmit":
            self._asked_for(payload, span, at)
        elif kind == "MessageDisplay":
            index, more = as_int(payload.get("index")) or 0, as_str(payload.get("delta"))
            self.show(as_str(payload.get("message_id")), index, more, span, at, sub)
        elif kind == "PreToolUse":
            self.call(payload, span, at, sub)
        elif kind in ("PostToolUse", "PostToolUseFailure"):
            self._result(payload, span, at, sub, failed=kind != "PostToolUse")
        elif kind in ("Stop", "SubagentStop"):
            self._stop(payload, span, at, sub)
        elif kind == "StopFailure":
            message = as_str(payload.get("last_assistant_message")) or words(
                payload.get("error_message")
            )
            kind = as_str(payload.get("error")) or as_str(payload.get("error_type"))
            self.fail(message or kind or "error", span, sub=sub, at=at, **without_none(type=kind))
        elif kind == "PostCompact":
            data = without_none(
                trigger=payload.get("trigger"), summary=payload.get("compact_summary")
            )
            part = Extension(f"{self.source.agent}.compact_boundary", data)
            self.append(Role.SYSTEM, [part], span, sub=sub, at=at)
        elif kind == "SessionStart":
            if at is not None and self.thread().head.started_at is None:
                self.name(None, started_at=at)
        else:
            return kind in _QUIET
        return True

    # -- where things are ----------------------------------------------------------------------

    def sub(self, payload: dict[str, Any]) -> str | None:
        """The sub-agent that a payload is about, if it is about one."""
        return as_str(payload.get("agent_id")) or None

    def call_id(self, payload: dict[str, Any]) -> str | None:
        """The model's id of a tool call; some agents have their own next to it."""
        return as_str(payload.get("tool_call_id")) or as_str(payload.get("tool_use_id")) or None

    def output(self, payload: dict[str, Any]) -> Any:
        """What a tool gave."""
        answer = payload.get("tool_response", payload.get("tool_output"))
        return as_dict(answer).get("llmContent", answer)

    def last(self, payload: dict[str, Any]) -> str:
        """The last message of a run."""
        return as_str(payload.get("last_assistant_message")) or as_str(payload.get("response"))

    # -- turns ---------------------------------------------------------------------------------

    def end_answer(self, sub: str | None = None) -> None:
        """The turn in progress is whole: what comes next is another."""
        shown = self._shown.pop(self._key(sub), None)
        if shown is not None:
            self._past = [*self._past, *shown.messages][-_KEPT:]
        super().end_answer(sub)

    def show(
        self, message: str, index: int, more: str, span: Span, at: float | None, sub: str | None
    ) -> None:
        """A piece of a message, as it was displayed."""
        shown = self._shown.get(self._key(sub))
        if message in self._past:
            return
        if shown is not None and message not in shown.messages and not shown.last:
            since = None if at is None or shown.called_at is None else at - shown.called_at
            if since is not None and since > _RACE:
                self.end_answer(sub)
        shown = self._open(span, at, sub)
        shown.messages.setdefault(message, {})[index] = more
        self._compose(shown, span, sub)

    def call(self, payload: dict[str, Any], span: Span, at: float | None, sub: str | None) -> None:
        """A call, before it runs."""
        key = self.call_id(payload)
        if key is not None and key in self._called:
            return
        if key is not None:
            self._called = [*self._called, key][-_KEPT:]
        shown = self._open(span, at, sub)
        call = ToolCall(key, as_str(payload.get("tool_name")), payload.get("tool_input"))
        shown.calls.append(call)
        shown.called_at = at
        self._compose(shown, span, sub)

    def _open(self, span: Span, at: float | None, sub: str | None) -> DisplayedAnswer:
        """The answer in progress, or a new one."""
        self.answer(span, None, sub, at=at, model=self.model)
        return self._shown.setdefault(self._key(sub), DisplayedAnswer())

    def _compose(self, shown: DisplayedAnswer, span: Span, sub: str | None) -> None:
        self.answer(span, None, sub).note(parts=tuple(shown.parts()))

    def _asked_for(self, payload: dict[str, Any], span: Span, at: float | None) -> None:
        """A prompt; Qwen tells an empty one after each result, and a repeated hook is no second."""
        prompt = payload.get("prompt")
        parts = [Text(as_str(item.get("text"))) for item in map(as_dict, as_list(prompt))]
        content = [part for part in parts or [Text(as_str(prompt))] if part.content]
        key = as_str(payload.get("prompt_id")) or as_str(payload.get("turn_id"))
        replay_key = f"{self._main}\0{key}\0{content[0].content}" if key and content else ""
        if content and (not replay_key or replay_key != self._prompt):
            self.add_prompt(content, span, at=at)
            self._prompt = replay_key

    def _result(
        self,
        payload: dict[str, Any],
        span: Span,
        at: float | None,
        sub: str | None,
        *,
        failed: bool,
    ) -> None:
        key = self.call_id(payload)
        shown = self._shown.get(self._key(sub))
        waiting = shown is not None and any(call.id is None for call in shown.calls)
        if key not in self._called if key else not waiting:  # its call was not told: tell it now
            self.call(payload, span, at, sub)
        answer = words(payload.get("error")) if failed else self.output(payload)
        parts: list[Part] = [ToolCallResponse(key, answer, failed)]
        if diff := coerce(as_dict(payload.get("tool_response")), Detail).diff():
            parts.append(diff)
        self.append(Role.TOOL, parts, span, sub=sub, at=at)

    def _stop(self, payload: dict[str, Any], span: Span, at: float | None, sub: str | None) -> None:
        """The end of a run, with its last message."""
        last = self.last(payload)
        shown = self._shown.get(self._key(sub))
        if not last or last.strip() in _NO_ANSWER or (shown is not None and shown.last == last):
            return
        if shown is not None and shown.calls:  # their results were never told
            if shown.texts() == [last]:
                return
            shown.forget(last)
            self._compose(shown, span, sub)
            self.end_answer(sub)
        shown = self._open(span, at, sub)
        shown.last = last
        self._compose(shown, span, sub)
        if not self.last_is_verbatim:
            self.answer(span, None, sub).note(meta={"verbatim": False})
