"""Content parts of Google's Gen AI API, as agents on it write them.

A content is text, or parts `text`, `functionCall`, `functionResponse` and `inlineData`.
"""

from typing import Any

from dejavu.model import Blob, Extension, Part, Reasoning, Text, ToolCall, ToolCallResponse

from .json_coerce import items, mapping, text


def parts(content: Any, agent: str) -> tuple[list[Part], list[Part]]:
    """What a message says, and what it brings back from tools."""
    said: list[Part] = []
    results: list[Part] = []
    listed = items(content) if isinstance(content, list) else [content]
    for one in listed:
        part = mapping(one)
        if isinstance(one, str) and one:
            said.append(Text(one))
        elif isinstance(part.get("text"), str):
            words = text(part.get("text"))
            if words:
                said.append(Reasoning(words) if part.get("thought") else Text(words))
        elif call := mapping(part.get("functionCall")):
            name = text(call.get("name"))
            said.append(ToolCall(text(call.get("id")) or None, name, call.get("args")))
        elif answer := mapping(part.get("functionResponse")):
            results.append(response(answer))
        elif data := mapping(part.get("inlineData")):
            said.append(Blob(text(data.get("mimeType")) or None, text(data.get("data"))))
        elif part:
            said.append(Extension(f"{agent}.part", part))
    return said, results


def response(answer: dict[str, Any]) -> ToolCallResponse:
    """A function's response; where it is nothing but an output or an error, that."""
    call, given = text(answer.get("id")) or None, answer.get("response")
    fields = mapping(given)
    if fields.keys() == {"output"}:
        return ToolCallResponse(call, fields["output"])
    if fields.keys() == {"error"}:
        return ToolCallResponse(call, fields["error"], True)
    return ToolCallResponse(call, given, "error" in fields)
