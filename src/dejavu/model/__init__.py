"""The data model: conversations, turns, parts, vectors, usage, errors.

Frozen, typed values that round-trip through msgpack and JSON. Never touches files, clocks or
signals, and imports nothing of ours.

Names load on first use: before the agent starts, the wrapper needs an error class or two and not
the rest.
"""

from __future__ import annotations

from dejavu import names_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .change import AT_END, Batch, RawDelta, Receipt, TurnUpdate
    from .conversation import (
        LOW_READING,
        Conversation,
        Relation,
        Role,
        Span,
        Turn,
        Usage,
        Vector,
        conversation_id,
    )
    from .conversation_filter import ConversationFilter
    from .errors import (
        ArchiveError,
        ArchiveLockedError,
        ArchiveUnavailableError,
        CaptureError,
        ConfigError,
        CorruptArchiveError,
        DejavuError,
        HiddenTurnsError,
        InvalidValueError,
        KeysBetweenError,
        LegalHoldError,
        NewerFormatError,
        NotFoundError,
        ProviderError,
        RulePackError,
        ScrapeError,
        SpawnError,
        UnreadableSessionError,
    )
    from .json_values import is_json_array, is_json_object
    from .part import Blob, Extension, Part, Reasoning, Text, ToolCall, ToolCallResponse
    from .serialize import (
        conversation_from_dict,
        conversation_to_dict,
        part_from_dict,
        part_to_dict,
        turn_from_dict,
        turn_to_dict,
    )
    from .timestamps import from_iso, to_iso

_MODULES = {
    "LOW_READING": ".conversation",
    "ArchiveError": ".errors",
    "RulePackError": ".errors",
    "Blob": ".part",
    "CaptureError": ".errors",
    "ConfigError": ".errors",
    "Conversation": ".conversation",
    "ConversationFilter": ".conversation_filter",
    "CorruptArchiveError": ".errors",
    "HiddenTurnsError": ".errors",
    "DejavuError": ".errors",
    "Extension": ".part",
    "ArchiveLockedError": ".errors",
    "ArchiveUnavailableError": ".errors",
    "LegalHoldError": ".errors",
    "InvalidValueError": ".errors",
    "KeysBetweenError": ".errors",
    "NewerFormatError": ".errors",
    "NotFoundError": ".errors",
    "Part": ".part",
    "ProviderError": ".errors",
    "RawDelta": ".change",
    "Reasoning": ".part",
    "Relation": ".conversation",
    "Role": ".conversation",
    "ScrapeError": ".errors",
    "Span": ".conversation",
    "SpawnError": ".errors",
    "Text": ".part",
    "ToolCall": ".part",
    "ToolCallResponse": ".part",
    "Turn": ".conversation",
    "AT_END": ".change",
    "Batch": ".change",
    "Receipt": ".change",
    "TurnUpdate": ".change",
    "UnreadableSessionError": ".errors",
    "Usage": ".conversation",
    "Vector": ".conversation",
    "conversation_from_dict": ".serialize",
    "conversation_id": ".conversation",
    "conversation_to_dict": ".serialize",
    "from_iso": ".timestamps",
    "is_json_array": ".json_values",
    "is_json_object": ".json_values",
    "part_from_dict": ".serialize",
    "part_to_dict": ".serialize",
    "to_iso": ".timestamps",
    "turn_from_dict": ".serialize",
    "turn_to_dict": ".serialize",
}

__all__ = [
    "AT_END",
    "LOW_READING",
    "ArchiveError",
    "ArchiveLockedError",
    "ArchiveUnavailableError",
    "Batch",
    "Blob",
    "CaptureError",
    "ConfigError",
    "Conversation",
    "ConversationFilter",
    "CorruptArchiveError",
    "DejavuError",
    "Extension",
    "HiddenTurnsError",
    "InvalidValueError",
    "KeysBetweenError",
    "LegalHoldError",
    "NewerFormatError",
    "NotFoundError",
    "Part",
    "ProviderError",
    "RawDelta",
    "Reasoning",
    "Receipt",
    "Relation",
    "Role",
    "RulePackError",
    "ScrapeError",
    "Span",
    "SpawnError",
    "Text",
    "ToolCall",
    "ToolCallResponse",
    "Turn",
    "TurnUpdate",
    "UnreadableSessionError",
    "Usage",
    "Vector",
    "conversation_from_dict",
    "conversation_id",
    "conversation_to_dict",
    "from_iso",
    "is_json_array",
    "is_json_object",
    "part_from_dict",
    "part_to_dict",
    "to_iso",
    "turn_from_dict",
    "turn_to_dict",
]


__getattr__ = names_on_first_use(__name__, _MODULES)
