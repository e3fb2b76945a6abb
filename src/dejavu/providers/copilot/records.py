"""Copilot's events in the record's words, the same in its session files and in its stream.

Pure: which turn a part belongs to, and what was told before, is the parsers' business.

Tested in: tests/providers/copilot/test_stream.py
"""

from typing import Any

from dejavu.model import Extension, Part, Reasoning, Text, ToolCall, ToolCallResponse

from ..formats.json_lines import as_dict, as_dicts, as_int, as_str
from ..formats.streams.values import arguments, without_none, words


def answer_parts(data: dict[str, Any], thought: str) -> list[Part]:
    """What `assistant.message` says, after a thought, and the tools that it asks for."""
    parts: list[Part] = [Reasoning(thought)] if thought else []
    if text := as_str(data.get("content")):
        parts.append(Text(text))
    parts += [tool_call(request, "name") for request in as_dicts(data.get("toolRequests"))]
    return parts


def tool_call(data: dict[str, Any], name: str) -> ToolCall:
    """A tool asked for; the field `name` has its name."""
    call = as_str(data.get("toolCallId")) or None
    return ToolCall(call, as_str(data.get(name)), arguments(data.get("arguments")))


def result_parts(data: dict[str, Any]) -> list[Part]:
    """What `tool.execution_complete` gave back, and the diff of what it changed."""
    result, error = as_dict(data.get("result")), data.get("error")
    output: Any = result.get("content")
    if output is None:
        output = words(error) or data.get("result")
    failed = data.get("success") is False or bool(error)
    call = as_str(data.get("toolCallId")) or None
    parts: list[Part] = [ToolCallResponse(call, output, failed)]
    if (detail := as_str(result.get("detailedContent"))) and detail.startswith("\ndiff --git"):
        parts.append(Extension("copilot.diff", {"diff": detail.strip("\n")}))
    return parts


def error_facts(data: dict[str, Any]) -> dict[str, Any]:
    """What a `session.error` says besides its words."""
    return without_none(type=data.get("errorType"), status=as_int(data.get("statusCode")))
