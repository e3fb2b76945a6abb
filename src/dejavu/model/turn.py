"""A turn: who spoke, in which parts, when, and how it was captured.

`Turn`, with `Vector` (how it was captured), `Usage` (tokens) and `Span` (its position in the
source's raw bytes). Data only.
"""

from enum import StrEnum

import msgspec

from .part import Part, Text


class Role(StrEnum):
    """Who speaks, in the words of OpenTelemetry GenAI."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"


class Vector(StrEnum):
    """How a turn was captured. `rank` orders them: the smaller, the more reliable."""

    NATIVE = "native"
    STREAM = "stream"
    HOOK = "hook"
    OTLP = "otlp"
    WIRE = "wire"
    SCREEN = "screen"

    @property
    def rank(self) -> int:
        """0 for the agent's own files, up to the screen, the last resort."""
        return _RANK[self]


_RANK = {vector: rank for rank, vector in enumerate(Vector)}


class Usage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Tokens and cost of one model response; None where the agent does not say.

    Names follow `gen_ai.usage.*`; `input_tokens` includes what came from a cache and what was
    written to one, `output_tokens` what was reasoned. `cache_creation_1h_input_tokens` are those
    of `cache_creation_input_tokens` that are kept an hour. `cost` is in US dollars.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    reasoning_output_tokens: int | None = None
    cache_creation_1h_input_tokens: int | None = None
    cost: float | None = None


class Span(msgspec.Struct, frozen=True, array_like=True):
    """Bytes `[offset, offset + length)` of the source's raw stream."""

    offset: int
    length: int


LOW_READING = "low_reading"
"""In the `meta` of a turn of the screen: its agent's screens were read badly at the time."""


class Turn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One turn of a conversation.

    `seq` is its index, from 0, in the order shown. `at` is Unix seconds (UTC). `native_id` and
    `parent` are the agent's own ids of this turn and of the one it answers (a tree in agents
    that branch). `spans` say where the turn is in the raw bytes of its source.
    `meta` holds small facts of the agent that have no field here (a stop reason, a sub-agent's
    id); nothing in it is needed to show the turn.
    """

    seq: int = 0
    role: Role
    parts: tuple[Part, ...] = ()
    at: float | None = None
    vector: Vector = Vector.NATIVE
    model: str | None = None
    usage: Usage | None = None
    native_id: str | None = None
    parent: str | None = None
    spans: tuple[Span, ...] = ()
    meta: dict[str, str | int | float | bool | None] = {}

    @property
    def text(self) -> str:
        """The text parts, joined by blank lines."""
        return "\n\n".join(part.content for part in self.parts if isinstance(part, Text))
