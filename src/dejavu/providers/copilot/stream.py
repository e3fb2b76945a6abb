"""GitHub Copilot CLI, `copilot -p PROMPT --output-format json`.

Parses that stdout into turns: the events of its session file (`type`, `data`, `id`, `timestamp`)
with deltas and notes between them. The session's id comes in the last line, `result`, so turns are
held back until then. Shapes: recordings of 1.0.102.
"""

from typing import Any

from dejavu.model import (
    Role,
    Span,
    Text,
    from_iso,
)

from ..formats.json_lines import UNREADABLE, as_dict, as_str, decode_lenient
from ..formats.streams.command_line import Options, names
from ..formats.streams.jsonl import LineParser
from ..formats.streams.protocol import Stream
from .records import answer_parts, error_facts, result_parts

_QUIET = (
    "abort", "assistant.idle", "assistant.intent", "assistant.message_start", "assistant.streaming",
    "assistant.tool_call_delta", "assistant.turn_", "assistant.usage", "hook.", "model.",
    "pending_messages", "permission.", "session.", "subagent.", "tool.execution_partial_result",
    "tool.execution_progress", "tool.execution_start", "tool.shell_output", "tool.user_requested",
)  # fmt: skip
"""How types begin that say nothing a person said or read."""


class CopilotStreamParser(LineParser):
    """Turns from events. A message is an answer; reasoning comes before it, or only in it."""

    version = 2

    def record(self, line: memoryview, span: Span) -> None:
        """Take one line."""
        event = as_dict(decode_lenient(line))
        if not event:
            self.drift[UNREADABLE] += 1
            return
        kind, data = as_str(event.get("type")) or "(no type)", as_dict(event.get("data"))
        sub = as_str(data.get("parentToolCallId")) or None
        common: dict[str, Any] = {
            "at": from_iso(event.get("timestamp")), "native_id": as_str(event.get("id")) or None,
        }  # fmt: skip
        if kind == "result":
            self.name(as_str(event.get("sessionId")))
        elif kind == "session.start":
            folder, version = as_str(data.get("cwd")), as_str(data.get("copilotVersion")) or None
            self.name(as_str(data.get("sessionId")), workspace=folder, agent_version=version)
        elif kind == "user.message":
            if text := as_str(data.get("content")):
                self.add_prompt([Text(text)], span, sub=sub, **common)
        elif kind == "assistant.message":
            self._message(data, span, sub, common)
        elif kind in ("assistant.message_delta", "assistant.reasoning_delta"):
            self._delta(kind, data, span, sub, common["at"])
        elif kind == "tool.execution_complete":
            self.append(Role.TOOL, result_parts(data), span, sub=sub, **common)
        elif kind == "session.error":
            self.fail(as_str(data.get("message")) or "error", span, **common, **error_facts(data))
        elif kind != "assistant.reasoning" and not kind.startswith(_QUIET):
            self.unknown(kind, line)

    def _delta(
        self, kind: str, data: dict[str, Any], span: Span, sub: str | None, at: float | None
    ) -> None:
        thought, message = kind == "assistant.reasoning_delta", as_str(data.get("messageId"))
        answer = self.answer(span, None if thought else message or None, sub, at=at)
        slot = as_str(data.get("reasoningId")) if thought else message
        words = as_str(data.get("deltaContent"))
        answer.piece(slot or kind, "reasoning" if thought else "text", words)

    def _message(
        self, data: dict[str, Any], span: Span, sub: str | None, common: dict[str, Any]
    ) -> None:
        message = as_str(data.get("messageId")) or None
        answer = self.answer(span, message, sub, at=common["at"])
        thought = as_str(data.get("reasoningText")) or "".join(
            "".join(piece.content) for piece in answer.pieces.values() if piece.kind == "reasoning"
        )
        answer.pieces.clear()
        for part in answer_parts(data, thought):
            answer.add(part)
        answer.note(**common, model=as_str(data.get("model")) or None)


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
