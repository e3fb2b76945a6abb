"""Assembling an answer that its agent writes as several records, in one lane or in two.

Appends parts in the order of the records and groups them into turns: the model's words and calls up
to the next result or prompt are one assistant turn. Some agents write the same words twice (the
model's history and the interface's events): `is_duplicate` tells whether the other lane had them.
Costs O(1) a record; remembers the last few pieces only.

Used directly by the agents that `entry_parsers` does not fit; each parser says why.
"""

from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from dejavu.model import Extension, Part, Role, Span, Text, Turn, Usage
from dejavu.model.blake2 import blake2b

from .conversation_builder import ConversationBuilder, RecentIds
from .parsing import RecordParser

_HELD = 64  # turns an answer may be behind before it is taken for finished
_LANES = 32  # pieces remembered that the other lane may still bring


class Piece(NamedTuple):
    """One thing an agent wrote down: its object, where it is, when it was said."""

    payload: dict[str, Any]
    span: Span
    at: float | None = None


class MessageAssembler(RecordParser):
    """A parser that knows, for each of its threads, the answer being given."""

    def memory(self) -> dict[str, Any]:
        """The last answer of each thread, whether it continues, what one lane brought, dated lines."""
        return {
            "answers": self._answers,
            "going": sorted(self._going),
            "lanes": self._lanes,
            "lines": self._lines.dump(),
        }

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse."""
        self._answers: dict[str, int] = dict(memory.get("answers", {}))
        self._going: set[str] = set(memory.get("going", ()))
        self._lanes: list[list[str]] = [list(piece) for piece in memory.get("lanes", ())]
        self._lines = RecentIds(*memory.get("lines", ()))

    def is_repeated(
        self, line: memoryview, at: float | None, record_id: object = None, content: object = None
    ) -> bool:
        """Whether a record stood in the log before; of late, or at its beginning.

        It is the same where its id and its content are, whatever else of it was damaged, or where it
        is so byte for byte. A record without time and id may be there twice.
        """
        if at is None and not record_id:
            return False
        name = (_name_of(record_id, content) if content else "") or _digest(line)
        if name in self._lines:
            return True
        self._lines.add(name, None)
        return False

    # -- turns ---------------------------------------------------------------------------------

    def append_assistant(
        self, thread: ConversationBuilder, parts: list[Part], piece: Piece, **fields: Any
    ) -> None:
        """Add to the answer being given, or begin one; `fields` are the turn's, if new."""
        key = thread.head.native_id
        seq = self._answers.get(key, -1)
        current = thread.get(seq) if key in self._going else None
        if current is not None:
            gained = {name: value for name, value in fields.items() if not getattr(current, name)}
            new = () if piece.span in current.spans else (piece.span,)
            turn = replace(
                current, parts=(*current.parts, *parts), spans=(*current.spans, *new), **gained
            )
            thread.replace(seq, turn)
        else:
            thread.freeze_before(len(thread))
            self._answers[key] = thread.append(_turn(Role.ASSISTANT, parts, piece, fields))
            self._going.add(key)

    def add(
        self,
        thread: ConversationBuilder,
        role: Role,
        parts: list[Part],
        piece: Piece,
        **fields: Any,
    ) -> None:
        """Add a turn of anyone else; a prompt or a tool's result ends the answer."""
        if role is not Role.SYSTEM:
            self.end(thread)
        thread.append(_turn(role, parts, piece, fields))
        if role is Role.USER:
            thread.freeze_before(
                len(thread)
            )  # nothing before a prompt changes any more, nor the prompt
        if len(thread) - self._answers.get(thread.head.native_id, -1) > _HELD:
            self.end(thread)
            thread.freeze_before(len(thread) - 1)

    def end(self, thread: ConversationBuilder) -> None:
        """What is said next is another answer."""
        self._going.discard(thread.head.native_id)

    def set_usage(
        self, thread: ConversationBuilder, usage: Usage | None, model: str | None = None
    ) -> None:
        """Set the tokens of the last answer, which its agent tells only afterwards."""
        seq = self._answers.get(thread.head.native_id, -1)
        current = thread.get(seq)
        if usage is not None and current is not None:
            thread.replace(seq, replace(current, usage=usage, model=current.model or model))

    def append_error(
        self,
        thread: ConversationBuilder,
        message: str,
        piece: Piece,
        data: dict[str, Any] | None = None,
    ) -> None:
        """Keep an error the agent met, as text and as data."""
        part = Extension(f"{self.source.agent}.error", {"message": message, **(data or {})})
        self.add(thread, Role.SYSTEM, [Text(message), part], piece)

    # -- lanes ---------------------------------------------------------------------------------

    def is_duplicate(self, lane: str, kind: str, words: str) -> bool:
        """Whether another lane brought these words already; if not, they are remembered.

        Words are the same if one text holds the other, blanks at the ends aside: an interface
        shows a prompt without what the harness put around it.
        """
        stripped = words.strip()
        others = [
            piece
            for piece in reversed(self._lanes)
            if piece[:2] != [lane, kind] and piece[1] == kind
        ]
        twin = next((piece for piece in others if piece[2] == stripped), None)
        if twin is None and kind == "prompt":
            twin = next((piece for piece in others if _holds(stripped, piece[2])), None)
        if twin is not None:
            self._lanes.remove(twin)
            return True
        self._lanes.append([lane, kind, stripped])
        del self._lanes[:-_LANES]
        return False

    def clear_duplicates(self) -> None:
        """Both lanes have said all of this turn."""
        self._lanes.clear()


def _digest(data: bytes | memoryview) -> str:
    return blake2b(data, digest_size=8).hexdigest()


def _name_of(record_id: object, content: object) -> str:
    """A digest of an id and a content; "" without an id, or where the content has no bytes."""
    try:
        return _digest(msgspec.json.encode((record_id, content))) if record_id else ""
    except (UnicodeEncodeError, TypeError, ValueError, RecursionError):
        return ""


def _holds(first: str, second: str) -> bool:
    return bool(first and second) and (first in second or second in first)


def _turn(role: Role, parts: list[Part], piece: Piece, fields: dict[str, Any]) -> Turn:
    return Turn(role=role, parts=tuple(parts), at=piece.at, spans=(piece.span,), **fields)
