"""The record as plain JSON values, in the shapes the outside contract names.

Takes records, gives dicts that `json.dumps` accepts, and back. Fields may be added here, never
renamed. Moments go out as ISO 8601 (UTC); an `Extension` goes out flat, as
`{"type": "x.<kind>", ...}`. Reading is lenient: what is missing takes its default.
"""

from typing import Any, TypeGuard

import msgspec

from .conversation import Conversation
from .part import Extension, Part
from .timestamps import from_iso, to_iso
from .turn import Turn

_CONVERSATION_FIELDS = (
    "id", "workspace", "instance", "agent", "native_id", "title", "started_at", "ended_at",
    "captured_at", "turn_count", "vectors", "parent", "relation", "source", "agent_version",
)  # fmt: skip
_TURN_FIELDS = (
    "seq", "role", "parts", "at", "vector", "model", "usage", "native_id", "parent",
)  # fmt: skip
_MOMENTS = ("started_at", "ended_at", "captured_at")


def is_json_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether a JSON value is an object."""
    return isinstance(value, dict)


def is_json_array(value: object) -> TypeGuard[list[Any]]:
    """Whether a JSON value is an array."""
    return isinstance(value, list)


def part_to_dict(part: Part) -> dict[str, Any]:
    """One part as its OpenTelemetry GenAI object."""
    if isinstance(part, Extension):
        return {"type": f"x.{part.kind}", **{k: v for k, v in part.data.items() if k != "type"}}
    plain: dict[str, Any] = msgspec.to_builtins(part)
    if plain["type"] in ("tool_call", "tool_call_response"):
        plain.setdefault("arguments" if plain["type"] == "tool_call" else "response", None)
    return plain


def part_from_dict(plain: dict[str, Any]) -> Part:
    """A part from its object.

    Raises:
        msgspec.ValidationError: a known type with fields that do not fit; it names the place.
    """
    kind = str(plain.get("type", ""))
    if kind.startswith("x."):
        data = {key: value for key, value in plain.items() if key != "type"}
        return Extension(kind[2:], data)
    part: Part = msgspec.convert(plain, Part)  # convert is not typed for unions
    return part


def turn_to_dict(turn: Turn, *, provenance: bool = False) -> dict[str, Any]:
    """One turn in the contract's shape; `provenance` adds `spans` and `meta`."""
    plain: dict[str, Any] = {
        "seq": turn.seq,
        "role": str(turn.role),
        "parts": [part_to_dict(part) for part in turn.parts],
        "at": to_iso(turn.at),
        "vector": str(turn.vector),
        "model": turn.model,
        "usage": None if turn.usage is None else msgspec.to_builtins(turn.usage),
        "native_id": turn.native_id,
        "parent": turn.parent,
    }
    if provenance:
        plain["spans"] = [[span.offset, span.length] for span in turn.spans]
        plain["meta"] = dict(turn.meta)
    return plain


def turn_from_dict(plain: dict[str, Any]) -> Turn:
    """A turn from the contract's shape; `at` may be ISO text or a number."""
    fields = {
        key: plain[key] for key in (*_TURN_FIELDS, "spans", "meta") if plain.get(key) is not None
    }
    parts = tuple(part_from_dict(part) for part in fields.pop("parts", ()))
    at = from_iso(fields.pop("at", None))
    return msgspec.structs.replace(msgspec.convert(fields, Turn), parts=parts, at=at)


def conversation_to_dict(
    conversation: Conversation, *, turns: bool = False, provenance: bool = False
) -> dict[str, Any]:
    """A conversation in the contract's shape, with its turns where asked."""
    plain: dict[str, Any] = {name: getattr(conversation, name) for name in _CONVERSATION_FIELDS}
    for name in _MOMENTS:
        plain[name] = to_iso(plain[name])
    plain["vectors"] = [str(vector) for vector in conversation.vectors]
    plain["relation"] = None if conversation.relation is None else str(conversation.relation)
    if turns:
        plain["turns"] = [turn_to_dict(turn, provenance=provenance) for turn in conversation.turns]
    return plain


def conversation_from_dict(plain: dict[str, Any]) -> Conversation:
    """A conversation from the contract's shape."""
    fields = {key: plain[key] for key in _CONVERSATION_FIELDS if plain.get(key) is not None}
    for name in _MOMENTS:
        if name in fields:
            fields[name] = from_iso(fields[name])
    turns = tuple(turn_from_dict(turn) for turn in plain.get("turns", ()))
    return msgspec.structs.replace(msgspec.convert(fields, Conversation), turns=turns)
