"""The ledger: every recall, and everything that happened to memories, for as long as there are any.

It holds what was asked, which ids came back, and times, operations and ids of changes. Never a
memory's text. Costs O(entries asked for).
"""

import re
from collections.abc import Callable, Sequence
from itertools import islice

import msgspec

from dejavu.archive import Namespace, NamespaceTxn

from .memory_cache import get_sequences
from .memory_records import (
    SEQUENCES,
    JournalEntry,
    RecallEntry,
    RecallResult,
    Result,
    ShownHit,
    log_key,
)

_PATIENCE = 0.5  # seconds that an answer waits for another writer
_LONGEST = 2_000  # characters of a context that are kept


def last_recalls(namespace: Namespace, limit: int) -> list[RecallEntry]:
    """The last recalls in the ledger on `namespace`, the newest first."""
    stored = islice(namespace.items(b"l"), limit)
    return [msgspec.msgpack.decode(value, type=RecallEntry) for _, value in stored]


def journal(namespace: Namespace) -> list[JournalEntry]:
    """Everything that happened to memories, in order: times, operations and ids."""
    return [msgspec.msgpack.decode(value, type=JournalEntry) for _, value in namespace.items(b"j")]


class RecallLog:
    """The ledger of `Memory`, which adds the memories themselves."""

    _namespace: Namespace
    _clock: Callable[[], float]
    """Unix seconds."""

    def recall_log(self, *, limit: int = 50) -> list[RecallEntry]:
        """The last recalls, the newest first."""
        return last_recalls(self._namespace, limit)

    def queries(self, pattern: re.Pattern[str], before: float | None = None) -> int:
        """How many recalls (`before` Unix seconds) asked for something that matches `pattern`."""
        items = self._namespace.items(b"l")
        return sum(1 for _, value in items if _matches(value, pattern, before))

    def erase_queries(self, pattern: re.Pattern[str], before: float | None = None) -> int:
        """Take the words of those recalls out of the ledger; return how many there were.

        When they were made and what came back stays. Their old pages are gone after `gc(compact=True)`.
        """

        def change(txn: NamespaceTxn) -> int:
            items = txn.items(b"l")
            found = [(key, value) for key, value in items if _matches(value, pattern, before)]
            for key, value in found:
                entry = msgspec.msgpack.decode(value, type=RecallEntry)
                txn.put(key, msgspec.msgpack.encode(msgspec.structs.replace(entry, context="")))
            return len(found)

        return self._namespace.change(change)

    def audit(self) -> list[JournalEntry]:
        """Everything that happened to memories, in order: times, operations and ids."""
        return journal(self._namespace)

    def _log(
        self, context: str, recalled: Sequence[RecallResult], hits: Sequence[ShownHit] = ()
    ) -> None:
        results = tuple(Result(result.id, result.score) for result in recalled)
        at = self._clock()

        def change(txn: NamespaceTxn) -> None:
            before = get_sequences(txn)
            sequence = before.log + 1
            entry = RecallEntry(
                sequence=sequence, at=at, context=context[:_LONGEST], results=results,
                hits=tuple(hits),
            )  # fmt: skip
            txn.put(log_key(sequence), msgspec.msgpack.encode(entry))
            txn.put(
                SEQUENCES, msgspec.msgpack.encode(msgspec.structs.replace(before, log=sequence))
            )

        self._namespace.change(change, patience=_PATIENCE)


def _matches(value: bytes, pattern: re.Pattern[str], before: float | None) -> bool:
    entry = msgspec.msgpack.decode(value, type=RecallEntry)
    due = before is None or entry.at < before
    return bool(due and entry.context and pattern.search(entry.context))
