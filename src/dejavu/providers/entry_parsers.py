"""Parsers of agents whose records are messages: lines, one document, or rows of a database.

A subclass describes one record in `entries`: messages, facts about the session, nothing, or None for
a record that it does not know. Conversations, turns, spans, repeated and unknown records are handled
here. An agent whose stream has the same records gives the same entries to `formats.streams.entries`.
O(bytes).

Tested in: tests/providers/kimi_cli/test_parsers.py
"""

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from dejavu.model import Extension, Part, Relation, Role, Span, Turn

from .conversation_builder import ConversationBuilder
from .formats.entries import Entry, Session, entry, first_str, joined_texts, time_of
from .formats.json_lines import UNREADABLE, as_dict, as_dicts, as_int, as_str, decode_lenient
from .message_assembler import MessageAssembler
from .parsing import MAIN, DocumentParser, RecordParser

Entries = Iterable[Entry | Session] | None
"""The meaning of a record; None if it is unknown."""


class _EntryTurns(RecordParser):
    """Entries into turns of the source's one conversation."""

    def memory(self) -> dict[str, Any]:
        """Also: the model that the session named last."""
        return {**super().memory(), "model": self._model}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse."""
        super().remember(memory)
        self._model = as_str(memory.get("model"))

    def entries(self, record: dict[str, Any]) -> Entries:
        """What one record says: a message, unless a subclass knows more."""
        message = entry(record, self.source.agent, self._strange)
        return None if message is None else [message]

    def message(self, record: dict[str, Any]) -> list[Entry]:
        """A record's message, if it is one; else it is counted and kept."""
        message = entry(record, self.source.agent, self._strange)
        if message is not None:
            return [message]
        self.drift[f"role {str(record.get('role'))[:40]}"] += 1
        data = {str(key): value for key, value in record.items()}
        return [Entry(Role.SYSTEM, (Extension(f"{self.source.agent}.message", data),))]

    def _strange(self, kind: str) -> None:
        self.drift[kind[:80]] += 1

    def _main(self) -> ConversationBuilder:
        if MAIN not in self.threads:
            facts = self.facts
            native = self.source.native_id or as_str(facts.get("id")) or self.source.path.stem
            thread = self.threads[MAIN] = ConversationBuilder(self.head(native))
            self._amend_session(
                thread,
                Session(
                    as_str(facts.get("title")),
                    as_str(facts.get("workspace")),
                    time_of(facts.get("began")),
                    as_str(facts.get("version")),
                    as_str(facts.get("parent")),
                    Relation.FORK if facts.get("fork") else Relation.SUBAGENT,
                ),
            )
        return self.threads[MAIN]

    def _amend_session(self, thread: ConversationBuilder, session: Session) -> None:
        parent = None
        if session.parent and session.parent != thread.head.native_id:
            parent = self.head("", parent=session.parent, relation=session.relation)
        self.amend(
            thread,
            title=session.title,
            workspace=session.workspace,
            started_at=session.started_at,
            agent_version=session.agent_version or None,
            parent=parent and parent.parent,
            relation=parent and parent.relation,
        )
        self._model = session.model or self._model

    def _add_all(
        self, thread: ConversationBuilder, said: Iterable[Entry | Session], span: Span
    ) -> None:
        for one in said:
            if isinstance(one, Session):
                self._amend_session(thread, one)
            else:
                self._add_entry(thread, one, span)

    def _add_entry(self, thread: ConversationBuilder, one: Entry, span: Span) -> None:
        common: dict[str, Any] = {
            "at": one.at,
            "native_id": one.native_id,
            "parent": one.parent,
            "spans": (span,),
        }
        if one.results:
            thread.append(Turn(role=Role.TOOL, parts=one.results, **common))
        if one.parts and not self._continue(thread, one, span):
            assistant = one.role is Role.ASSISTANT
            model = one.model or self._model or as_str(self.facts.get("model")) or None
            thread.append(
                Turn(
                    role=one.role,
                    parts=one.parts,
                    model=model if assistant else None,
                    usage=one.usage,
                    meta=dict(one.meta),
                    **common,
                )
            )
        elif not one.parts and one.usage is not None:
            self._set_usage(thread, one)
        thread.freeze_before(len(thread) - _HELD)

    def _continue(self, thread: ConversationBuilder, one: Entry, span: Span) -> bool:
        """Add an entry to the last turn if it continues that; return whether it does."""
        last = thread.get(len(thread) - 1)
        if not (one.joined or one.appended) or last is None or last.role is not one.role:
            return False
        parts: tuple[Part, ...] = (*last.parts, *one.parts)
        if one.joined:
            parts = joined_texts(parts)
        spans = last.spans if span in last.spans else (*last.spans, span)
        usage, model = one.usage or last.usage, last.model or one.model
        joined = replace(last, parts=parts, spans=spans, usage=usage, model=model)
        thread.replace(len(thread) - 1, joined)
        return True

    @staticmethod
    def _set_usage(thread: ConversationBuilder, one: Entry) -> None:
        """Add tokens that an agent writes after an answer to that answer."""
        for seq in range(len(thread) - 1, len(thread) - 1 - _HELD, -1):
            turn = thread.get(seq)
            if turn is None or turn.role is Role.ASSISTANT:
                if turn is not None:
                    model = turn.model or one.model
                    thread.replace(seq, replace(turn, usage=one.usage, model=model))
                return


_HELD = 16  # turns that a later record may still change


class LineEntries(_EntryTurns, MessageAssembler):
    """A log of lines, each a record."""

    version = 2
    repeats = True
    """Whether a line that is in the log already is a copy: not where lines lack time and id."""

    def record(self, line: memoryview, span: Span) -> None:
        """Take one line."""
        record = as_dict(decode_lenient(line))
        if not record:
            self.drift[UNREADABLE] += 1
            return
        if self.repeats and self.is_repeated(line, *self.identity(record)):
            return
        self._take_record(record, line, span)

    def identity(self, record: dict[str, Any]) -> tuple[Any, Any, Any]:
        """The time, id and content by which a record that is written twice is recognized."""
        return record.get("timestamp"), record.get("id"), record.get("uuid")

    def kind_of(self, record: dict[str, Any]) -> str:
        """The name under which an unknown record is counted."""
        return as_str(record.get("type") or record.get("kind") or record.get("role"))

    def _take_record(self, record: dict[str, Any], line: memoryview, span: Span) -> None:
        said = self.entries(record)
        thread = self._main()
        if said is None:
            kind = self.kind_of(record)[:80] or "(untyped)"
            at, native_id, _ = self.identity(record)
            chain = {
                "native_id": as_str(native_id) or None,
                "parent": first_str(record, "parentId", "parentUuid") or None,
            }
            self.append_unknown(thread, kind, line, span, at=time_of(at), **chain)
        else:
            self._add_all(thread, said, span)


class DocumentEntries(_EntryTurns, DocumentParser):
    """One document: facts about the session, and its messages."""

    messages: tuple[str, ...] = ("messages",)
    """Keys of the list of messages, the first that exists; or the document is that list."""

    def document(self, value: Any, span: Span) -> None:
        """Take the document."""
        document = as_dict(value)
        thread = self._main()
        self._amend_session(thread, self.session(document))
        records = next((document[key] for key in self.messages if key in document), value)
        for record in as_dicts(records):
            said = self.entries(record)
            self._add_all(thread, self.message(record) if said is None else said, span)

    def session(self, document: dict[str, Any]) -> Session:  # noqa: ARG002 - many have none
        """The facts about the session that the document has."""
        return Session()


class RowEntries(_EntryTurns):
    """The log that `follow.session_database` writes: a session's row, and its messages' rows."""

    def memory(self) -> dict[str, Any]:
        """The seq at which each message begins."""
        return {**super().memory(), "starts": self._starts}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse."""
        super().remember(memory)
        self._starts: list[int] = list(memory.get("starts", ()))

    def record(self, line: memoryview, span: Span) -> None:
        """Take one line of the log."""
        value = as_dict(decode_lenient(line))
        thread = self._main()
        if "session" in value:
            self._amend_session(thread, self.session(as_dict(value["session"])))
        elif "keep" in value:
            keep = max(0, as_int(value["keep"]) or 0)
            if keep < len(self._starts):
                thread.truncate(self._starts[keep])
                del self._starts[keep:]
        elif "message" in value:
            self._starts.append(len(thread))
            self._row(thread, as_dict(value["message"]), span)
        else:
            self.drift[UNREADABLE] += 1

    def _row(self, thread: ConversationBuilder, message: dict[str, Any], span: Span) -> None:
        if message.get("deleted"):
            part = Extension(f"{self.source.agent}.deleted", {"id": as_str(message.get("id"))})
            thread.append(Turn(role=Role.SYSTEM, parts=(part,), spans=(span,)))
            return
        row = as_dict(message.get("data"))
        said = self.entries(row)
        self._add_all(thread, self.message(row) if said is None else said, span)

    def session(self, row: dict[str, Any]) -> Session:  # noqa: ARG002 - some have none
        """The facts about the session that its row has."""
        return Session()
