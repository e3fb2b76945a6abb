"""Parts of a turn, as the OpenTelemetry GenAI message schema has them.

Source: OpenTelemetry semantic conventions for generative AI, `gen_ai.input.messages` /
`gen_ai.output.messages` (TextPart, ReasoningPart, ToolCallRequestPart, ToolCallResponsePart,
BlobPart). What an agent has beyond them is an `Extension`, never dropped.

Inside and on disk the union is tagged (`type`); `serialize.py` makes the outward JSON.
"""

from typing import Any

import msgspec


class _Part(msgspec.Struct, frozen=True, kw_only=False, tag_field="type", omit_defaults=True):
    """Common to all parts: frozen, compared by value, tagged by `type`."""


class Text(_Part, frozen=True, tag="text"):
    """What was said: markdown as the agent wrote it, or plain text from a screen."""

    content: str


class Reasoning(_Part, frozen=True, tag="reasoning"):
    """What the model thought, where the agent keeps it."""

    content: str


class ToolCall(_Part, frozen=True, tag="tool_call"):
    """A tool asked for. `arguments` is what the model gave: usually a JSON object."""

    id: str | None
    name: str
    arguments: Any = None


class ToolCallResponse(_Part, frozen=True, tag="tool_call_response"):
    """What the tool gave back, under the id of its call. `response` is text or JSON."""

    id: str | None
    response: Any = None
    is_error: bool = False


class Blob(_Part, frozen=True, tag="blob"):
    """Inline data such as a pasted image: base64 text, as the agents store it."""

    mime_type: str | None
    content: str
    modality: str = "image"


class Extension(_Part, frozen=True, tag="x"):
    """Anything an agent has beyond the schema; outward its type is `x.<kind>`.

    `kind` is `<agent>.<type>`, `data` the agent's own object.
    """

    kind: str
    data: dict[str, Any] = {}


Part = Text | Reasoning | ToolCall | ToolCallResponse | Blob | Extension
