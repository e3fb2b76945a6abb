"""Kimi, `kimi -p PROMPT --output-format stream-json` (Kimi Code) and `kimi --print` (kimi-cli).

Parses that stdout into turns: one OpenAI-like message a line (`role` assistant or tool), and `meta`
lines. The session's id comes in the last line, so turns are held back until then. The prompt is in
argv only; errors go to stderr. Shapes: recordings of Kimi Code 2.1.0; content as a list of parts:
kimi-cli's message type.
"""

from typing import Any

import msgspec

from dejavu.model import Part, Reasoning, Role, Span, Text, ToolCall, ToolCallResponse

from ..formats.json_lines import UNREADABLE, as_dict, as_list, decode_struct
from ..formats.streams.command_line import Options, names
from ..formats.streams.jsonl import LineParser
from ..formats.streams.protocol import Stream
from ..formats.streams.values import arguments


class Function(msgspec.Struct, frozen=True):
    """What was called."""

    name: str = ""
    arguments: Any = None


class Call(msgspec.Struct, frozen=True):
    """A tool call."""

    id: str | None = None
    function: Function = Function()


class KimiLine(msgspec.Struct, frozen=True):
    """One message, or a fact about the session."""

    role: str | None = None
    type: str | None = None
    content: Any = None
    reasoning_content: str | None = None
    tool_calls: list[Call] | None = None
    tool_call_id: str | None = None
    session_id: str | None = None
    version: str | None = None


_DECODER = msgspec.json.Decoder(KimiLine)


class KimiStreamParser(LineParser):
    """Turns from messages."""

    def record(self, line: memoryview, span: Span) -> None:
        """Take one line."""
        message = decode_struct(line, _DECODER)
        if message is None:
            self.drift[UNREADABLE] += 1
            return
        role = message.role or "(no role)"
        parts = list(_parts(message.content))
        if role == "assistant":
            answer = self.answer(span)
            if message.reasoning_content:
                answer.add(Reasoning(message.reasoning_content))
            for part in parts:
                answer.add(part)
            for call in message.tool_calls or ():
                call_input = arguments(call.function.arguments)
                answer.add(ToolCall(call.id, call.function.name, call_input))
        elif role == "tool":
            texts = [part.content for part in parts if isinstance(part, Text)]
            whole = len(texts) == len(parts)
            content = "\n".join(texts) if whole else message.content
            self.append(Role.TOOL, [ToolCallResponse(message.tool_call_id, content)], span)
        elif role == "user":
            self.add_prompt(parts, span)
        elif role == "meta" and message.type == "system.version":
            self.amend(self.thread(), agent_version=message.version)
        elif role == "meta" and message.type == "session.resume_hint":
            self.name(message.session_id)
        else:
            self.unknown(f"{role}/{message.type}" if message.type else role, line)


def _parts(content: Any) -> list[Part]:
    """The parts of a message: its text, or a list of texts and thoughts."""
    if isinstance(content, str):
        return [Text(content)] if content else []
    parts: list[Part] = []
    for item in map(as_dict, as_list(content)):
        if isinstance(text := item.get("text"), str) and text:
            parts.append(Text(text))
        elif isinstance(thought := item.get("think"), str) and thought:
            parts.append(Reasoning(thought))
    return parts


OPTIONS = Options(
    valued=names(
        "--model -m --prompt -p --command --output-format --input-format --skills-dir --agent "
        "--agent-file --add-dir --work-dir -w --config --config-file --mcp-config-file --mcp-config"
    ),
    optional=names("--session -S -s --resume -r"),
    prompt=names("--prompt -p --command"),
    session=names("--session -S -s --resume -r"),
    format={"--output-format": frozenset({"stream-json"})},
)


def accepts(line: dict[str, Any]) -> bool:
    """Whether this can be the first line of such a stream."""
    role = line.get("role")
    if role == "meta":
        return isinstance(line.get("type"), str)
    return (
        role == "assistant" and "type" not in line and ("content" in line or "tool_calls" in line)
    )


STREAM = Stream(
    agent="kimi",
    parser_class=KimiStreamParser,
    accepts=accepts,
    begins=(b'{"role":"meta","type":', b'{"role":"assistant","content":'),
    options=OPTIONS,
)
