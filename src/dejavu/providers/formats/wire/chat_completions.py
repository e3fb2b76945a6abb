"""OpenAI Chat Completions: `POST .../chat/completions`, and what many others made alike.

Converts its request and its response or stream into the shared types. `reasoning_content` (or
`reasoning`) is not OpenAI's own, but what thinking models behind this API answer. Source: the API's
reference, and what Kimi, OpenCode, Qwen Code, Copilot and Pi sent to it.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from dejavu.model import Blob, Part, Reasoning, Role, Text, ToolCall, ToolCallResponse, Usage

from ..json_lines import as_dict, as_dicts, as_int, as_str
from ..streams.partial_message import Piece
from ..streams.values import arguments, words
from .protocol import Api, Item, ModelRequest, Reply

_PATH = re.compile(r"/chat/completions/?$")
_DATA = re.compile(r"data:([\w/+.-]+);base64,(.*)", re.DOTALL)
_ROLES = {
    "assistant": Role.ASSISTANT, "tool": Role.TOOL, "function": Role.TOOL,
    "system": Role.SYSTEM, "developer": Role.SYSTEM,
}  # fmt: skip


def content_parts(content: Any) -> list[Part]:
    """A message's content: a text, or texts and images."""
    if isinstance(content, str):
        return [Text(content)] if content else []
    parts: list[Part] = []
    for block in as_dicts(content):
        url = as_str(as_dict(block.get("image_url")).get("url"))
        if text := as_str(block.get("text")):
            parts.append(Text(text))
        elif inline := _DATA.fullmatch(url):
            parts.append(Blob(inline[1], inline[2]))
    return parts


def calls(message: dict[str, Any]) -> list[Part]:
    """The tools that a message calls."""
    results: list[Part] = []
    for call in as_dicts(message.get("tool_calls")):
        function = as_dict(call.get("function"))
        key = as_str(call.get("id")) or None
        results.append(
            ToolCall(key, as_str(function.get("name")), arguments(function.get("arguments")))
        )
    return results


def item(message: dict[str, Any]) -> Item:
    """A message of a request."""
    role = _ROLES.get(as_str(message.get("role")), Role.USER)
    parts = content_parts(message.get("content"))
    if role is Role.TOOL:
        text = "\n".join(part.content for part in parts if isinstance(part, Text))
        blobs = [part for part in parts if isinstance(part, Blob)]
        key = as_str(message.get("tool_call_id")) or None
        return Item(role, (ToolCallResponse(key, text), *blobs))
    thought = as_str(message.get("reasoning_content")) or as_str(message.get("reasoning"))
    thoughts: list[Part] = [Reasoning(thought)] if thought else []
    return Item(role, (*thoughts, *parts, *calls(message)))


def parse_request(body: dict[str, Any]) -> ModelRequest:
    """The request's body in shared words; system messages before the first other are the prompt."""
    messages = [item(message) for message in as_dicts(body.get("messages"))]
    lead = 0
    while lead < len(messages) and messages[lead].role is Role.SYSTEM:
        lead += 1
    system = (
        part.content
        for leading in messages[:lead]
        for part in leading.parts
        if isinstance(part, Text)
    )
    return ModelRequest(
        model=as_str(body.get("model")) or None,
        system=tuple(system),
        tools=tuple(as_dicts(body.get("tools"))),
        items=tuple(messages[lead:]),
        session=as_str(body.get("prompt_cache_key")) or None,
        forced=body.get("tool_choice") not in (None, "auto", "none"),
    )


def usage_of(usage: dict[str, Any]) -> Usage | None:
    """Tokens of a response; input includes what came from the cache."""
    if not usage:
        return None
    details = as_dict(usage.get("prompt_tokens_details"))
    return Usage(
        input_tokens=as_int(usage.get("prompt_tokens")),
        output_tokens=as_int(usage.get("completion_tokens")),
        cache_read_input_tokens=as_int(details.get("cached_tokens")),
        reasoning_output_tokens=as_int(
            as_dict(usage.get("completion_tokens_details")).get("reasoning_tokens")
        ),
    )


@dataclass
class ChatReply(Reply):
    """A completion while it streams."""

    _text: list[str] = field(default_factory=list[str])
    _thought: list[str] = field(default_factory=list[str])
    _calls: dict[int, Piece] = field(default_factory=dict[int, Piece])

    def event(self, data: dict[str, Any]) -> None:
        """Take one chunk of a stream."""
        self._facts(data)
        for choice in as_dicts(data.get("choices"))[:1]:
            delta = as_dict(choice.get("delta"))
            self._text.append(as_str(delta.get("content")) or as_str(delta.get("refusal")))
            self._thought.append(as_str(delta.get("reasoning_content") or delta.get("reasoning")))
            self.stop = as_str(choice.get("finish_reason")) or self.stop
            for call in as_dicts(delta.get("tool_calls")):
                self._call(call)

    def _call(self, call: dict[str, Any]) -> None:
        index = as_int(call.get("index")) or 0
        piece = self._calls.setdefault(index, Piece("tool_call"))
        function = as_dict(call.get("function"))
        piece.id = as_str(call.get("id")) or piece.id
        piece.name += as_str(function.get("name"))
        piece.content.append(as_str(function.get("arguments")))

    def whole(self, body: dict[str, Any]) -> None:
        """Take a response that was not streamed."""
        self._facts(body)
        for choice in as_dicts(body.get("choices"))[:1]:
            message = as_dict(choice.get("message"))
            self.event({"choices": [{**choice, "delta": message}]})
            texts = content_parts(message.get("content"))
            self._text = ["".join(part.content for part in texts if isinstance(part, Text))]
            for index, call in enumerate(as_dicts(message.get("tool_calls"))):
                self._calls.pop(index, None)
                self._call({**call, "index": index})

    def parts(self) -> tuple[Part, ...]:
        """What was said so far."""
        thought, text = "".join(self._thought), "".join(self._text)
        calls = (self._calls[index].part() for index in sorted(self._calls))
        return (
            *((Reasoning(thought),) if thought else ()),
            *((Text(text),) if text else ()),
            *(call for call in calls if call is not None),
        )

    def _facts(self, body: dict[str, Any]) -> None:
        self.id = as_str(body.get("id")) or self.id
        self.model = as_str(body.get("model")) or self.model
        self.usage = usage_of(as_dict(body.get("usage"))) or self.usage
        if body.get("error"):
            self.error = words(body.get("error")) or "error"


CHAT = Api("openai.chat", lambda path: bool(_PATH.search(path)), parse_request, ChatReply)
