"""Anthropic Messages: `POST .../v1/messages`.

Converts its request and its response or stream into the shared types. Source: the API's reference,
and what Claude Code 2.1.330 and Amp sent to it.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from dejavu.model import Part, Role, ToolCall, ToolCallResponse, Usage
from dejavu.model.conversation import usage_max

from ..anthropic_messages import ContentBlock, Tokens, answer_parts, response
from ..json_lines import as_dict, as_dicts, as_str, coerce, decode_lenient
from ..streams.partial_message import Piece
from ..streams.values import words
from .protocol import Api, Item, ModelRequest, Reply

_PATH = re.compile(r"/v1/messages/?$")
_SESSION = re.compile(r"_session_([0-9a-f-]{36})$")
_KINDS = {"text": "text", "thinking": "reasoning", "tool_use": "tool_call"}


def blocks(content: Any) -> list[ContentBlock]:
    """A message's content as blocks."""
    if isinstance(content, str):
        return [ContentBlock("text", content)]
    return [coerce(block, ContentBlock) for block in as_dicts(content)]


def part_of(block: ContentBlock) -> Part | None:
    """A block as a part; None if it says nothing."""
    if block.type in ("server_tool_use", "mcp_tool_use"):
        return ToolCall(block.id, block.name or "", block.input)
    return next(iter(answer_parts(block) or ()), None)


def items(message: dict[str, Any]) -> list[Item]:
    """A message of a request: results are a tool's, the rest is its role's."""
    role = {"assistant": Role.ASSISTANT, "system": Role.SYSTEM}.get(
        as_str(message.get("role")), Role.USER
    )
    results: list[Part] = []
    content: list[Part] = []
    for block in blocks(message.get("content")):
        if block.type == "tool_result":
            answer, blobs = response(block.content)
            results += [ToolCallResponse(block.tool_use_id, answer, bool(block.is_error)), *blobs]
        elif (part := part_of(block)) is not None:
            content.append(part)
    turns = [Item(Role.TOOL, tuple(results)), Item(role, tuple(content))]
    return [item for item in turns if item.parts]


def parse_request(body: dict[str, Any]) -> ModelRequest:
    """The request's body in shared words."""
    system = tuple(block.text for block in blocks(body.get("system") or "") if block.text)
    return ModelRequest(
        model=as_str(body.get("model")) or None,
        system=system,
        tools=tuple(as_dicts(body.get("tools"))),
        items=tuple(item for message in as_dicts(body.get("messages")) for item in items(message)),
        session=_session(as_str(as_dict(body.get("metadata")).get("user_id"))),
        forced=as_dict(body.get("tool_choice")).get("type") in ("tool", "any"),
    )


def _session(user: str) -> str | None:
    """The session inside a `user_id`: a JSON object, or the end of a name."""
    inside = as_dict(decode_lenient(user.encode())) if user.startswith("{") else {}
    if session := as_str(inside.get("session_id")):
        return session
    match = _SESSION.search(user)
    return match[1] if match else None


@dataclass
class MessagesReply(Reply):
    """A message while it streams."""

    _blocks: dict[int, Piece] = field(default_factory=dict[int, Piece])

    def event(self, data: dict[str, Any]) -> None:
        """Take one event of a stream."""
        kind = as_str(data.get("type"))
        index = data.get("index") if isinstance(data.get("index"), int) else 0
        position: int = index or 0
        if kind == "message_start":
            self._facts(as_dict(data.get("message")))
        elif kind == "content_block_start":
            block = coerce(as_dict(data.get("content_block")), ContentBlock)
            start = block.text or block.thinking or ""
            piece_kind = _KINDS.get(block.type or "")
            if piece_kind is None:
                self.unknown.append(f"block/{block.type}")
            else:
                self._blocks[position] = Piece(piece_kind, [start], block.id, block.name or "")
        elif kind == "content_block_delta":
            delta = as_dict(data.get("delta"))
            more = delta.get("text") or delta.get("thinking") or delta.get("partial_json")
            if position in self._blocks:
                self._blocks[position].content.append(as_str(more))
        elif kind == "message_delta":
            self.stop = as_str(as_dict(data.get("delta")).get("stop_reason")) or self.stop
            self._spend(as_dict(data.get("usage")))
        elif kind == "error":
            self.error = words(data.get("error")) or "error"
        elif kind not in ("content_block_stop", "message_stop", "ping"):
            self.unknown.append(kind)

    def whole(self, body: dict[str, Any]) -> None:
        """Take a response that was not streamed."""
        if body.get("type") == "error" or "error" in body:
            self.error = words(body.get("error")) or "error"
            return
        self._facts(body)
        self.stop = as_str(body.get("stop_reason")) or None
        self._whole = tuple(
            part for block in blocks(body.get("content")) if (part := part_of(block)) is not None
        )

    def parts(self) -> tuple[Part, ...]:
        """What was said so far."""
        pieces = (self._blocks[index].part() for index in sorted(self._blocks))
        return (*self._whole, *(part for part in pieces if part is not None))

    _whole: tuple[Part, ...] = ()

    def _facts(self, message: dict[str, Any]) -> None:
        self.id = as_str(message.get("id")) or None
        self.model = as_str(message.get("model")) or None
        self._spend(as_dict(message.get("usage")))

    def _spend(self, usage: dict[str, Any]) -> None:
        spent = coerce(usage, Tokens).usage()
        if spent != Usage():
            self.usage = usage_max(self.usage, spent)


MESSAGES = Api(
    "anthropic.messages", lambda path: bool(_PATH.search(path)), parse_request, MessagesReply
)
