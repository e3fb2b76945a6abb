"""What this process knows of the memories, kept up with what every process does to them.

Reading goes by the journal: what happened since the last look is read again, nothing else. Costs
O(n) once, then O(what changed).
"""

from collections.abc import Sequence

import msgspec

from dejavu.archive import Namespace, NamespaceTxn

from .memory_records import (
    SEQUENCES,
    JournalEntry,
    MemoryRecord,
    Operation,
    Sequences,
    journal_key,
    memory_key,
)
from .relevance import Relevance

_encode = msgspec.msgpack.encode


class MemoryCache:
    """The memories as this process last saw them."""

    def __init__(self) -> None:
        """Nothing seen yet."""
        self.memories: dict[str, MemoryRecord] = {}
        self.relevance = Relevance()
        self._seen = -1

    def follow(self, view: Namespace | NamespaceTxn) -> None:
        """Take in what was committed; inside a change that is everything before this change."""
        head = get_sequences(view).journal
        if self._seen == head:
            return
        if self._seen < 0 or self._seen > head:
            self.memories.clear()
            self.relevance = Relevance()
            for _, value in view.items(b"m"):
                self._take(msgspec.msgpack.decode(value, type=MemoryRecord))
        else:
            for sequence in range(self._seen + 1, head + 1):
                self._change(view, sequence)
        self._seen = head

    def _change(self, view: Namespace | NamespaceTxn, sequence: int) -> None:
        value = view.get(journal_key(sequence))
        if value is None:
            return
        identity = msgspec.msgpack.decode(value, type=JournalEntry).id
        memory = get_memory(view, identity)
        if memory is not None:
            self._take(memory)
        elif self.memories.pop(identity, None) is not None:
            self.relevance.remove(identity)

    def _take(self, memory: MemoryRecord) -> None:
        before = self.memories.get(memory.id)
        self.memories[memory.id] = memory
        if before is None or (before.text, before.vector) != (memory.text, memory.vector):
            self.relevance.add(memory)


def get_sequences(view: Namespace | NamespaceTxn) -> Sequences:
    """How far the sequences got."""
    value = view.get(SEQUENCES)
    return Sequences() if value is None else msgspec.msgpack.decode(value, type=Sequences)


def get_memory(view: Namespace | NamespaceTxn, identity: str) -> MemoryRecord | None:
    """The memory with exactly this id."""
    value = view.get(memory_key(identity))
    return None if value is None else msgspec.msgpack.decode(value, type=MemoryRecord)


def put_memory(txn: NamespaceTxn, memory: MemoryRecord) -> None:
    """Set a memory."""
    txn.put(memory_key(memory.id), _encode(memory))


def append_journal(txn: NamespaceTxn, events: Sequence[tuple[Operation, str]], at: float) -> None:
    """Append what happened to the ids."""
    before = get_sequences(txn)
    for position, (operation, identity) in enumerate(events, before.journal + 1):
        txn.put(
            journal_key(position), _encode(JournalEntry(at=at, operation=operation, id=identity))
        )
    after = msgspec.structs.replace(before, journal=before.journal + len(events))
    txn.put(SEQUENCES, _encode(after))
