"""Streams of Anthropic messages, as Claude Code prints them and Qwen Code and Amp took over.

Parses lines `system`, `user`, `assistant`, `stream_event`, `result` into turns cut where a session
file cuts them: an assistant's turn is one message, every line of results is a tool's turn.

* With partial messages a text comes as deltas first and whole afterwards: the whole block takes
  the place of its deltas, so what was cut off in the middle is kept and nothing is there twice.
* `result` says the last answer again; it is a turn only where no other line said it, which is so
  for a run that prints nothing but its result.
* Lines with a `parent_tool_use_id` belong to a sub-agent, whose conversation has that id.

Shapes: Claude Code 2.1.330, Qwen Code 0.24.4 and Amp of January 2026, as recorded from them.
"""

from typing import Any, ClassVar

import msgspec

from dejavu.model import (
    Extension,
    Part,
    Role,
    Span,
    Text,
    ToolCallResponse,
    from_iso,
)

from ..anthropic_messages import (
    ContentBlock,
    Detail,
    Message,
    Tokens,
    answer_parts,
    blocks_of,
    prompt_parts,
    response,
)
from ..json_lines import UNREADABLE, as_dict, as_list, coerce, decode_lenient, decode_struct
from .command_line import names
from .jsonl import LineParser
from .partial_message import Answer
from .values import without_none, words

_QUIET = names(
    "api_retry auth_status compact_result control_cancel_request control_request control_response "
    "files_persisted hook_progress hook_response hook_started keep_alive local_command_output "
    "post_turn_summary prompt_suggestion rate_limit_event session_state_changed status "
    "task_notification task_progress task_started thinking_tokens tool_progress tool_use_summary"
)
"""Types, and subtypes of `system`, that say nothing a person said or read."""
_KINDS = {"text": "text", "thinking": "reasoning", "tool_use": "tool_call"}


class Delta(msgspec.Struct, frozen=True):
    """What a block grew by, or a message's last facts."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    partial_json: str | None = None
    stop_reason: str | None = None


class StreamEvent(msgspec.Struct, frozen=True):
    """An event of the Messages API's stream."""

    type: str | None = None
    index: int = 0
    message: Message | None = None
    content_block: ContentBlock | None = None
    delta: Delta | None = None
    usage: Tokens | None = None


_VERSION_SUFFIX = "_code_version"  # after the agent's name


class MessageLine(msgspec.Struct, frozen=True):
    """One line; which fields are set depends on `type`."""

    type: str | None = None
    subtype: str | None = None
    session_id: str | None = None
    uuid: str | None = None
    parent_tool_use_id: str | None = None
    timestamp: str | None = None
    cwd: str | None = None
    model: str | None = None
    message: Message | None = None
    event: StreamEvent | None = None
    tool_use_result: Detail | str | list[msgspec.Raw] | None = None
    is_meta: bool | None = msgspec.field(default=None, name="isMeta")
    is_synthetic: bool | None = msgspec.field(default=None, name="isSynthetic")
    is_api_error_message: bool | None = None
    api_error_status: int | None = None
    api_error_type: str | None = None
    is_error: bool | None = None
    result: Any = None
    error: Any = None
    errors: list[str] | None = None


_DECODER = msgspec.json.Decoder(MessageLine)


class MessagesParser(LineParser):
    """Turns from lines of Anthropic messages."""

    ids_name_messages: ClassVar[bool] = True
    """Whether `message.id` is the response's; else each line has its own."""

    def memory(self) -> dict[str, Any]:
        """What must be remembered between feeds."""
        return {**super().memory(), "spoke": self._spoke}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse of `memory`."""
        super().remember(memory)
        self._spoke = bool(memory.get("spoke", False))
        """Whether the assistant said anything in this run."""

    def record(self, line: memoryview, span: Span) -> None:
        """Take one line."""
        if bytes(line[:1]) == b"[":  # `--output-format json --verbose`: all lines as one list
            for item in as_list(decode_lenient(line)):
                self._take(coerce(as_dict(item), MessageLine), line, span)
            return
        record = decode_struct(line, _DECODER)
        if record is None:
            self.drift[UNREADABLE] += 1
        else:
            self._take(record, line, span)

    def _take(self, line: MessageLine, raw: memoryview, span: Span) -> None:
        kind = line.type or "(no type)"
        if line.session_id and (line.parent_tool_use_id is None):
            self.name(line.session_id)
        if kind == "assistant":
            self._assistant(line, raw, span)
        elif kind == "user":
            self._user(line, span)
        elif kind == "stream_event":
            self._event(line, raw, span)
        elif kind == "result":
            self._result(line, span)
        elif kind == "system" and line.subtype == "init":
            init = as_dict(decode_lenient(raw))
            versions = (value for name, value in init.items() if name.endswith(_VERSION_SUFFIX))
            version = next((value for value in versions if isinstance(value, str)), None)
            self.model = line.model or self.model
            self.name(line.session_id, workspace=line.cwd, agent_version=version)
        elif kind == "system" and line.subtype == "compact_boundary":
            data = as_dict(as_dict(decode_lenient(raw)).get("compact_metadata"))
            part = Extension(f"{self.source.agent}.compact_boundary", data)
            self.append(Role.SYSTEM, [part], span, native_id=line.uuid)
        elif (line.subtype if kind == "system" else kind) not in _QUIET:
            self.unknown(f"{kind}/{line.subtype}" if kind == "system" else kind, raw)

    # -- answers -------------------------------------------------------------------------------

    def _assistant(self, line: MessageLine, raw: memoryview, span: Span) -> None:
        message = line.message or Message()
        blocks = blocks_of(message.content)
        if line.is_api_error_message:
            text = "\n".join(block.text for block in blocks if block.text)
            self.fail(
                text, span, sub=line.parent_tool_use_id, at=from_iso(line.timestamp),
                native_id=line.uuid, status=line.api_error_status, type=line.api_error_type,
            )  # fmt: skip
            return
        answer = self._answer(line, message, span, whole=True)
        answer.drop(len(blocks))
        self._spoke = self._spoke or line.parent_tool_use_id is None
        for block in blocks:
            parts = answer_parts(block)
            for part in self._strange(block, raw) if parts is None else parts:
                answer.add(part)
        answer.spend(message.usage.usage() if message.usage else None)

    def _answer(self, line: MessageLine, message: Message, span: Span, *, whole: bool) -> Answer:
        """The turn of this message; a whole block joins the deltas that came without an id."""
        sub = line.parent_tool_use_id
        key = message.id if self.ids_name_messages else None
        current = self.open_answer(sub)
        if current is not None and whole and current.pieces and not current.turn.parts:
            current.id = key
        model = None if message.model == "<synthetic>" else message.model or self.model
        meta = without_none(message_id=message.id, stop_reason=message.stop_reason)
        answer = self.answer(
            span, key, sub, at=from_iso(line.timestamp), native_id=line.uuid, meta=meta
        )
        if whole and not answer.turn.parts:  # the file's turn has the id of the first whole block
            answer.note(native_id=line.uuid, at=from_iso(line.timestamp))
        answer.note(model=model, meta={**answer.turn.meta, **meta})
        return answer

    def _strange(self, block: ContentBlock, raw: memoryview) -> list[Part]:
        self.unknown(f"block/{block.type}", raw)
        return [Extension(f"{self.source.agent}.{block.type}", {"text": block.text})]

    def _event(self, line: MessageLine, raw: memoryview, span: Span) -> None:
        event = line.event or StreamEvent()
        kind = event.type
        if kind == "message_start":
            message = event.message or Message()
            answer = self._answer(line, message, span, whole=False)
            answer.spend(message.usage.usage() if message.usage else None)
            return
        if kind not in _EVENTS:
            if kind not in ("ping", "message_stop", "goal_state"):
                self.unknown(f"event/{kind}", raw)
            return
        current = self.open_answer(line.parent_tool_use_id)
        answer = current or self._answer(line, Message(), span, whole=False)
        answer.reach(span)
        block, delta = event.content_block, event.delta or Delta()
        if kind == "content_block_start" and block is not None:
            start = block.text or block.thinking or ""
            kind = _KINDS.get(block.type or "", "text")
            answer.piece(event.index, kind, start, id=block.id, name=block.name or "")
        elif kind == "content_block_delta":
            text = delta.text or delta.thinking or delta.partial_json
            if text and str(event.index) in answer.pieces:
                answer.piece(event.index, "text", text)
                self._spoke = self._spoke or line.parent_tool_use_id is None
        elif kind == "message_delta":
            answer.spend(event.usage.usage() if event.usage else None)
            answer.note(meta={**answer.turn.meta, **without_none(stop_reason=delta.stop_reason)})

    # -- prompts, tools, the end ---------------------------------------------------------------

    def _user(self, line: MessageLine, span: Span) -> None:
        blocks = blocks_of(line.message.content if line.message else None)
        sub, at = line.parent_tool_use_id, from_iso(line.timestamp)
        tools: list[Part] = []
        injected = bool(line.is_meta or line.is_synthetic)
        for block in blocks:
            if block.type == "tool_result":
                answer, blobs = response(self.unpacked(block.content))
                tools += [ToolCallResponse(block.tool_use_id, answer, bool(block.is_error)), *blobs]
        said = [block for block in blocks if block.type != "tool_result"]
        message_parts, around = prompt_parts(said, injected=injected)
        detail = line.tool_use_result
        if tools:
            if isinstance(detail, Detail) and (diff := detail.diff()):
                tools.append(diff)
            agent = detail.agent_id if isinstance(detail, Detail) else None
            meta = without_none(agent_id=agent)
            self.append(Role.TOOL, tools, span, sub=sub, at=at, native_id=line.uuid, meta=meta)
        if message_parts and not injected:
            self.add_prompt([*message_parts, *around], span, sub=sub, at=at, native_id=line.uuid)
        elif message_parts or around:
            parts = [*message_parts, *around]
            self.append(Role.SYSTEM, parts, span, sub=sub, at=at, native_id=line.uuid)

    def unpacked(self, content: Any) -> Any:
        """A tool's result as its session file has it; Amp wraps it once more."""
        return content

    def _result(self, line: MessageLine, span: Span) -> None:
        """The end of a run: its error, and its answer if that was said nowhere else."""
        text = line.result if isinstance(line.result, str) else ""
        if line.is_error or (line.subtype or "success") != "success":
            message = words(line.error) or "; ".join(line.errors or ()) or text
            self.fail(message or line.subtype or "error", span, subtype=line.subtype)
        elif text and not self._spoke:
            answer = self.answer(span, native_id=line.uuid, model=self.model)
            answer.add(Text(text))
        self._spoke = False


_EVENTS = frozenset(
    {"content_block_start", "content_block_delta", "content_block_stop", "message_delta"}
)


def accepts(line: dict[str, Any]) -> bool:
    """Whether this can be the first line of such a stream."""
    kind = line.get("type")
    if kind in ("system", "result", "user", "assistant", "stream_event"):
        return "session_id" in line
    return kind in ("control_response", "rate_limit_event") and "uuid" in line
