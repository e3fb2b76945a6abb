"""The words everyone speaks: conversations, turns, parts, vectors, usage, errors.

Takes nothing; gives frozen, typed values that round-trip through msgpack and JSON.
Never touches files, clocks or signals, and imports nothing of ours.
"""

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
from .moment import from_iso, to_iso
from .part import Blob, Extension, Part, Reasoning, Text, ToolCall, ToolCallResponse
from .plain import (
    conversation_from_plain,
    conversation_to_plain,
    part_from_plain,
    part_to_plain,
    turn_from_plain,
    turn_to_plain,
)
from .turn import Role, Span, Turn, Usage, Vector

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
    "part_from_plain",
    "part_to_plain",
    "to_iso",
    "turn_from_plain",
    "turn_to_plain",
]
