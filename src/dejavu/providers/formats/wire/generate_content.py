"""Gemini: `POST .../models/NAME:generateContent` and `:streamGenerateContent`.

Converts its request and its response, its stream, or the list of chunks that a stream without
`alt=sse` is, into the shared types. Calls may have no ids. The Code Assist form of both, one object
deeper, is read as well. Source: the API's reference, and what Gemini CLI 0.61.0 sent to it.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from dejavu.model import Blob, Part, Reasoning, Role, Text, ToolCall, ToolCallResponse, Usage

from ..json_lines import as_dict, as_dicts, as_int, as_str
from ..streams.values import words
from .protocol import Api, Item, ModelRequest, Reply

_PATH = re.compile(r":(?:stream)?[gG]enerateContent$")


def part_of(part: dict[str, Any]) -> Part | None:
    """A part in shared words; None if it says nothing."""
    call, result = as_dict(part.get("functionCall")), as_dict(part.get("functionResponse"))
    inline = as_dict(part.get("inlineData"))
    if call:
        return ToolCall(as_str(call.get("id")) or None, as_str(call.get("name")), call.get("args"))
    if result:
        answer = as_dict(result.get("response"))
        output: Any = answer.get("output", answer.get("error", answer))
        failed = "error" in answer and "output" not in answer
        return ToolCallResponse(as_str(result.get("id")) or None, output, failed)
    if inline:
        return Blob(as_str(inline.get("mimeType")) or None, as_str(inline.get("data")))
    text = as_str(part.get("text"))
    if not text:
        return None
    return Reasoning(text) if part.get("thought") is True else Text(text)


def items(content: dict[str, Any]) -> list[Item]:
    """A content of a request: results are a tool's, the rest is its role's."""
    role = Role.ASSISTANT if content.get("role") == "model" else Role.USER
    parts = [
        part for block in as_dicts(content.get("parts")) if (part := part_of(block)) is not None
    ]
    results = tuple(part for part in parts if isinstance(part, ToolCallResponse))
    own_parts = tuple(part for part in parts if not isinstance(part, ToolCallResponse))
    return [item for item in (Item(Role.TOOL, results), Item(role, own_parts)) if item.parts]


def parse_request(body: dict[str, Any]) -> ModelRequest:
    """The request's body in shared words."""
    inner = as_dict(body.get("request")) or body
    system = as_dict(inner.get("systemInstruction") or inner.get("system_instruction"))
    texts = (as_str(entry.get("text")) for entry in as_dicts(system.get("parts")))
    mode = as_dict(as_dict(inner.get("toolConfig")).get("functionCallingConfig"))
    tools = (
        declaration
        for group in as_dicts(inner.get("tools"))
        for declaration in as_dicts(group.get("functionDeclarations")) or [group]
    )
    return ModelRequest(
        model=as_str(body.get("model")) or None,
        system=tuple(entry for entry in texts if entry),
        tools=tuple(tools),
        items=tuple(item for entry in as_dicts(inner.get("contents")) for item in items(entry)),
        session=as_str(inner.get("session_id")) or None,
        forced=as_str(mode.get("mode")).upper() == "ANY",
    )


@dataclass
class GenerateContentReply(Reply):
    """A response while it streams: chunks of one kind are one part."""

    _parts: list[tuple[str, list[str]] | Part] = field(
        default_factory=list[tuple[str, list[str]] | Part]
    )

    def event(self, data: dict[str, Any]) -> None:
        """Take one chunk of a stream."""
        body = as_dict(data.get("response")) or data
        self.id = as_str(body.get("responseId")) or self.id
        self.model = as_str(body.get("modelVersion")) or self.model
        if body.get("error"):
            self.error = words(body.get("error")) or "error"
        for candidate in as_dicts(body.get("candidates"))[:1]:
            self.stop = as_str(candidate.get("finishReason")) or self.stop
            for part in as_dicts(as_dict(candidate.get("content")).get("parts")):
                self._add(part_of(part))
        usage = as_dict(body.get("usageMetadata"))
        if usage:
            thought = as_int(usage.get("thoughtsTokenCount"))
            output_tokens = as_int(usage.get("candidatesTokenCount"))
            self.usage = Usage(
                input_tokens=as_int(usage.get("promptTokenCount")),
                output_tokens=None if output_tokens is None else output_tokens + (thought or 0),
                cache_read_input_tokens=as_int(usage.get("cachedContentTokenCount")),
                reasoning_output_tokens=thought,
            )

    def whole(self, body: dict[str, Any]) -> None:
        """Take a response that was not streamed."""
        self.event(body)

    def parts(self) -> tuple[Part, ...]:
        """What was said so far."""
        joined: list[Part] = []
        for part in self._parts:
            if isinstance(part, tuple):
                words_ = "".join(part[1])
                joined.append(Reasoning(words_) if part[0] == "reasoning" else Text(words_))
            else:
                joined.append(part)
        return tuple(joined)

    def _add(self, part: Part | None) -> None:
        if isinstance(part, Text | Reasoning):
            kind = "reasoning" if isinstance(part, Reasoning) else "text"
            last = self._parts[-1] if self._parts else None
            if isinstance(last, tuple) and last[0] == kind:
                last[1].append(part.content)
            else:
                self._parts.append((kind, [part.content]))
        elif part is not None:
            self._parts.append(part)


GENERATE_CONTENT = Api(
    "gemini.generate", lambda path: bool(_PATH.search(path)), parse_request, GenerateContentReply
)
