"""The ledger: every recall, and everything that happened to memories, for as long as there are any.

It holds what was asked, which ids came back, and times, operations and ids of changes. Never a
memory's text. Costs O(entries asked for).
"""

from collections.abc import Callable, Sequence

import msgspec

from dejavu.archive import Namespace, NamespaceTxn

from .memory_cache import get_sequences
from .memory_records import SEQUENCES, JournalEntry, RecallEntry, RecallResult, Result, log_key

_LONGEST = 2_000  # characters of a context that are kept


class RecallLog:
    """What memories are read with; `Memory` adds the rest."""

    def __init__(self, namespace: Namespace, clock: Callable[[], float]) -> None:
        """The ledger on `namespace`; `clock` returns Unix seconds."""
        self._namespace = namespace
        self._clock = clock

    def recall_log(self, *, limit: int = 50) -> list[RecallEntry]:
        """The last recalls, the newest first."""
        entries: list[RecallEntry] = []
        for _, value in self._namespace.items(b"l"):
            if len(entries) >= limit:
                break
            entries.append(msgspec.msgpack.decode(value, type=RecallEntry))
        return entries

    def audit(self) -> list[JournalEntry]:
        """Everything that happened to memories, in order: times, operations and ids."""
        return [
            msgspec.msgpack.decode(value, type=JournalEntry)
            for _, value in self._namespace.items(b"j")
        ]

    def _log(self, context: str, recalled: Sequence[RecallResult]) -> None:
        results = tuple(Result(result.id, result.score) for result in recalled)
        at = self._clock()

        def change(txn: NamespaceTxn) -> None:
            before = get_sequences(txn)
            sequence = before.log + 1
            entry = RecallEntry(
                sequence=sequence, at=at, context=context[:_LONGEST], results=results
            )
            txn.put(log_key(sequence), msgspec.msgpack.encode(entry))
            txn.put(
                SEQUENCES, msgspec.msgpack.encode(msgspec.structs.replace(before, log=sequence))
            )

        self._namespace.change(change)
