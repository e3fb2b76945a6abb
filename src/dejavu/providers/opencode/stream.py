"""OpenCode, `opencode run --format json [--thinking] PROMPT`, and what its server tells.

Parses that stdout into turns: one line a finished part (`text`, `reasoning`, `tool_use`,
`step_start`, `step_finish`) or `error`, one answer a message, as its store keeps them. The prompt
is in argv only (its store puts quotes around a prompt with blanks). Shapes: recordings of 1.18.33.
Lines of the server's `/event` stream (`opencode.events`) are read as well.
"""

from typing import Any

import msgspec

from dejavu.model import (
    Reasoning,
    Role,
    Span,
    Text,
    ToolCall,
    ToolCallResponse,
    Usage,
    from_iso,
)

from ..formats.json_coerce import Count, as_dict
from ..formats.json_lines import UNREADABLE, decode_struct
from ..formats.streams.command_line import Options, names
from ..formats.streams.protocol import Stream
from ..formats.streams.values import without_none, words
from .events import EventParser

_QUIET = frozenset({"step_start", "snapshot", "patch"})


class ToolState(msgspec.Struct, frozen=True):
    """A tool's run."""

    status: str | None = None
    input: Any = None
    output: Any = None
    error: Any = None


class Cache(msgspec.Struct, frozen=True):
    """Tokens read from and written to the cache."""

    read: Count | None = None
    write: Count | None = None


class Tokens(msgspec.Struct, frozen=True):
    """A step's tokens; `input` is without what came from the cache."""

    input: Count | None = None
    output: Count | None = None
    reasoning: Count | None = None
    cache: Cache = Cache()


class Part(msgspec.Struct, frozen=True, rename="camel"):
    """A part of a message; which fields are set depends on the line's type."""

    id: str | None = None
    message_id: str | None = msgspec.field(default=None, name="messageID")
    text: str | None = None
    tool: str | None = None
    call_id: str | None = msgspec.field(default=None, name="callID")
    state: ToolState = ToolState()
    reason: str | None = None
    tokens: Tokens | None = None
    cost: float | None = None


class Line(msgspec.Struct, frozen=True):
    """One event."""

    type: str | None = None
    timestamp: float | None = None
    session_id: str | None = msgspec.field(default=None, name="sessionID")
    part: Part = Part()
    error: Any = None
    properties: Any = None
    """Of a server's event, as is `payload`."""
    payload: Any = None


_DECODER = msgspec.json.Decoder(Line)


class OpenCodeStreamParser(EventParser):
    """Turns from parts. A tool's line has both its call and its result, so results come after."""

    def record(self, line: memoryview, span: Span) -> None:
        """Take one line."""
        event = decode_struct(line, _DECODER)
        if event is None:
            self.drift[UNREADABLE] += 1
            return
        if event.properties is not None or event.payload is not None:
            super().record(line, span)
            return
        kind, part, at = event.type or "(no type)", event.part, from_iso(event.timestamp)
        self.name(event.session_id)
        if kind in ("text", "reasoning"):
            if part.text:
                content = Text(part.text) if kind == "text" else Reasoning(part.text)
                answer = self.answer(span, part.message_id, at=at, native_id=part.message_id)
                answer.add(content)
        elif kind == "tool_use":
            self._used(part, span, at)
        elif kind == "step_finish":
            current = self.open_answer()
            if current is not None and current.id == part.message_id:
                current.note(meta={**current.turn.meta, **without_none(stop_reason=part.reason)})
                current.spend(_usage(part))
        elif kind == "error":
            error = as_dict(event.error)
            data = as_dict(error.get("data"))
            text = words(data) or words(error) or "error"
            self.fail(text, span, name=error.get("name"), status=data.get("statusCode"))
        elif kind not in _QUIET:
            self.unknown(kind, line)

    def _used(self, part: Part, span: Span, at: float | None) -> None:
        state = part.state
        answer = self.answer(span, part.message_id, at=at, native_id=part.message_id)
        answer.add(ToolCall(part.call_id, part.tool or "", state.input))
        if state.status in ("completed", "error"):
            failed = state.status == "error"
            output = state.error if failed else state.output
            self.append(Role.TOOL, [ToolCallResponse(part.call_id, output, failed)], span, at=at)


def _usage(part: Part) -> Usage | None:
    tokens = part.tokens
    if tokens is None:
        return None
    read, written = tokens.cache.read, tokens.cache.write
    return Usage(
        input_tokens=None if tokens.input is None else tokens.input + (read or 0) + (written or 0),
        output_tokens=tokens.output,
        cache_read_input_tokens=read,
        cache_creation_input_tokens=written,
        reasoning_output_tokens=tokens.reasoning,
        cost=part.cost,
    )


OPTIONS = Options(
    valued=names(
        "--log-level --command --session -s --model -m --agent --format --title --attach "
        "--password -p --username -u --dir --port --variant"
    ),
    variadic=names("--file -f"),
    session=names("--session -s"),
    format={"--format": frozenset({"json"})},
    commands=(names("run"),),
    joined=True,
)


def accepts(line: dict[str, Any]) -> bool:
    """Whether this can be the first line of such a stream."""
    event = as_dict(line.get("payload")) or line
    kind = event.get("type")
    if isinstance(event.get("properties"), dict):  # as a JSON schema has them, too
        return isinstance(kind, str) and "." in kind
    return isinstance(line.get("sessionID"), str) and isinstance(kind, str)


STREAM = Stream(
    agent="opencode",
    parser_class=OpenCodeStreamParser,
    accepts=accepts,
    begins=(
        b'{"type":"step_start"',
        b'{"type":"text","timestamp"',
        b'{"type":"error","timestamp"',
        b'{"id":"evt_',
        b'{"t":',
    ),
    options=OPTIONS,
)
