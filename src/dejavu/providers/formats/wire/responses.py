"""OpenAI Responses: `POST .../responses`.

Converts its request and its response or stream into the shared types. What a custom tool is asked
is a text; what a model thought is its summary, or its own words where they are sent. Source: the
API's reference, and what Codex 0.169.0 sent to it.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from dejavu.model import Part, Reasoning, Role, Text, ToolCall, ToolCallResponse, Usage

from ..json_lines import as_dict, as_dicts, as_int, as_str
from ..streams.partial_message import Piece
from ..streams.values import arguments, words
from .protocol import Api, Item, ModelRequest, Reply

_PATH = re.compile(r"/responses/?$")
_DELTAS = {
    "response.output_text.delta": "text",
    "response.refusal.delta": "text",
    "response.reasoning_summary_text.delta": "reasoning",
    "response.reasoning_text.delta": "reasoning",
    "response.function_call_arguments.delta": "tool_call",
    "response.custom_tool_call_input.delta": "tool_call",
}
_SERVER_TOOLS = (
    "web_search_call", "file_search_call", "computer_call", "image_generation_call",
    "code_interpreter_call", "mcp_call", "tool_search_call",
)  # fmt: skip


def texts(content: Any) -> str:
    """The texts of a content, joined."""
    if isinstance(content, str):
        return content
    return "".join(
        as_str(entry.get("text")) or as_str(entry.get("refusal")) for entry in as_dicts(content)
    )


def item(entry: dict[str, Any]) -> Item | None:
    """An item of a request or of a response; None if it says nothing."""
    kind = as_str(entry.get("type")) or "message"
    key = as_str(entry.get("call_id")) or as_str(entry.get("id")) or None
    if kind == "message":
        role = {"assistant": Role.ASSISTANT, "user": Role.USER}.get(
            as_str(entry.get("role")), Role.SYSTEM
        )
        content = entry.get("content")
        parts = (
            [content] if isinstance(content, str) else [texts([part]) for part in as_dicts(content)]
        )
        return Item(role, tuple(Text(part) for part in parts if part))
    if kind == "reasoning":
        thought = texts(entry.get("content")) or "\n\n".join(
            as_str(part.get("text")) for part in as_dicts(entry.get("summary"))
        )
        return Item(Role.ASSISTANT, (Reasoning(thought),)) if thought else None
    if kind in ("function_call", "custom_tool_call"):
        call_input = (
            arguments(entry.get("arguments")) if kind == "function_call" else entry.get("input")
        )
        return Item(Role.ASSISTANT, (ToolCall(key, as_str(entry.get("name")), call_input),))
    if kind == "local_shell_call":
        return Item(Role.ASSISTANT, (ToolCall(key, "local_shell", entry.get("action")),))
    if kind in _SERVER_TOOLS:
        call_input = entry.get("action", entry.get("arguments"))
        return Item(Role.ASSISTANT, (ToolCall(key, kind.removesuffix("_call"), call_input),))
    if kind.endswith("_output"):
        output = entry.get("output")
        whole = texts(output) if isinstance(output, list) else output
        return Item(Role.TOOL, (ToolCallResponse(key, whole),))
    return None


def parse_request(body: dict[str, Any]) -> ModelRequest:
    """The request's body in shared words."""
    prompt = body.get("input")
    messages = (
        [{"role": "user", "content": prompt}] if isinstance(prompt, str) else as_dicts(prompt)
    )
    items = [entry for message in messages if (entry := item(message)) is not None and entry.parts]
    instructions = as_str(body.get("instructions"))
    client = as_dict(body.get("client_metadata"))
    return ModelRequest(
        model=as_str(body.get("model")) or None,
        system=(instructions,) if instructions else (),
        tools=tuple(as_dicts(body.get("tools"))),
        items=tuple(items),
        session=as_str(client.get("session_id"))
        or as_str(client.get("thread_id"))
        or as_str(body.get("prompt_cache_key"))
        or None,
        forced=body.get("tool_choice") not in (None, "auto", "none"),
    )


@dataclass
class ResponsesReply(Reply):
    """A response while it streams: whole items where they are there, else their deltas."""

    _items: dict[str, tuple[Part, ...]] = field(default_factory=dict[str, tuple[Part, ...]])
    _pieces: dict[str, Piece] = field(default_factory=dict[str, Piece])

    def event(self, data: dict[str, Any]) -> None:
        """Take one event of a stream."""
        kind = as_str(data.get("type"))
        if kind in _DELTAS:
            key = as_str(data.get("item_id"))
            piece = self._pieces.setdefault(key, Piece(_DELTAS[kind]))
            piece.content.append(as_str(data.get("delta")))
        elif kind in ("response.output_item.added", "response.output_item.done"):
            entry = as_dict(data.get("item"))
            if kind.endswith("done"):
                self._done(entry)
            elif entry.get("call_id"):
                named = Piece(
                    "tool_call", [], as_str(entry.get("call_id")), as_str(entry.get("name"))
                )
                self._pieces[as_str(entry.get("id"))] = named
        elif kind in ("response.completed", "response.incomplete", "response.failed"):
            self.whole(as_dict(data.get("response")))
        elif kind == "response.created":
            self._facts(as_dict(data.get("response")))
        elif kind == "error":
            self.error = words(data) or "error"
        elif not kind.startswith("response."):
            self.unknown.append(kind)

    def whole(self, body: dict[str, Any]) -> None:
        """Take a response that was not streamed, or the last word of one that was."""
        self._facts(body)
        self.stop = as_str(body.get("status")) or None
        if body.get("error"):
            self.error = words(body.get("error")) or "error"
        for entry in as_dicts(body.get("output")):
            self._done(entry)

    def parts(self) -> tuple[Part, ...]:
        """What was said so far."""
        whole = (part for parts in self._items.values() for part in parts)
        pieces = (piece.part() for key, piece in self._pieces.items() if key not in self._items)
        return (*whole, *(part for part in pieces if part is not None))

    def _done(self, entry: dict[str, Any]) -> None:
        parsed = item(entry)
        if parsed is not None:
            self._items[as_str(entry.get("id")) or str(len(self._items))] = parsed.parts
        elif as_str(entry.get("type")) != "reasoning":
            self.unknown.append(f"item/{as_str(entry.get('type'))}")

    def _facts(self, body: dict[str, Any]) -> None:
        self.id = as_str(body.get("id")) or self.id
        self.model = as_str(body.get("model")) or self.model
        usage = as_dict(body.get("usage"))
        if usage:
            self.usage = Usage(
                input_tokens=as_int(usage.get("input_tokens")),
                output_tokens=as_int(usage.get("output_tokens")),
                cache_read_input_tokens=as_int(
                    as_dict(usage.get("input_tokens_details")).get("cached_tokens")
                ),
                reasoning_output_tokens=as_int(
                    as_dict(usage.get("output_tokens_details")).get("reasoning_tokens")
                ),
            )


RESPONSES = Api(
    "openai.responses", lambda path: bool(_PATH.search(path)), parse_request, ResponsesReply
)
