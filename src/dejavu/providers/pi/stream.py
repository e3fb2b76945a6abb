"""Pi, `pi --mode json -p PROMPT`.

Parses that stdout into turns: the `session` header of its file, then the agent's events.
`message_end` has each message whole; `message_update` has what it grew by (and, again and again,
all of it so far, which is skipped). Shapes: recordings of 0.73.1 and its docs/json.md.
"""

from typing import Any

import msgspec

from dejavu.model import (
    Blob,
    Part,
    Reasoning,
    Role,
    Span,
    Text,
    ToolCall,
    ToolCallResponse,
    Usage,
    from_iso,
)

from ..formats.json_coerce import Count
from ..formats.json_lines import UNREADABLE, decode_struct
from ..formats.streams.command_line import Options, names
from ..formats.streams.jsonl import LineParser
from ..formats.streams.protocol import Stream
from ..formats.streams.values import without_none

_QUIET = names(
    "agent_end agent_settled agent_start auto_compaction_end auto_compaction_start auto_retry_end "
    "auto_retry_start compaction_end compaction_start extension_ui_request message_start "
    "queue_update session_info_changed thinking_level_changed tool_execution_end "
    "tool_execution_start tool_execution_update turn_end turn_start"
)
_PIECES = {"text_delta": "text", "thinking_delta": "reasoning"}


class Cost(msgspec.Struct, frozen=True):
    """US dollars."""

    total: float | None = None


class Tokens(msgspec.Struct, frozen=True, rename="camel"):
    """A response's tokens; `input` is without what came from the cache."""

    input: Count | None = None
    output: Count | None = None
    cache_read: Count | None = None
    cache_write: Count | None = None
    cost: Cost = Cost()

    def usage(self) -> Usage:
        """The same in the record's words."""
        read, written = self.cache_read or 0, self.cache_write or 0
        return Usage(
            input_tokens=None if self.input is None else self.input + read + written,
            output_tokens=self.output,
            cache_read_input_tokens=self.cache_read,
            cache_creation_input_tokens=self.cache_write,
            cost=self.cost.total,
        )


class Block(msgspec.Struct, frozen=True, rename="camel"):
    """A part of a message; which fields are set depends on `type`."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    arguments: Any = None
    data: str | None = None
    mime_type: str | None = None

    def part(self) -> Part | None:
        """The same in the record's words; None if it says nothing."""
        if self.type == "text":
            return Text(self.text) if self.text else None
        if self.type == "thinking":
            return Reasoning(self.thinking) if self.thinking else None
        if self.type == "toolCall":
            return ToolCall(self.id, self.name or "", self.arguments)
        if self.type == "image":
            return Blob(self.mime_type, self.data or "")
        return None


class Message(msgspec.Struct, frozen=True, rename="camel"):
    """A message; which fields are set depends on `role`."""

    role: str | None = None
    content: str | list[Block] | None = None
    timestamp: float | None = None
    model: str | None = None
    usage: Tokens | None = None
    stop_reason: str | None = None
    error_message: str | None = None
    response_id: str | None = None
    tool_call_id: str | None = None
    is_error: bool | None = None

    def parts(self) -> list[Part]:
        """Its content in the record's words."""
        content = self.content
        blocks = [Block("text", content)] if isinstance(content, str) else content or []
        return [part for block in blocks if (part := block.part()) is not None]


class Growth(msgspec.Struct, frozen=True, rename="camel"):
    """What a message grew by."""

    type: str | None = None
    content_index: int = 0
    delta: str | None = None


class Line(msgspec.Struct, frozen=True, rename="camel"):
    """One event, without its copies of the message so far."""

    type: str | None = None
    id: str | None = None
    cwd: str | None = None
    message: msgspec.Raw = msgspec.Raw(b"null")
    assistant_message_event: Growth | None = None


_DECODER = msgspec.json.Decoder(Line)
_MESSAGE = msgspec.json.Decoder(Message)


class PiStreamParser(LineParser):
    """Turns from messages."""

    def record(self, line: memoryview, span: Span) -> None:
        """Take one line."""
        event = decode_struct(line, _DECODER)
        if event is None:
            self.drift[UNREADABLE] += 1
            return
        kind = event.type or "(no type)"
        if kind == "session":
            self.name(event.id, workspace=event.cwd)
        elif kind == "message_end":
            self._message(decode_struct(bytes(event.message), _MESSAGE) or Message(), line, span)
        elif kind == "message_update":
            growth = event.assistant_message_event
            if growth is not None and growth.type in _PIECES:
                slot = growth.content_index
                self.answer(span).piece(slot, _PIECES[growth.type], growth.delta or "")
        elif kind not in _QUIET:
            self.unknown(kind, line)

    def _message(self, message: Message, line: memoryview, span: Span) -> None:
        at, parts = from_iso(message.timestamp), message.parts()
        if message.role == "user":
            self.add_prompt(parts, span, at=at)
        elif message.role == "assistant":
            if message.error_message and not parts:
                self.fail(message.error_message, span, at=at)
                return
            answer = self.answer(span)
            answer.pieces.clear()
            for part in parts:
                answer.add(part)
            answer.spend(message.usage.usage() if message.usage else None)
            meta = without_none(stop_reason=message.stop_reason, message_id=message.response_id)
            answer.note(at=at, model=message.model, meta={**answer.turn.meta, **meta})
            self.end_answer()
            if message.error_message:
                self.fail(message.error_message, span, at=at)
        elif message.role == "toolResult":
            texts = [part.content for part in parts if isinstance(part, Text)]
            blobs = [part for part in parts if isinstance(part, Blob)]
            failed = bool(message.is_error)
            response = ToolCallResponse(message.tool_call_id, "\n".join(texts), failed)
            self.append(Role.TOOL, [response, *blobs], span, at=at)
        else:
            self.unknown(f"message/{message.role}", line)


OPTIONS = Options(
    valued=names(
        "--provider --model --api-key --system-prompt --append-system-prompt --mode --session "
        "--fork --session-dir --models --tools -t --thinking --extension -e --skill "
        "--prompt-template --theme --export"
    ),
    optional=names("--list-models"),
    session=names("--session"),
    format={"--mode": frozenset({"json", "rpc"})},
)


def accepts(line: dict[str, Any]) -> bool:
    """Whether this can be the first line of such a stream."""
    kind = line.get("type")
    return kind == "agent_start" or (kind == "session" and "id" in line and "cwd" in line)


STREAM = Stream(
    agent="pi",
    parser_class=PiStreamParser,
    accepts=accepts,
    begins=(b'{"type":"session","version"', b'{"type":"agent_start"'),
    options=OPTIONS,
)
