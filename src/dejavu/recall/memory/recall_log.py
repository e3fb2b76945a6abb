"""The ledger: every recall, and everything that happened to memories, for as long as there are any.

Takes a shelf; gives what was asked with which ids came back, and times, operations and ids. Never a
memory's text. Costs O(entries asked for).
"""

from collections.abc import Callable, Sequence

import msgspec

from dejavu.archive import Shelf, ShelfTxn

from .memory_cache import heads
from .memory_records import HEADS, Happened, Recalled, RecallEntry, Result, log_key

_LONGEST = 2_000  # characters of a context that are kept


class Ledger:
    """What memories are read with; `Memory` adds the rest."""

    def __init__(self, shelf: Shelf, clock: Callable[[], float]) -> None:
        """The ledger on `shelf`; `clock` gives Unix seconds."""
        self._shelf = shelf
        self._clock = clock

    def recall_log(self, *, limit: int = 50) -> list[RecallEntry]:
        """The last recalls, the newest first."""
        entries: list[RecallEntry] = []
        for _, value in self._shelf.items(b"l"):
            if len(entries) >= limit:
                break
            entries.append(msgspec.msgpack.decode(value, type=RecallEntry))
        return entries

    def audit(self) -> list[Happened]:
        """Everything that happened to memories, in order: times, operations and ids."""
        return [
            msgspec.msgpack.decode(value, type=Happened) for _, value in self._shelf.items(b"j")
        ]

    def _log(self, context: str, found: Sequence[Recalled]) -> None:
        results = tuple(Result(one.id, one.score) for one in found)
        at = self._clock()

        def change(txn: ShelfTxn) -> None:
            before = heads(txn)
            sequence = before.log + 1
            entry = RecallEntry(
                sequence=sequence, at=at, context=context[:_LONGEST], results=results
            )
            txn.put(log_key(sequence), msgspec.msgpack.encode(entry))
            txn.put(HEADS, msgspec.msgpack.encode(msgspec.structs.replace(before, log=sequence)))

        self._shelf.change(change)
