"""An assistant's turn while it is being spoken: whole parts, and pieces of parts still to come.

Adds parts and deltas in the order they arrive; `turn` is the `Turn` so far. A whole part takes the
place of the pieces that announced it, and a part that is sent again adds nothing. Does no I/O.
Adding costs O(parts of the turn), a piece O(1); the text is joined once when asked for.
"""

from typing import Any

import msgspec
from msgspec.structs import replace

from dejavu.model import Part, Reasoning, Role, Span, Text, ToolCall, Turn, Usage
from dejavu.model.conversation import usage_max

from .values import arguments

_NEAR = 1024  # bytes between two lines of one span
_SPANS = 256  # spans of one turn, beyond which the last one grows


class Piece(msgspec.Struct, array_like=True):
    """A part of which only deltas came so far."""

    kind: str  # "text", "reasoning" or "tool_call"
    content: list[str] = []
    id: str | None = None
    name: str = ""

    def part(self) -> Part | None:
        """What it would be if nothing more came; None while it says nothing."""
        content = "".join(self.content)
        if self.kind == "tool_call":
            return ToolCall(self.id, self.name, arguments(content) if content else None)
        if not content:
            return None
        return Reasoning(content) if self.kind == "reasoning" else Text(content)


class Answer(msgspec.Struct, array_like=True):
    """The turn in progress. `id` is the message's own, `seq` its place once it was written."""

    turn: Turn
    id: str | None = None
    seq: int = -1
    pieces: dict[str, Piece] = {}
    dirty: bool = False

    def add(self, part: Part) -> None:
        """A whole part; one that repeats or extends a part already there takes its place."""
        self.turn = replace(self.turn, parts=joined(self.turn.parts, part))
        self.dirty = True

    def piece(self, slot: str | int, kind: str, text: str = "", **fields: Any) -> None:
        """A delta of the part at `slot` (the stream's own index or id)."""
        piece = self.pieces.get(str(slot))
        if piece is None:
            piece = self.pieces[str(slot)] = Piece(kind, **fields)
        if text:
            piece.content.append(text)
        self.dirty = True

    def drop(self, count: int) -> None:
        """Forget the oldest `count` pieces: their whole parts are here."""
        for slot in list(self.pieces)[:count]:
            del self.pieces[slot]

    def note(self, **fields: Any) -> None:
        """Set those fields of the turn that are given."""
        if present := {name: value for name, value in fields.items() if value is not None}:
            self.turn = replace(self.turn, **present)
            self.dirty = True

    def spend(self, usage: Usage | None) -> None:
        """Tokens of the response so far; counts grow while it streams, so the greater is kept."""
        if usage is not None:
            self.note(usage=usage_max(self.turn.usage, usage))

    def reach(self, span: Span) -> None:
        """The turn is in these bytes too."""
        self.turn = replace(self.turn, spans=reached(self.turn.spans, span))

    @property
    def text(self) -> str:
        """The text of the whole parts, joined by blank lines."""
        return self.turn.text

    def built(self) -> Turn:
        """The turn as it is, pieces and all."""
        parts = self.turn.parts
        for piece in self.pieces.values():
            if (part := piece.part()) is not None:
                parts = joined(parts, part)
        return replace(self.turn, parts=parts)


def begun(span: Span, **fields: Any) -> Answer:
    """An answer that says nothing yet."""
    return Answer(Turn(role=Role.ASSISTANT, spans=(span,), **fields))


def joined(parts: tuple[Part, ...], part: Part) -> tuple[Part, ...]:
    """`parts` with one more, unless it is there already or is the last one, grown."""
    if isinstance(part, ToolCall) and part.id:
        for index, old in enumerate(parts):
            if isinstance(old, ToolCall) and old.id == part.id:
                latest = part if part.arguments is not None else old
                return (*parts[:index], latest, *parts[index + 1 :])
        return (*parts, part)
    if part in parts:
        return parts
    return (*parts[:-1], part) if parts and _grew(parts[-1], part) else (*parts, part)


def _grew(old: Part, new: Part) -> bool:
    """Whether `new` is `old` with more at its end."""
    if isinstance(old, Text) and isinstance(new, Text):
        return new.content.startswith(old.content)
    if isinstance(old, Reasoning) and isinstance(new, Reasoning):
        return new.content.startswith(old.content)
    return False


def reached(spans: tuple[Span, ...], span: Span) -> tuple[Span, ...]:
    """`spans` with one more; lines that stand near each other are one span.

    A long answer comes in thousands of deltas, with notes of the harness between them.
    """
    last = spans[-1] if spans else None
    if last is not None and (
        span.offset <= last.offset + last.length + _NEAR or len(spans) >= _SPANS
    ):
        end = max(last.offset + last.length, span.offset + span.length)
        return (*spans[:-1], Span(last.offset, end - last.offset))
    return (*spans, span)
