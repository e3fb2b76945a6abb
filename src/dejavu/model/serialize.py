"""Conversion of the model to JSON values in the shapes of the outside contract, and back.

Results are dicts that `json.dumps` accepts. Fields may be added here, never renamed. Times are
ISO 8601 (UTC); an `Extension` is flat, `{"type": "x.<kind>", ...}`. Reading is lenient: a missing
field takes its default.
"""

from typing import Any

import msgspec

from .compaction import is_compaction
from .conversation import LOW_READING, Conversation, Turn
from .part import Extension, Part
from .timestamps import from_iso, to_iso

_CONVERSATION_FIELDS = (
    "id", "workspace", "instance", "agent", "native_id", "title", "started_at", "ended_at",
    "captured_at", "turn_count", "vectors", "parent", "relation", "source", "agent_version",
    "starred", "tags", "agent_title", "project",
)  # fmt: skip
_TURN_FIELDS = (
    "seq", "role", "parts", "at", "vector", "model", "usage", "native_id", "parent",
)  # fmt: skip
_TIME_FIELDS = ("started_at", "ended_at", "captured_at")


def part_to_dict(part: Part) -> dict[str, Any]:
    """Return a part as its OpenTelemetry GenAI object."""
    if isinstance(part, Extension):
        return {"type": f"x.{part.kind}", **{k: v for k, v in part.data.items() if k != "type"}}
    data: dict[str, Any] = msgspec.to_builtins(part)
    if data["type"] in ("tool_call", "tool_call_response"):
        data.setdefault("arguments" if data["type"] == "tool_call" else "response", None)
    return data


def part_from_dict(data: dict[str, Any]) -> Part:
    """Return the part of an object.

    Raises:
        msgspec.ValidationError: a known type with fields of a wrong type; it names the path.
    """
    kind = str(data.get("type", ""))
    if kind.startswith("x."):
        fields = {key: value for key, value in data.items() if key != "type"}
        return Extension(kind[2:], fields)
    part: Part = msgspec.convert(data, Part)  # convert is not typed for unions
    return part


def turn_to_dict(turn: Turn, *, provenance: bool = False) -> dict[str, Any]:
    """Return a turn in the contract's shape; `provenance` adds `spans` and `meta`."""
    data: dict[str, Any] = {
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
    if turn.meta.get(LOW_READING):
        data["reading"] = "low"
    if is_compaction(turn):
        data["compaction"] = True
    if provenance:
        data["spans"] = [[span.offset, span.length] for span in turn.spans]
        data["meta"] = dict(turn.meta)
    return data


def turn_from_dict(data: dict[str, Any]) -> Turn:
    """Return the turn of an object in the contract's shape; `at` may be ISO text or a number."""
    fields = {
        key: data[key] for key in (*_TURN_FIELDS, "spans", "meta") if data.get(key) is not None
    }
    parts = tuple(part_from_dict(part) for part in fields.pop("parts", ()))
    at = from_iso(fields.pop("at", None))
    return msgspec.structs.replace(msgspec.convert(fields, Turn), parts=parts, at=at)


def conversation_to_dict(
    conversation: Conversation, *, turns: bool = False, provenance: bool = False
) -> dict[str, Any]:
    """Return a conversation in the contract's shape, with its turns if `turns`."""
    data: dict[str, Any] = {name: getattr(conversation, name) for name in _CONVERSATION_FIELDS}
    for name in _TIME_FIELDS:
        data[name] = to_iso(data[name])
    data["vectors"] = [str(vector) for vector in conversation.vectors]
    data["tags"] = list(conversation.tags)
    data["relation"] = None if conversation.relation is None else str(conversation.relation)
    if turns:
        data["turns"] = [turn_to_dict(turn, provenance=provenance) for turn in conversation.turns]
    return data


def conversation_from_dict(data: dict[str, Any]) -> Conversation:
    """Return the conversation of an object in the contract's shape."""
    fields = {key: data[key] for key in _CONVERSATION_FIELDS if data.get(key) is not None}
    for name in _TIME_FIELDS:
        if name in fields:
            fields[name] = from_iso(fields[name])
    turns = tuple(turn_from_dict(turn) for turn in data.get("turns", ()))
    return msgspec.structs.replace(msgspec.convert(fields, Conversation), turns=turns)
