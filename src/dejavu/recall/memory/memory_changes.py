"""What happens to memories in one transaction: stored, moved, embedded, forgotten, imported.

Each function writes the memories and the journal's entries of one change. O(1), but `store_memory`:
O(memories that share a word with it), with an embedding O(memories).

Tested in: tests/recall/memory/test_memory.py
"""

from collections.abc import Mapping, Sequence
from heapq import nlargest
from operator import itemgetter
from typing import NamedTuple

import msgspec

from dejavu.archive import NamespaceTxn

from .conflicts import candidate_conflicts, memory_similarity, reversal_chance
from .memory_cache import MemoryCache, append_journal, get_memory, get_sequences, put_memory
from .memory_records import (
    SUPERSEDED,
    MemoryRecord,
    Operation,
    adjust_confidence,
    memory_key,
    revived,
)
from .reversal import POSSIBLE, SURE

_NAMED = 3  # memories that a new one may replace


class Stored(NamedTuple):
    """A memory as stored, and the ids of those it may most probably replace, with the probability."""

    memory: MemoryRecord
    may_replace: tuple[tuple[str, float], ...] = ()


def store_memory(
    txn: NamespaceTxn,
    cache: MemoryCache,
    fresh: MemoryRecord,
    vector: list[float],
    same: float,
) -> Stored:
    """Store a memory and supersede what it surely contradicts; return it, or the one that says the same.

    `cache` is brought up to the transaction; `same` is the likeness from which two are one.
    """
    cache.follow(txn)
    rivals = [
        rival for rival in candidate_conflicts(cache, fresh, vector) if rival.superseded_by is None
    ]
    for rival in rivals:
        if memory_similarity(cache, fresh, rival, vector) >= same:
            return Stored(rival)
    chances = [(rival, reversal_chance(cache, fresh, rival, vector)) for rival in rivals]
    contradicted = [rival for rival, chance in chances if chance >= SURE]
    possible = [
        (rival.id, round(chance, 2)) for rival, chance in chances if POSSIBLE <= chance < SURE
    ]
    fresh = msgspec.structs.replace(
        fresh,
        order=get_sequences(txn).journal + 1,
        supersedes=tuple(old.id for old in contradicted),
    )
    put_memory(txn, fresh)
    events: list[tuple[Operation, str]] = [("remember", fresh.id)]
    for old in contradicted:
        superseded = msgspec.structs.replace(
            old,
            superseded_by=fresh.id,
            confidence=adjust_confidence(old.confidence * SUPERSEDED, 0.0),
            updated_at=fresh.created_at,
        )
        put_memory(txn, superseded)
        events.append(("supersede", old.id))
    append_journal(txn, events, fresh.created_at)
    return Stored(fresh, tuple(nlargest(_NAMED, possible, key=itemgetter(1))))


def move_confidence(
    txn: NamespaceTxn, identity: str, step: float, operation: Operation, at: float
) -> bool:
    """Add `step` to a memory's confidence; False if there is no such memory."""
    stored = get_memory(txn, identity)
    if stored is None:
        return False
    moved = msgspec.structs.replace(
        stored,
        confidence=adjust_confidence(stored.confidence, step),
        confirmed=stored.confirmed + (step > 0),
        rejected=stored.rejected + (step < 0),
        updated_at=at,
    )
    put_memory(txn, moved)
    append_journal(txn, [(operation, identity)], at)
    return True


def attach_vectors(
    txn: NamespaceTxn, vectors: Mapping[str, tuple[str, bytes]], space: str, at: float
) -> int:
    """Give memories their vectors, where the text is the one embedded; return how many.

    vectors: id -> the text and its vector as `packed` has it.
    """
    found = [(get_memory(txn, identity), *pair) for identity, pair in vectors.items()]
    embedded = [
        msgspec.structs.replace(memory, vector=vector, space=space)
        for memory, text, vector in found
        if memory is not None and memory.text == text
    ]
    for memory in embedded:
        put_memory(txn, memory)
    append_journal(txn, [("embed", memory.id) for memory in embedded], at)
    return len(embedded)


def delete_memory(txn: NamespaceTxn, cache: MemoryCache, identity: str, at: float) -> bool:
    """Delete a memory and take it out of its chain; False if there is no such memory.

    What it had superseded holds again, with the confidence that was taken from it, or goes to the one that
    superseded the deleted one. `cache` is brought up to the transaction.
    """
    stored = get_memory(txn, identity)
    if stored is None:
        return False
    cache.follow(txn)
    txn.delete(memory_key(identity))
    events: list[tuple[Operation, str]] = [("forget", identity)]
    for old in [one for one in cache.memories.values() if one.superseded_by == identity]:
        if stored.superseded_by is None:
            put_memory(txn, revived(old, at))
            events.append(("revive", old.id))
        else:
            put_memory(txn, msgspec.structs.replace(old, superseded_by=stored.superseded_by))
            events.append(("supersede", old.id))
    append_journal(txn, events, at)
    return True


def import_memories(
    txn: NamespaceTxn, cache: MemoryCache, fresh: Sequence[MemoryRecord], at: float
) -> int:
    """Store memories as they are, behind those that are there; return how many."""
    cache.follow(txn)
    first = get_sequences(txn).journal + 1
    for order, memory in enumerate(fresh, first):
        put_memory(txn, msgspec.structs.replace(memory, order=order))
    append_journal(txn, [("import", memory.id) for memory in fresh], at)
    return len(fresh)
