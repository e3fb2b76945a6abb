"""Gemini CLI, `gemini -p PROMPT --output-format stream-json`.

Parses that stdout into turns. Lines are `init`, `message` (the answer in deltas), `tool_use`,
`tool_result`, `error`, `result`. Thoughts are not in it. The session
file has messages instead, so the two have no record in common. Shapes: recordings of 0.61.0.
"""

from typing import Any

import msgspec

from dejavu.model import Role, Span, Text, ToolCall, ToolCallResponse, Usage, from_iso

from ..formats.json_lines import UNREADABLE, Count, decode_struct
from ..formats.streams.command_line import Options, names
from ..formats.streams.jsonl import LineParser
from ..formats.streams.protocol import Stream


class Stats(msgspec.Struct, frozen=True):
    """A run's tokens."""

    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cached: Count | None = None


class Failure(msgspec.Struct, frozen=True):
    """What went wrong."""

    type: str | None = None
    message: str = ""


class GeminiLine(msgspec.Struct, frozen=True):
    """One event; which fields are set depends on `type`."""

    type: str | None = None
    timestamp: str | None = None
    session_id: str | None = None
    model: str | None = None
    role: str | None = None
    content: str | None = None
    delta: bool | None = None
    tool_name: str | None = None
    tool_id: str | None = None
    parameters: Any = None
    status: str | None = None
    output: Any = None
    severity: str | None = None
    message: str | None = None
    error: Failure | None = None
    stats: Stats | None = None


_DECODER = msgspec.json.Decoder(GeminiLine)


class GeminiStreamParser(LineParser):
    """Turns from events. Deltas of one text follow each other; any other event ends it."""

    def record(self, line: memoryview, span: Span) -> None:
        """Take one line."""
        event = decode_struct(line, _DECODER)
        if event is None:
            self.drift[UNREADABLE] += 1
            return
        kind, at = event.type or "(no type)", from_iso(event.timestamp)
        if kind == "init":
            self.model = event.model or self.model
            self.name(event.session_id)
        elif kind == "message":
            self._message(event, span, at)
        elif kind == "tool_use":
            answer = self.answer(span, at=at, model=self.model)
            self._whole()
            answer.add(ToolCall(event.tool_id, event.tool_name or "", event.parameters))
        elif kind == "tool_result":
            failed = event.status == "error"
            output = event.error.message if failed and event.error else event.output
            response = ToolCallResponse(event.tool_id, output, failed)
            self.append(Role.TOOL, [response], span, at=at)
        elif kind == "error":
            self.fail(event.message or (event.error.message if event.error else ""), span, at=at)
        elif kind == "result":
            self._result(event, span, at)
        else:
            self.unknown(kind, line)

    def _message(self, event: GeminiLine, span: Span, at: float | None) -> None:
        text = event.content or ""
        if event.role == "user":
            self.add_prompt([Text(text)], span, at=at)
            return
        answer = self.answer(span, at=at, model=self.model)
        if event.delta:
            answer.piece("text", "text", text)
        else:
            self._whole()
            answer.add(Text(text))

    def _whole(self) -> None:
        """The text that came in deltas is whole now."""
        current = self.open_answer()
        piece = current.pieces.pop("text", None) if current else None
        if current is not None and piece is not None and (part := piece.part()) is not None:
            current.add(part)

    def _result(self, event: GeminiLine, span: Span, at: float | None) -> None:
        self._whole()
        if event.status == "error":
            error = event.error or Failure()
            self.fail(error.message or "error", span, at=at)
        current, stats = self.open_answer(), event.stats
        if current is not None and stats is not None:
            usage = Usage(
                input_tokens=stats.input_tokens,
                output_tokens=stats.output_tokens,
                cache_read_input_tokens=stats.cached,
            )
            current.note(usage=usage, meta={**current.turn.meta, "usage_of": "run"})


OPTIONS = Options(
    valued=names(
        "--model -m --prompt -p --prompt-interactive -i --approval-mode --policy --admin-policy "
        "--session-file --session-id --delete-session --output-format -o"
    ),
    optional=names("--resume -r --worktree -w"),
    variadic=names(
        "--allowed-mcp-server-names --allowed-tools --extensions -e --include-directories"
    ),
    prompt=names("--prompt -p --prompt-interactive -i"),
    session=names("--session-id"),
    format={"--output-format": frozenset({"stream-json"}), "-o": frozenset({"stream-json"})},
    joined=True,
)


def accepts(line: dict[str, Any]) -> bool:
    """Whether this can be the first line of such a stream."""
    return line.get("type") == "init" and "session_id" in line and "timestamp" in line


STREAM = Stream(
    agent="gemini",
    parser_class=GeminiStreamParser,
    accepts=accepts,
    begins=(b'{"type":"init","timestamp"',),
    options=OPTIONS,
)
