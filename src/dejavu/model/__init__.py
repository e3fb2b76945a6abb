"""The words everyone speaks: conversations, turns, parts, vectors, usage, errors.

Takes nothing; gives frozen, typed values that round-trip through msgpack and JSON. `sanitise` and
`redact` are the two filters every text goes through on its way to a display or to the disk.
Never touches files, clocks or signals, and imports nothing of ours.

Names load on first use: the wrapper needs an error class or two, and not the rest, before the
agent starts.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .conversation import Conversation, Relation, conversation_id
    from .errors import (
        ArchiveError,
        BadRules,
        CaptureError,
        ConfigError,
        Corrupt,
        DejavuError,
        Locked,
        NewerFormat,
        NotFound,
        ProviderError,
        ScrapeError,
        SpawnFailed,
        UnreadableSession,
    )
    from .part import Blob, Extension, Part, Reasoning, Text, ToolCall, ToolCallResponse
    from .serialize import (
        conversation_from_plain,
        conversation_to_plain,
        is_json_array,
        is_json_object,
        part_from_plain,
        part_to_plain,
        turn_from_plain,
        turn_to_plain,
    )
    from .timestamps import from_iso, to_iso
    from .turn import Role, Span, Turn, Usage, Vector

_PLACES = {
    "ArchiveError": "errors",
    "BadRules": "errors",
    "Blob": "part",
    "CaptureError": "errors",
    "ConfigError": "errors",
    "Conversation": "conversation",
    "Corrupt": "errors",
    "DejavuError": "errors",
    "Extension": "part",
    "Locked": "errors",
    "NewerFormat": "errors",
    "NotFound": "errors",
    "Part": "part",
    "ProviderError": "errors",
    "Reasoning": "part",
    "Relation": "conversation",
    "Role": "turn",
    "ScrapeError": "errors",
    "Span": "turn",
    "SpawnFailed": "errors",
    "Text": "part",
    "ToolCall": "part",
    "ToolCallResponse": "part",
    "Turn": "turn",
    "UnreadableSession": "errors",
    "Usage": "turn",
    "Vector": "turn",
    "conversation_from_plain": "serialize",
    "conversation_id": "conversation",
    "conversation_to_plain": "serialize",
    "from_iso": "timestamps",
    "is_json_array": "serialize",
    "is_json_object": "serialize",
    "part_from_plain": "serialize",
    "part_to_plain": "serialize",
    "to_iso": "timestamps",
    "turn_from_plain": "serialize",
    "turn_to_plain": "serialize",
}

__all__ = [
    "ArchiveError",
    "BadRules",
    "Blob",
    "CaptureError",
    "ConfigError",
    "Conversation",
    "Corrupt",
    "DejavuError",
    "Extension",
    "Locked",
    "NewerFormat",
    "NotFound",
    "Part",
    "ProviderError",
    "Reasoning",
    "Relation",
    "Role",
    "ScrapeError",
    "Span",
    "SpawnFailed",
    "Text",
    "ToolCall",
    "ToolCallResponse",
    "Turn",
    "UnreadableSession",
    "Usage",
    "Vector",
    "conversation_from_plain",
    "conversation_id",
    "conversation_to_plain",
    "from_iso",
    "is_json_array",
    "is_json_object",
    "part_from_plain",
    "part_to_plain",
    "to_iso",
    "turn_from_plain",
    "turn_to_plain",
]


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(f".{_PLACES[name]}", __name__), name)
    return value
