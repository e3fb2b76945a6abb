"""What this process knows of the memories, kept up with what every process does to them.

Takes the shelf, or a change in progress; gives the memories and their relevance. Reading goes by
the journal: what happened since the last look is read anew, nothing else. Costs O(n) once, then
O(what changed).
"""

from collections.abc import Sequence

import msgspec

from dejavu.archive import Shelf, ShelfTxn

from .memory_records import (
    HEADS,
    Happened,
    Heads,
    Operation,
    Remembered,
    journal_key,
    memory_key,
)
from .relevance import Relevance

_encode = msgspec.msgpack.encode


class Known:
    """The memories as this process last saw them."""

    def __init__(self) -> None:
        """Nothing seen yet."""
        self.memories: dict[str, Remembered] = {}
        self.relevance = Relevance()
        self._seen = -1

    def follow(self, view: Shelf | ShelfTxn) -> None:
        """Take in what was committed; inside a change that is everything before this change."""
        head = heads(view).journal
        if self._seen == head:
            return
        if self._seen < 0 or self._seen > head:
            self.memories.clear()
            self.relevance = Relevance()
            for _, value in view.items(b"m"):
                self._take(msgspec.msgpack.decode(value, type=Remembered))
        else:
            for sequence in range(self._seen + 1, head + 1):
                self._change(view, sequence)
        self._seen = head

    def _change(self, view: Shelf | ShelfTxn, sequence: int) -> None:
        value = view.get(journal_key(sequence))
        if value is None:
            return
        identity = msgspec.msgpack.decode(value, type=Happened).id
        held = load(view, identity)
        if held is not None:
            self._take(held)
        elif self.memories.pop(identity, None) is not None:
            self.relevance.remove(identity)

    def _take(self, memory: Remembered) -> None:
        before = self.memories.get(memory.id)
        self.memories[memory.id] = memory
        if before is None or before.text != memory.text:
            self.relevance.add(memory)


def heads(view: Shelf | ShelfTxn) -> Heads:
    """How far the sequences got."""
    value = view.get(HEADS)
    return Heads() if value is None else msgspec.msgpack.decode(value, type=Heads)


def load(view: Shelf | ShelfTxn, identity: str) -> Remembered | None:
    """The memory with exactly this id."""
    value = view.get(memory_key(identity))
    return None if value is None else msgspec.msgpack.decode(value, type=Remembered)


def keep(txn: ShelfTxn, memory: Remembered) -> None:
    """Set a memory."""
    txn.put(memory_key(memory.id), _encode(memory))


def journal(txn: ShelfTxn, events: Sequence[tuple[Operation, str]], at: float) -> None:
    """Append what happened to the ids."""
    before = heads(txn)
    for place, (operation, identity) in enumerate(events, before.journal + 1):
        txn.put(journal_key(place), _encode(Happened(at=at, operation=operation, id=identity)))
    after = msgspec.structs.replace(before, journal=before.journal + len(events))
    txn.put(HEADS, _encode(after))
