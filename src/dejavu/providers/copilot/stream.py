"""GitHub Copilot CLI, `copilot -p PROMPT --output-format json`.

Parses that stdout into turns: the events of its session file (`type`, `data`, `id`, `timestamp`)
with deltas and notes between them. The session's id comes in the last line, `result`, so turns are
held back until then. Shapes: recordings of 1.0.102.
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
    from_iso,
)

from ..formats.json_coerce import Count
from ..formats.json_lines import UNREADABLE, decode_struct
from ..formats.streams.command_line import Options, names
from ..formats.streams.jsonl import LineParser
from ..formats.streams.protocol import Stream
from ..formats.streams.values import arguments, words

_QUIET = (
    "abort", "assistant.idle", "assistant.intent", "assistant.message_start", "assistant.streaming",
    "assistant.tool_call_delta", "assistant.turn_", "assistant.usage", "hook.", "model.",
    "pending_messages", "permission.", "session.", "subagent.", "tool.execution_partial_result",
    "tool.execution_progress", "tool.execution_start", "tool.shell_output", "tool.user_requested",
)  # fmt: skip
"""How types begin that say nothing a person said or read."""


class Request(msgspec.Struct, frozen=True, rename="camel"):
    """A tool asked for."""

    tool_call_id: str | None = None
    name: str = ""
    arguments: Any = None


class Result(msgspec.Struct, frozen=True, rename="camel"):
    """What a tool gave."""

    content: Any = None
    detailed_content: Any = None


class Data(msgspec.Struct, frozen=True, rename="camel"):
    """An event's data; which fields are set depends on its type."""

    session_id: str | None = None
    message_id: str | None = None
    reasoning_id: str | None = None
    content: str | None = None
    delta_content: str | None = None
    reasoning_text: str | None = None
    model: str | None = None
    tool_requests: list[Request] | None = None
    tool_call_id: str | None = None
    parent_tool_call_id: str | None = None
    success: bool | None = None
    result: Result | None = None
    error: Any = None
    message: str | None = None
    status_code: int | None = None
    output_tokens: Count | None = None
    cwd: str | None = None
    copilot_version: str | None = None


class Line(msgspec.Struct, frozen=True, rename="camel"):
    """One event."""

    type: str | None = None
    id: str | None = None
    timestamp: str | None = None
    session_id: str | None = None
    data: Data = Data()


_DECODER = msgspec.json.Decoder(Line)


class CopilotStreamParser(LineParser):
    """Turns from events. A message is an answer; reasoning comes before it, or only in it."""

    def record(self, line: memoryview, span: Span) -> None:
        """Take one line."""
        event = decode_struct(line, _DECODER)
        if event is None:
            self.drift[UNREADABLE] += 1
            return
        kind, data, at = event.type or "(no type)", event.data, from_iso(event.timestamp)
        sub = data.parent_tool_call_id
        if kind == "result":
            self.name(event.session_id)
        elif kind == "session.start":
            self.name(data.session_id, workspace=data.cwd, agent_version=data.copilot_version)
        elif kind == "user.message":
            if data.content:
                self.add_prompt([Text(data.content)], span, sub=sub, at=at, native_id=event.id)
        elif kind == "assistant.message":
            self._message(event, span, at)
        elif kind in ("assistant.message_delta", "assistant.reasoning_delta"):
            self._delta(kind, data, span, sub, at)
        elif kind == "tool.execution_complete":
            self._tool(event, span, at)
        elif kind == "session.error":
            self.fail(
                data.message or "error", span, at=at, native_id=event.id, status=data.status_code
            )
        elif kind != "assistant.reasoning" and not kind.startswith(_QUIET):
            self.unknown(kind, line)

    def _delta(self, kind: str, data: Data, span: Span, sub: str | None, at: float | None) -> None:
        thought = kind == "assistant.reasoning_delta"
        answer = self.answer(span, None if thought else data.message_id, sub, at=at)
        slot = data.reasoning_id if thought else data.message_id
        answer.piece(slot or kind, "reasoning" if thought else "text", data.delta_content or "")

    def _message(self, event: Line, span: Span, at: float | None) -> None:
        data = event.data
        answer = self.answer(span, data.message_id, data.parent_tool_call_id, at=at)
        thought = data.reasoning_text or "".join(
            "".join(piece.content) for piece in answer.pieces.values() if piece.kind == "reasoning"
        )
        answer.pieces.clear()
        if thought:
            answer.add(Reasoning(thought))
        if data.content:
            answer.add(Text(data.content))
        for call in data.tool_requests or ():
            answer.add(ToolCall(call.tool_call_id, call.name, arguments(call.arguments)))
        answer.note(native_id=event.id, at=at, model=data.model)

    def _tool(self, event: Line, span: Span, at: float | None) -> None:
        data = event.data
        failed = data.success is False
        output = data.result.content if data.result is not None else None
        if failed and output is None:
            output = words(data.error)
        response = ToolCallResponse(data.tool_call_id, output, failed)
        sub = data.parent_tool_call_id
        self.append(Role.TOOL, [response], span, sub=sub, at=at, native_id=event.id)


OPTIONS = Options(
    valued=names(
        "--interactive -i --prompt -p --model --reasoning-effort --effort --context --auto-tier "
        "--agent --name -n --session-id -C --log-dir --extension-sdk-path --log-level --stream "
        "--output-format --add-dir --attachment --disable-mcp-server --enable-mcp-server "
        "--add-github-mcp-toolset --add-github-mcp-tool --plugin-dir --additional-mcp-config "
        "--mcp-github-auth --max-autopilot-continues --mode --environment-host "
        "--environment-compute-id --dynamic-retrieval --max-ai-credits --usage-output-file"
    ),
    optional=names("--resume -r --connect --share --bash-env --mouse"),
    variadic=names(
        "--allow-tool --deny-tool --available-tools --excluded-tools --secret-env-vars --allow-url "
        "--deny-url"
    ),
    prompt=names("--prompt -p --interactive -i"),
    session=names("--session-id --resume -r"),
    format={"--output-format": frozenset({"json"})},
)


def accepts(line: dict[str, Any]) -> bool:
    """Whether this can be the first line of such a stream."""
    kind = line.get("type")
    return isinstance(kind, str) and "." in kind and isinstance(line.get("data"), dict)


STREAM = Stream(
    agent="copilot",
    parser_class=CopilotStreamParser,
    accepts=accepts,
    begins=(b'{"type":"session.', b'{"type":"user.message"'),
    options=OPTIONS,
)
