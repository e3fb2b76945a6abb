"""JSON Schemas of GenAI messages, written from the OpenTelemetry conventions.

They hold for v1.41.0 and for the version after it at once, and are stricter than either where those
let any object with a `type` pass as a generic part: here a part is one of the defined types with
its required fields, or a `generic` part that names its own type. Sources: `gen_ai.input.messages`,
`gen_ai.output.messages` and `gen_ai.system_instructions` in semantic-conventions-genai.
"""

from typing import Any

_TEXT = {"type": "string"}
_ID = {"type": ["string", "null"]}


def _part(type_: str, *optional: str, **required: Any) -> dict[str, Any]:
    properties = {"type": {"const": type_}, **required, **dict.fromkeys(optional, _ID)}
    return {"type": "object", "properties": properties, "required": ["type", *required]}


_PARTS = [
    _part("text", content=_TEXT),
    _part("reasoning", content=_TEXT),
    _part("tool_call", "id", name=_TEXT),
    _part("tool_call_response", "id", response={}),
    _part("server_tool_call", "id", name=_TEXT, server_tool_call={"type": "object"}),
    _part("server_tool_call_response", "id", server_tool_call_response={"type": "object"}),
    _part("blob", "mime_type", modality=_TEXT, content=_TEXT),
    _part("file", "mime_type", modality=_TEXT, file_id=_TEXT),
    _part("uri", "mime_type", modality=_TEXT, uri=_TEXT),
    _part("compaction", "id", "content"),
    _part("generic", generic_type=_TEXT),
]


def _messages(**required: Any) -> dict[str, Any]:
    parts = {"type": "array", "items": {"anyOf": _PARTS}}
    properties = {"role": _TEXT, "parts": parts, "name": _ID, **required}
    message = {"type": "object", "properties": properties, "required": ["role", "parts", *required]}
    return {"type": "array", "items": message}


INPUT = _messages()
OUTPUT = _messages(finish_reason=_TEXT)
INSTRUCTIONS = {"type": "array", "items": _part("text", content=_TEXT)}
