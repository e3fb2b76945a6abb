"""What parsers of live traces share: torn lines, a name that comes late, a prompt from argv.

Takes the bytes of a trace (a pipe's output, a spool of payloads) in chunks of any size, each with
the moment it came; gives the same `Update`s as a session file's parser. Does no I/O and owns no
clock. O(bytes); holds the torn last line and the turn in progress.

* The conversation has the agent's own id, so that its turns can be fused with its session file's.
  Some agents tell it in their last line only: until then turns are held back, and `close` gives
  them under the id that argv or the source has.
* A prompt that stands in argv only is turn 0, unless the trace itself tells what was asked.
* Moments that the trace does not tell are those of the chunk, to the second; they are facts, so
  that reading the archive's raw bytes again gives the same turns.
"""

from bisect import bisect_right
from collections.abc import Iterable
from operator import itemgetter
from typing import Any

import msgspec
from msgspec.structs import replace

from dejavu.record import (
    Conversation,
    Extension,
    Part,
    Relation,
    Role,
    Span,
    Text,
    Turn,
    Vector,
    conversation_id,
)

from ..api import Update
from ..parsing import MAIN, RecordParser
from ..records import UNREADABLE, lines, plain
from ..thread import Thread
from .answer import Answer, begun

TORN = "(torn)"
"""What `drift` calls a line that was cut off when the trace ended."""
MORE = "(more)"
"""What `drift` calls unknown types beyond `_DRIFT`: a hostile trace must not fill the memory."""
_DRIFT = 4096
_GRAIN = 1.0  # seconds between the moments that are remembered


class LineParser(RecordParser):
    """A parser of JSON lines that arrive while the agent runs.

    Subclasses give `record`, which calls `name`, `answer`, `append`, `said`, `fail`.
    """

    vector = Vector.STREAM
    model: str | None
    """The model that the trace named last, for answers that do not name theirs."""
    _torn: bytearray
    _next: int
    _native: str
    _main: str
    _asked: int
    _error: str
    _answers: dict[str, Answer]

    # -- the Parser protocol -------------------------------------------------------------------

    def feed(self, data: bytes, offset: int, at: float | None = None) -> None:
        """Take the bytes at `offset`, cut anywhere; `at` is when they came (Unix seconds)."""
        if offset == 0:
            self.restart()
        if at is not None:
            self._mark(offset, at)
        if offset != self._next:
            self._lose()
        self._next = offset + len(data)
        end = data.rfind(b"\n") + 1
        if end:
            start = offset - len(self._torn)
            whole = bytes(self._torn) + data[:end] if self._torn else data[:end]
            self._torn = bytearray(data[end:])
            for line, place, length in lines(whole, start):
                self.record(line, Span(place, length))
        else:
            self._torn += data

    def close(self) -> None:
        """The trace ended: what is open is settled, and what was held back is given."""
        if self._torn:
            torn, start = bytes(self._torn), self._next - len(self._torn)
            if isinstance(plain(torn), dict | list):
                self._torn.clear()
                self.record(memoryview(torn), Span(start, len(torn)))
            else:
                self._lose()
        for key in list(self._answers):
            self._finish(key)
        if not self._native:
            self.name(str(self.facts.get("session") or self._fallback))
        if self._asked == _OPEN and not len(self._thread(self._main)):
            self._ask()

    def take(self) -> tuple[Update, ...]:
        """What changed; nothing while the conversation has no name yet."""
        for key, answer in self._answers.items():
            self._write(key, answer)
        return super().take() if self._native else ()

    def resume(self, state: bytes) -> None:
        """Go on where `state` left off."""
        super().resume(state)
        if not self._native:  # held back: none of it was ever taken
            for key, thread in list(self.threads.items()):
                head, start, turns = thread.dump()
                self.threads[key] = Thread(head, start)
                for turn in turns:
                    self.threads[key].append(turn)

    def memory(self) -> dict[str, Any]:
        """What must be remembered between feeds."""
        for key, answer in self._answers.items():
            self._write(key, answer)
        return {
            "torn": bytes(self._torn),
            "next": self._next,
            "native": self._native,
            "main": self._main,
            "asked": self._asked,
            "error": self._error,
            "model": self.model,
            "answers": {key: msgspec.to_builtins(one) for key, one in self._answers.items()},
        }

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse of `memory`."""
        self._torn = bytearray(memory.get("torn", b""))
        self._next = int(memory.get("next", 0))
        self._native = str(memory.get("native", ""))
        self._main = str(memory.get("main", MAIN))
        self._asked = memory.get("asked", _OPEN)
        self._error = memory.get("error", "")
        self.model = memory.get("model")
        answers = memory.get("answers", {})
        self._answers = {key: msgspec.convert(one, Answer) for key, one in answers.items()}

    # -- for subclasses ------------------------------------------------------------------------

    def name(self, native_id: str | None, **head: Any) -> None:
        """The conversation's own id, and fields of its head; another id is another conversation."""
        if native_id and native_id != self._native:
            if self._native and self.threads.get(self._main):
                self._finish(self._main)
                self._main = native_id
            self._native = native_id
            for key, thread in self.threads.items():
                if key == self._main or key.startswith(_SUB):
                    thread.touch(replace(thread.head, **self._identity(key)))
        if head:
            self.amend(self._thread(self._main), **head)

    def at(self, span: Span) -> float | None:
        """When the bytes of `span` came, as far as that was told."""
        marks: list[tuple[int, float]] = self.facts.get("moments", [])
        place = bisect_right(marks, span.offset, key=itemgetter(0))
        return marks[place - 1][1] if place else None

    def answer(
        self, span: Span, message: str | None = None, sub: str | None = None, **fields: Any
    ) -> Answer:
        """The assistant's turn in progress: that of `message`, the one without id, or new.

        `sub` names a sub-agent's thread. `fields` are the turn's, where it begins here.
        """
        key = self._key(sub)
        held = self._answers.get(key)
        if held is not None and (None in (message, held.id) or held.id == message):
            held.id = held.id or message
            held.reach(span)
            return held
        self._finish(key)
        if (at := fields.pop("at", None)) is None:
            at = self.at(span)
        answer = begun(span, at=at, vector=self.vector, **fields)
        answer.id = message
        self._answers[key] = answer
        return answer

    def open_answer(self, sub: str | None = None) -> Answer | None:
        """The turn in progress, if there is one."""
        return self._answers.get(self._key(sub))

    def append(
        self,
        role: Role,
        parts: Iterable[Part],
        span: Span,
        *,
        sub: str | None = None,
        **fields: Any,
    ) -> int:
        """A turn of its own; it ends the assistant's turn in progress. Gives its seq."""
        key = self._key(sub)
        self._finish(key)
        thread = self._thread(key)
        self._prompted(key, role)
        if fields.get("at") is None:
            fields["at"] = self.at(span)
        turn = Turn(role=role, parts=tuple(parts), vector=self.vector, spans=(span,), **fields)
        seq = thread.append(turn)
        self._settle(key, seq)
        if role is not Role.SYSTEM:
            self._error = ""
        return seq

    def said(
        self, parts: Iterable[Part], span: Span, *, sub: str | None = None, **fields: Any
    ) -> None:
        """A prompt as the trace tells it; the first takes the place of the one from argv."""
        key = self._key(sub)
        thread = self.threads.get(key)
        if key == self._main and self._asked >= 0 and thread is not None:
            if fields.get("at") is None:
                fields["at"] = self.at(span)
            turn = Turn(
                role=Role.USER, parts=tuple(parts), vector=self.vector, spans=(span,), **fields
            )
            thread.replace(self._asked, turn)
            self._asked = _CLOSED
            return
        self.append(Role.USER, parts, span, sub=sub, **fields)

    def end_answer(self, sub: str | None = None) -> None:
        """The turn in progress is whole: what comes next is another."""
        self._finish(self._key(sub))

    def fail(
        self,
        text: str,
        span: Span,
        *,
        sub: str | None = None,
        at: float | None = None,
        native_id: str | None = None,
        **facts: Any,
    ) -> None:
        """An error the agent shows; the same one told twice is one turn."""
        if text and text == self._error:
            return
        data = {name: value for name, value in facts.items() if value is not None}
        answer = self.open_answer(sub)
        parts: tuple[Part, ...] = (
            Text(text),
            Extension(f"{self.source.agent}.error", {"message": text, **data}),
        )
        if answer is not None and answer.text == text and len(answer.turn.parts) == 1:
            answer.reach(span)
            answer.note(role=Role.SYSTEM, parts=parts)
            answer.turn = replace(answer.turn, model=None)
            self._finish(self._key(sub))
        else:
            self.append(Role.SYSTEM, parts, span, sub=sub, at=at, native_id=native_id)
        self._error = text

    def unknown(self, kind: str, line: bytes | memoryview) -> Any:
        """Count a record that is not understood; `(more)` once there are too many kinds."""
        if len(self.drift) > _DRIFT:
            self.drift[MORE] += 1
            return None
        return super().unknown(kind[:200], line)

    # -- threads -------------------------------------------------------------------------------

    @property
    def _fallback(self) -> str:
        """An id for a conversation that never told its own."""
        return self.source.native_id or f"{self.vector}:{self.source.name or self.source.path}"

    def _key(self, sub: str | None) -> str:
        return self._main if sub is None else _SUB + sub

    def _identity(self, key: str) -> dict[str, Any]:
        agent, instance = self.source.agent, self.source.instance
        native = f"{self._native}/{key[len(_SUB) :]}" if key.startswith(_SUB) else self._native
        fields: dict[str, Any] = {
            "id": conversation_id(agent, instance, native), "native_id": native,
        }  # fmt: skip
        if key.startswith(_SUB):
            fields["parent"] = conversation_id(agent, instance, self._native)
            fields["relation"] = Relation.SUBAGENT
        return fields

    def _thread(self, key: str) -> Thread:
        thread = self.threads.get(key)
        if thread is None:
            head: Conversation = replace(self.head(self._native), **self._identity(key))
            thread = self.threads[key] = Thread(head)
        return thread

    def _settle(self, key: str, seq: int) -> None:
        if key != self._main or self._asked == _CLOSED:
            self._thread(key).settle(seq)

    def _prompted(self, key: str, role: Role) -> None:
        """Before the first turn: the prompt from argv, unless this turn is the prompt."""
        if key != self._main or self._asked == _CLOSED:
            return
        if self._asked == _OPEN and role is not Role.USER:
            self._ask()
        if role in (Role.USER, Role.ASSISTANT, Role.TOOL):
            self._asked = _CLOSED

    def _ask(self) -> None:
        prompt = self.facts.get("prompt")
        if not prompt:
            self._asked = _CLOSED
            return
        at = self.facts.get("started_at", self.at(Span(0, 0)))
        turn = Turn(
            role=Role.USER, parts=(Text(str(prompt)),), vector=self.vector,
            at=at, meta={"from": "argv"},
        )  # fmt: skip
        self._asked = self._thread(self._main).append(turn)

    def _write(self, key: str, answer: Answer) -> None:
        """Put the answer as it stands into its thread."""
        if not answer.dirty:
            return
        turn = answer.built()
        if not turn.parts:
            return
        answer.dirty = False
        thread = self._thread(key)
        if answer.seq < 0:
            self._prompted(key, Role.ASSISTANT)
            answer.seq = thread.append(turn)
            self._settle(key, answer.seq)
            self._error = ""
        else:
            thread.replace(answer.seq, turn)

    def _finish(self, key: str) -> None:
        answer = self._answers.pop(key, None)
        if answer is not None:
            self._write(key, answer)

    # -- bytes ---------------------------------------------------------------------------------

    def _mark(self, offset: int, at: float) -> None:
        marks: list[tuple[int, float]] = self.facts.setdefault("moments", [])
        if offset == 0:
            marks.clear()
        if not marks or at - marks[-1][1] >= _GRAIN:
            marks.append((offset, at))

    def _lose(self) -> None:
        """A line of which the end never came."""
        if self._torn:
            self.drift[TORN if bytes(self._torn[:1]) in (b"{", b"[") else UNREADABLE] += 1
            self._torn.clear()


_OPEN, _CLOSED = -1, -2  # of `_asked`, which else is the seq of the prompt from argv
_SUB = "\0"  # before a sub-agent's key, which no session id has
