"""Turns put together while an agent speaks: answers in progress, prompts, errors, sub-agents.

Appends what a live trace reports, in its order, and holds one thread a conversation. Does no I/O.

* A conversation has the agent's own id, so that its turns can be fused with its session file's.
  Some agents tell it in their last line only: until then the first conversation is held back.
  A trace may go back and forth between conversations; each keeps its turn in progress.
* A prompt that is in argv only is turn 0, unless the trace itself tells what was asked.
* What comes twice is one turn: a prompt, an error, a message that comes in pieces and whole.
"""

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec.structs import replace

from dejavu.model import (
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

from ...conversation_builder import ConversationBuilder
from ...parsing import MAIN, RecordParser
from ...protocol import TurnUpdate
from .partial_message import Answer, begun

MORE = "(more)"
"""What `drift` calls unknown types beyond `MAX_KINDS`: a hostile trace must not fill the memory."""
MAX_KINDS = 4096
_OPEN, _CLOSED = -1, -2  # of `_asked`, which else is the seq of the prompt from argv
_SUB = "\0"  # between a conversation's key and its sub-agent's, which no id has


class DialogueParser(RecordParser):
    """What subclasses call from `record`: `name`, `answer`, `append`, `said`, `fail`."""

    vector = Vector.STREAM
    _names: dict[str, str]
    """Native ids by thread key; the first conversation's key is `MAIN`, others' is their id."""
    _models: dict[str, str]
    _main: str
    _asked: int
    _error: str
    _answers: dict[str, Answer]

    # -- the Parser protocol -------------------------------------------------------------------

    def take(self) -> tuple[TurnUpdate, ...]:
        """What changed; nothing while the first conversation has no name."""
        self._write_all()
        return super().take() if MAIN in self._names or not self.threads else ()

    def resume(self, state: bytes) -> None:
        """Go on where `state` left off."""
        super().resume(state)
        if MAIN not in self._names:  # held back: none of it was ever taken
            for key, thread in list(self.threads.items()):
                head, start, turns, *_ = thread.dump()
                self.threads[key] = ConversationBuilder(head, start)
                for turn in turns:
                    self.threads[key].append(turn)

    def memory(self) -> dict[str, Any]:
        """What must be remembered between feeds."""
        self._write_all()
        return {
            "names": self._names,
            "main": self._main,
            "asked": self._asked,
            "error": self._error,
            "models": self._models,
            "answers": {key: msgspec.to_builtins(answer) for key, answer in self._answers.items()},
        }

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse of `memory`."""
        self._names = dict(memory.get("names", {}))
        self._main = str(memory.get("main", MAIN))
        self._asked = memory.get("asked", _OPEN)
        self._error = memory.get("error", "")
        self._models = dict(memory.get("models", {}))
        answers = memory.get("answers", {})
        self._answers = {key: msgspec.convert(answer, Answer) for key, answer in answers.items()}

    # -- for subclasses ------------------------------------------------------------------------

    def at(self, span: Span) -> float | None:  # noqa: ARG002 - a trace that tells all its moments
        """When the bytes of `span` came, as far as that was told."""
        return None

    def name(self, native_id: str | None, **head: Any) -> None:
        """Turn to the conversation of this id; set those fields of its head that are given."""
        if native_id and native_id != self._names.get(self._main):
            keys = [key for key, name in self._names.items() if name == native_id]
            if keys or self._main in self._names:
                self._main = keys[0] if keys else native_id
            self._names[self._main] = native_id
            for key, thread in self.threads.items():
                if key.partition(_SUB)[0] == self._main:
                    thread.set_summary(replace(thread.head, **self.identity(key)))
        if head:
            self.amend(self.thread(), **head)

    @property
    def model(self) -> str | None:
        """The model the conversation's trace named last, for answers that do not name theirs."""
        return self._models.get(self._main)

    @model.setter
    def model(self, model: str | None) -> None:
        if model:
            self._models[self._main] = model

    def thread(self, sub: str | None = None) -> ConversationBuilder:
        """The thread of the conversation in turn, or of its sub-agent's."""
        return self._thread(self._key(sub))

    def answer(
        self, span: Span, message: str | None = None, sub: str | None = None, **fields: Any
    ) -> Answer:
        """The assistant's turn in progress: that of `message`, the one without id, or new.

        `sub` names a sub-agent's thread. `fields` are the turn's, where it begins here.
        """
        key = self._key(sub)
        current = self._answers.get(key)
        if current is not None and (None in (message, current.id) or current.id == message):
            current.id = current.id or message
            current.reach(span)
            return current
        self.end_answer(sub)
        if fields.get("at") is None:
            fields["at"] = self.at(span)
        answer = begun(span, vector=self.vector, **fields)
        answer.id = message
        self._answers[key] = answer
        return answer

    def open_answer(self, sub: str | None = None) -> Answer | None:
        """The turn in progress, if there is one."""
        return self._answers.get(self._key(sub))

    def end_answer(self, sub: str | None = None) -> None:
        """The turn in progress is whole: what comes next is another."""
        key = self._key(sub)
        answer = self._answers.pop(key, None)
        if answer is not None:
            self._write(key, answer)

    def end_answers(self) -> None:
        """All turns in progress are whole."""
        self._write_all()
        self._answers.clear()

    def append(
        self,
        role: Role,
        parts: Iterable[Part],
        span: Span,
        *,
        sub: str | None = None,
        **fields: Any,
    ) -> int:
        """A separate turn; it ends the assistant's turn in progress. Gives its seq."""
        key = self._key(sub)
        self.end_answer(sub)
        self._prompted(key, role)
        if role is not Role.SYSTEM:
            self._error = ""
        thread = self.thread(sub)
        seq = thread.append(self._turn(role, parts, span, fields))
        self._settle(key, thread, seq)
        return seq

    def add_prompt(
        self, parts: Iterable[Part], span: Span, *, sub: str | None = None, **fields: Any
    ) -> None:
        """A prompt as the trace tells it; the first takes the place of the one from argv."""
        if self._key(sub) == MAIN and self._asked >= 0:
            turn = self._turn(Role.USER, parts, span, fields)
            self.threads[MAIN].replace(self._asked, turn)
            self._asked = _CLOSED
        else:
            self.append(Role.USER, parts, span, sub=sub, **fields)

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
        error = Extension(f"{self.source.agent}.error", {"message": text, **data})
        answer = self.open_answer(sub)
        if answer is not None and answer.turn.parts == (Text(text),):  # told as an answer, too
            answer.reach(span)
            answer.note(role=Role.SYSTEM, parts=(Text(text), error))
            answer.turn = replace(answer.turn, model=None)
            self.end_answer(sub)
        else:
            parts = (Text(text), error)
            self.append(Role.SYSTEM, parts, span, sub=sub, at=at, native_id=native_id)
        self._error = text

    def unknown(self, kind: str, line: bytes | memoryview) -> Any:
        """Count a record that is not understood; `(more)` once there are too many kinds."""
        if len(self.drift) > MAX_KINDS:
            self.drift[MORE] += 1
            return None
        return super().unknown(kind[:200], line)

    def ask(self) -> None:
        """Put the prompt from argv first, if nothing was said yet."""
        prompt = self.facts.get("prompt")
        if self._asked != _OPEN or not prompt:
            return
        at = self.facts.get("started_at", self.at(Span(0, 0)))
        turn = Turn(
            role=Role.USER, parts=(Text(str(prompt)),), vector=self.vector, at=at,
            meta={"from": "argv"},
        )  # fmt: skip
        self._asked = self._thread(MAIN).append(turn)

    # -- threads -------------------------------------------------------------------------------

    def _key(self, sub: str | None) -> str:
        return self._main if sub is None else f"{self._main}{_SUB}{sub}"

    def _thread(self, key: str) -> ConversationBuilder:
        thread = self.threads.get(key)
        if thread is None:
            head = replace(self.head(""), **self.identity(key))
            thread = self.threads[key] = ConversationBuilder(head)
        return thread

    def identity(self, key: str) -> dict[str, Any]:
        """What a thread's head has because of its name."""
        agent, instance = self.source.agent, self.source.instance
        main, _, sub = key.partition(_SUB)
        up = self._names.get(main, "")
        if not sub:
            return {"id": conversation_id(agent, instance, up), "native_id": up}
        native = f"{up}/{sub}"
        return {
            "id": conversation_id(agent, instance, native),
            "native_id": native,
            "parent": conversation_id(agent, instance, up),
            "relation": Relation.SUBAGENT,
        }

    def _turn(self, role: Role, parts: Iterable[Part], span: Span, fields: dict[str, Any]) -> Turn:
        if fields.get("at") is None:
            fields["at"] = self.at(span)
        return Turn(role=role, parts=tuple(parts), vector=self.vector, spans=(span,), **fields)

    def _prompted(self, key: str, role: Role) -> None:
        """Before the first turn: the prompt from argv, unless this turn is the prompt."""
        if key == MAIN and self._asked != _CLOSED:
            if role is not Role.USER:
                self.ask()
            if role is not Role.SYSTEM:
                self._asked = _CLOSED

    def _settle(self, key: str, thread: ConversationBuilder, seq: int) -> None:
        """Turns before `seq` are final, but what is held back or may be replaced (the prompt)."""
        if MAIN in self._names and (key != MAIN or self._asked == _CLOSED):
            thread.freeze_before(seq)

    def _write_all(self) -> None:
        for key, answer in self._answers.items():
            self._write(key, answer)

    def _write(self, key: str, answer: Answer) -> None:
        """Put the answer as it is into its thread."""
        turn = answer.built() if answer.dirty else None
        if turn is None or not turn.parts:
            return
        answer.dirty = False
        self._prompted(key, Role.ASSISTANT)
        thread = self._thread(key)
        if answer.seq < 0:
            answer.seq = thread.append(turn)
            self._settle(key, thread, answer.seq)
            self._error = ""
        else:
            thread.replace(answer.seq, turn)
