"""A turn with every text in it redacted. Pure; O(text)."""

from collections.abc import Callable
from typing import Any

import msgspec

from dejavu.model import (
    Extension,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    is_json_array,
    is_json_object,
)
from dejavu.redact import without_fill


def redact_turn(turn: Turn, redact: Callable[[str], str]) -> Turn:
    """Return a screen turn with every text in it redacted, rows masked before included."""

    def clean(text: str) -> str:
        return without_fill(redact(text))

    parts = tuple(_redact_part(part, clean) for part in turn.parts)
    return msgspec.structs.replace(turn, parts=parts)


def _redact_part(part: Part, redact: Callable[[str], str]) -> Part:
    def walk(value: Any) -> Any:
        if isinstance(value, str):
            return redact(value)
        if is_json_array(value):
            return [walk(item) for item in value]
        if is_json_object(value):
            return {key: walk(item) for key, item in value.items()}
        return value

    match part:
        case Text(content=content):
            return Text(redact(content))
        case Reasoning(content=content):
            return Reasoning(redact(content))
        case ToolCall(id=call, name=name, arguments=arguments):
            return ToolCall(call, redact(name), walk(arguments))
        case ToolCallResponse(id=call, response=response, is_error=failed):
            return ToolCallResponse(call, walk(response), failed)
        case Extension(kind=kind, data=data):
            return Extension(kind, walk(data))
        case _:
            return part
