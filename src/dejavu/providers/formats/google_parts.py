"""Content parts of Google's Gen AI API, as agents on it write them.

A content is text, or parts `text`, `functionCall`, `functionResponse` and `inlineData`.
"""

from typing import Any

from dejavu.model import Blob, Extension, Part, Reasoning, Text, ToolCall, ToolCallResponse

from .json_lines import as_dict, as_list, as_str


def parts(content: Any, agent: str) -> tuple[list[Part], list[Part]]:
    """What a message says, and what it brings back from tools."""
    message_parts: list[Part] = []
    results: list[Part] = []
    listed = as_list(content) if isinstance(content, list) else [content]
    for block in listed:
        part = as_dict(block)
        if isinstance(block, str) and block:
            message_parts.append(Text(block))
        elif isinstance(part.get("text"), str):
            words = as_str(part.get("text"))
            if words:
                message_parts.append(Reasoning(words) if part.get("thought") else Text(words))
        elif call := as_dict(part.get("functionCall")):
            name = as_str(call.get("name"))
            message_parts.append(ToolCall(as_str(call.get("id")) or None, name, call.get("args")))
        elif answer := as_dict(part.get("functionResponse")):
            results.append(response(answer))
        elif data := as_dict(part.get("inlineData")):
            message_parts.append(
                Blob(as_str(data.get("mimeType")) or None, as_str(data.get("data")))
            )
        elif part:
            message_parts.append(Extension(f"{agent}.part", part))
    return message_parts, results


def response(answer: dict[str, Any]) -> ToolCallResponse:
    """A function's response; where it is nothing but an output or an error, that."""
    call, output = as_str(answer.get("id")) or None, answer.get("response")
    fields = as_dict(output)
    if fields.keys() == {"output"}:
        return ToolCallResponse(call, fields["output"])
    if fields.keys() == {"error"}:
        return ToolCallResponse(call, fields["error"], True)
    return ToolCallResponse(call, output, "error" in fields)
