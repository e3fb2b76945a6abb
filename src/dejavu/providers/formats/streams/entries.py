"""Streams whose lines hold the messages of their agent's session file.

Turns the entries that describe such a message (`formats.entries`) into turns: a whole answer replaces
the pieces of it that came before. Does no I/O. O(size of the message).

Tested in: tests/providers/pi/test_stream.py
"""

from dejavu.model import Extension, Role, Span

from ..entries import Entry
from .dialogue import MAX_KINDS, MORE
from .jsonl import LineParser


class EntryStream(LineParser):
    """A parser of lines of which some are whole messages. Subclasses give `record`."""

    def add_entry(
        self, one: Entry, span: Span, *, message: str | None = None, sub: str | None = None
    ) -> None:
        """Add a message; `message` is the id under which pieces of it came, `sub` its sub-agent."""
        error = next((part for part in one.parts if isinstance(part, Extension)), None)
        if one.results:
            self.append(Role.TOOL, one.results, span, sub=sub, at=one.at, native_id=one.native_id)
        if one.role is Role.ASSISTANT:
            answer = self.answer(span, message, sub, at=one.at)
            answer.pieces.clear()
            for part in one.parts:
                answer.add(part)
            answer.spend(one.usage)
            meta = {**answer.turn.meta, **one.meta}
            answer.note(at=one.at, native_id=one.native_id, model=one.model, meta=meta)
        elif error is not None and error.kind == f"{self.source.agent}.error":
            self.fail(span=span, sub=sub, at=one.at, native_id=one.native_id, **_facts(error))
        elif one.parts and one.role is Role.USER:
            self.add_prompt(one.parts, span, sub=sub, at=one.at, native_id=one.native_id)
        elif one.parts:
            self.append(one.role, one.parts, span, sub=sub, at=one.at, native_id=one.native_id)

    def strange(self, kind: str) -> None:
        """Count a block of an unknown type; `(more)` once there are too many types."""
        self.drift[MORE if len(self.drift) > MAX_KINDS else kind[:80]] += 1


def _facts(error: Extension) -> dict[str, str]:
    """An error's words as `text`, and its other facts."""
    data = dict(error.data)
    return {"text": data.pop("message", ""), **data}
