"""What parsers share: threads by key, facts found next to the source, a state to go on from.

`RecordParser` takes bytes and cuts them into records; a subclass says what each record means. One
source may hold several conversations (sub-agents inside their parent's file), so threads have a
key of the subclass's own; the source's main conversation is `""`.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from dejavu.model import (
    Conversation,
    Extension,
    ProviderError,
    Relation,
    Role,
    Span,
    Turn,
    conversation_id,
)

from .conversation_builder import ConversationBuilder
from .formats.json_lines import (
    UNREADABLE,
    as_dict,
    as_list,
    decode_lenient,
    is_object,
    key_paths,
    lines,
    repair_truncated,
)
from .formats.long_lines import (
    BEGINNING,
    TRUNCATED,
    UNCHECKED,
    closed_record,
    is_too_long,
    longest_line,
)
from .protocol import Source, TurnUpdate
from .spilled import SpilledOutputs

MAIN = ""
P = TypeVar("P", bound="RecordParser")
_KEPT = 1 << 16  # bytes of an unknown record that go into a turn; the raw stream has the rest


class StaleStateError(ProviderError):
    """Another version of a parser wrote this state; parse the source's raw stream again."""


class _State(msgspec.Struct, array_like=True):
    format: str
    facts: dict[str, Any]
    threads: dict[str, tuple[Conversation, int, tuple[Turn, ...], int | None]]
    memory: dict[str, Any]
    in_long_line: bool = False
    unfinished: tuple[int, bytes] | None = (
        None  # where a line that was read in part begins, and how
    )


_decode_state = msgspec.msgpack.Decoder(_State).decode


def facts_of(state: bytes) -> dict[str, Any]:
    """The facts that a parser's state keeps, whichever version wrote it; none if unreadable."""
    try:
        _, facts, *_ = msgspec.msgpack.decode(state)
    except (msgspec.DecodeError, ValueError):
        return {}
    return as_dict(facts)


class RecordParser(ABC):
    """A parser of a stream of lines, each a JSON record.

    Subclasses give `version` (raised when the same bytes give other turns) and `record`, and keep
    what they must remember between feeds through `memory` / `remember`.
    """

    version = 1

    def __init__(self, source: Source, facts: Mapping[str, Any]) -> None:
        self.source = source
        self.facts = dict(facts)
        self.drift: Counter[str] = Counter()
        self.threads: dict[str, ConversationBuilder] = {}
        self.spilled = SpilledOutputs()
        self._pieces: list[bytes] = []  # of a line that has not ended yet
        self._pieces_at = 0
        self._in_long_line = False  # the rest of a line that is too long is still to come
        self.remember({})

    # -- the Parser protocol -------------------------------------------------------------------

    def feed(self, data: bytes, offset: int) -> None:
        """Take bytes, cut anywhere; a last line without newline waits, unless it is an object."""
        if offset == 0:
            self.restart()
            self._pieces.clear()
            self._in_long_line = False
        data, offset = self.skip_long_line(data, offset)
        end, rest = data.rfind(b"\n") + 1, b""
        if end < len(data) and not self._complete(data, end):
            data, rest = data[:end], data[end:]
        if data and self._pieces:
            data, offset = b"".join((*self._pieces, data)), self._pieces_at
            self._pieces.clear()
        for line, start, length in lines(data, offset):
            if length > UNCHECKED and is_too_long(data if length + 1 >= len(data) else bytes(line)):
                self._truncated(bytes(line[:BEGINNING]), start)
            else:
                self.record(line, Span(start, length))
        if rest:
            self._pieces_at = self._pieces_at if self._pieces else offset + len(data)
            self._pieces.append(rest)
            if sum(map(len, self._pieces)) > longest_line():
                self._truncated(b"".join(self._pieces)[:BEGINNING], self._pieces_at)
                self._pieces.clear()
                self._in_long_line = True

    def skip_long_line(self, data: bytes, offset: int) -> tuple[bytes, int]:
        """`data` and its offset without the rest of a line that was too long."""
        if not self._in_long_line:
            return data, offset
        skipped = data.find(b"\n") + 1 or len(data)
        self._in_long_line = data[skipped - 1 : skipped] != b"\n"
        return data[skipped:], offset + skipped

    def _truncated(self, beginning: bytes, start: int) -> None:
        """Take a line of which only the beginning may be parsed; its turns say so."""
        self.drift[TRUNCATED] += 1
        span = Span(start, len(beginning))
        self.beginning(memoryview(closed_record(beginning)), span)
        part = Extension(f"{self.source.agent}.truncated", {"parsed_bytes": len(beginning)})
        marked = [thread.extend(span, part) for thread in self.threads.values()]
        if not any(marked) and MAIN in self.threads:
            self.threads[MAIN].append(Turn(role=Role.SYSTEM, parts=(part,), spans=(span,)))

    def take(self) -> tuple[TurnUpdate, ...]:
        """What changed, a conversation an update."""
        taken = (thread.take() for thread in self.threads.values())
        return tuple(update for update in taken if update is not None)

    def state(self) -> bytes:
        """Facts, threads and memory, under the parser's name and version."""
        threads = {key: thread.dump() for key, thread in self.threads.items()}
        unfinished = None
        if self._pieces:  # only lines that are too long are cut by those who follow a source
            unfinished = self._pieces_at, b"".join(self._pieces)[:BEGINNING]
        state = _State(
            self._format, self.facts, threads, self.memory(), self._in_long_line, unfinished
        )
        try:
            return msgspec.msgpack.encode(state)
        except OverflowError:  # JSON has numbers of any size, msgpack has 64 bits
            plain_state = msgspec.to_builtins(state, builtin_types=(bytes,))
            return msgspec.msgpack.encode(_narrowed(plain_state))

    def resume(self, state: bytes) -> None:
        """Go on where `state` left off; facts found again win over those it kept.

        Raises:
            StaleStateError: another version wrote it.
        """
        if state_format(state) != self._format:
            raise StaleStateError(
                f"{self.source.path}: the parser changed; run `dejavu archive reparse`"
            )
        try:
            stored = _decode_state(state)
        except msgspec.ValidationError as error:
            raise StaleStateError(
                f"{self.source.path}: {error}; run `dejavu archive reparse`"
            ) from error
        self.facts = {**stored.facts, **self.facts}
        self.threads = {key: ConversationBuilder(*thread) for key, thread in stored.threads.items()}
        self.remember(stored.memory)
        self._in_long_line = stored.in_long_line
        if stored.unfinished is not None:
            offset, beginning = stored.unfinished
            self._truncated(beginning, offset)
            self._in_long_line = True

    @property
    def _format(self) -> str:
        return f"{type(self).__name__}/{self.version}"

    def _complete(self, data: bytes, end: int) -> bool:
        """Whether what is in `data` after its last newline is a whole record."""
        if not data.rstrip().endswith(b"}"):
            return False
        return is_object(data[end:] if end else b"".join((*self._pieces, data)))

    # -- for subclasses ------------------------------------------------------------------------

    @abstractmethod
    def record(self, line: memoryview, span: Span) -> None:
        """Take one record."""

    def beginning(self, line: memoryview, span: Span) -> None:
        """Take what can be read of a record that is too long."""
        self.record(line, span)

    def restart(self) -> None:
        """Forget everything but the facts: the stream starts over."""
        self.threads.clear()
        self.remember({})

    def memory(self) -> dict[str, Any]:
        """What must be remembered between feeds, as msgpack takes it."""
        return {}

    def remember(self, memory: dict[str, Any]) -> None:  # noqa: B027 - most need none
        """The inverse of `memory`; an empty one is the beginning."""

    def head(
        self,
        native_id: str,
        *,
        parent: str | None = None,
        relation: Relation | None = None,
        **fields: Any,
    ) -> Conversation:
        """A conversation's head; `parent` is the native id of another of this agent's.

        A workspace that the operator named wins over the one that the agent's file tells.
        """
        source = self.source
        folder = str(fields.pop("workspace", "") or "")
        up = conversation_id(source.agent, source.instance, parent) if parent else None
        return Conversation(
            id=conversation_id(source.agent, source.instance, native_id),
            workspace=_printable(source.workspace or folder),
            instance=source.instance,
            agent=source.agent,
            native_id=_printable(native_id),
            parent=up,
            relation=relation if up else None,
            source=_printable(str(source.path)),
            **fields,
        )

    def amend(self, thread: ConversationBuilder, **fields: Any) -> None:
        """Set those fields of a thread's head that are given and differ."""
        if self.source.workspace:
            fields.pop("workspace", None)
        if changed := {k: v for k, v in fields.items() if v and getattr(thread.head, k) != v}:
            thread.set_summary(replace(thread.head, **changed))

    def unknown(self, kind: str, line: bytes | memoryview) -> Any:
        """Count a record that is not understood by its type and key paths; return its value."""
        value = decode_lenient(line)
        if value is None:
            self.drift[UNREADABLE] += 1
            return None
        self.drift[kind] += 1
        self.drift.update({f"{kind} {path}" for path in key_paths(value)})
        return value

    def extension(self, kind: str, value: Any, length: int) -> Extension:
        """A record of `length` bytes as a part; of a very long one only that it was there."""
        data = as_dict(value) if length <= _KEPT else {"bytes": length}
        return Extension(f"{self.source.agent}.{kind}", data)

    def append_unknown(
        self, thread: ConversationBuilder, kind: str, line: memoryview, span: Span, **fields: Any
    ) -> None:
        """Count an unknown record and keep it as a separate system turn."""
        value = self.unknown(kind, line)
        if value is not None:
            part = self.extension(kind, value, span.length)
            thread.append(Turn(role=Role.SYSTEM, parts=(part,), spans=(span,), **fields))


class DocumentParser(RecordParser):
    """A parser of a stream that is one JSON document; a damaged one is read up to its damage.

    Subclasses give `document`; every parse rebuilds all turns.
    """

    def __init__(self, source: Source, facts: Mapping[str, Any]) -> None:
        super().__init__(source, facts)
        self._document: list[bytes] = []
        self._size = 0
        self._fed = False

    def feed(self, data: bytes, offset: int) -> None:
        """Take a piece of the document; nothing is parsed before `take`."""
        if offset == 0:
            self._document.clear()
            self._size = 0
        self._size += len(data)
        self._document.append(data)
        self._fed = True
        if self._size > self.longest():
            self._document = [b"".join(self._document)[:BEGINNING]]

    def longest(self) -> int:
        """Bytes of a document that is read whole."""
        return longest_line()

    def is_too_large(self, data: bytes) -> bool:
        """Whether decoding the document would take more memory than it may."""
        return len(data) > UNCHECKED and is_too_long(data)

    def take(self) -> tuple[TurnUpdate, ...]:
        """All turns, if anything was fed."""
        if self._fed:
            self._fed = False
            self.restart()
            data = b"".join(self._document)
            if len(data) < self._size or self.is_too_large(data):
                self._truncated(data[:BEGINNING], 0)
                return super().take()
            value = self.decode(data)
            if value is None and data.strip():
                self.drift[UNREADABLE] += 1
                value = self.decode_damaged(data)
            if value is not None:
                self.document(value, Span(0, len(data)))
        return super().take()

    def decode(self, data: bytes) -> Any:
        """The document's value; None if it is none."""
        return decode_lenient(data)

    def decode_damaged(self, data: bytes) -> Any:
        """What can be read of a document that is none; None if nothing can."""
        return decode_lenient(repair_truncated(data) or b"null")

    def record(self, line: memoryview, span: Span) -> None:
        """Documents have no records."""

    @abstractmethod
    def document(self, value: Any, span: Span) -> None:
        """Take the whole document."""

    def beginning(self, line: memoryview, span: Span) -> None:
        """Take what can be read of a document that is too long."""
        value = decode_lenient(line)
        if value is not None:
            self.document(value, span)


def restore(parser: P, state: bytes | None, *, restart: bool) -> P:
    """`parser` where `state` left off; with none, or for a `restart`, at the stream's beginning.

    Raises:
        StaleStateError: another version of the parser wrote `state`.
    """
    if state is not None and not restart:
        parser.resume(state)
    return parser


def _narrowed(value: Any) -> Any:
    """`value` with numbers beyond 64 bits as text."""
    if isinstance(value, int):
        return value if -(1 << 63) <= value < 1 << 64 else str(value)
    if isinstance(value, list | tuple):
        return [_narrowed(item) for item in as_list(value)]
    if isinstance(value, dict):
        return {key: _narrowed(item) for key, item in as_dict(value).items()}
    return value


def _printable(name: str) -> str:
    """A name of a file or folder as text; of bytes that are no UTF-8, their surrogate escaped."""
    return name if name.isascii() else name.encode("utf-8", "backslashreplace").decode()


def state_format(state: bytes) -> str:
    """The parser and version that wrote `state`; "" if it is none."""
    try:
        written, *_ = msgspec.msgpack.decode(state)
    except (msgspec.DecodeError, ValueError):
        return ""
    return str(written)
