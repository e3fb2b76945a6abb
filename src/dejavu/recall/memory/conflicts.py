"""Rivals: the memories that may be a new one's double, or its opposite.

Candidates are of the same scope and share words or meaning. Does no I/O. Costs O(memories that
share a word), with vectors O(n).
"""

from ..history.minilm import MODEL
from .contradiction import contradiction
from .memory_cache import MemoryCache
from .memory_records import MemoryRecord, same_scope
from .reversal import reversal, same_by_meaning
from .similarity import NEVER_SAME, SAME, similarity

_MOST = 80  # memories that share most, looked at for doubles and contradictions
_NEAR = 50  # the same, by their vectors
COSINE_BASELINE = 0.25
"""The cosine that means nothing, in the usual sentence embeddings."""


def candidate_conflicts(
    cache: MemoryCache, fresh: MemoryRecord, vector: list[float]
) -> list[MemoryRecord]:
    """Who may be its double or its opposite, those that share most first."""
    near = cache.relevance.candidates(fresh.text, _MOST)
    if vector:
        ranked = cache.relevance.nearest(vector, fresh.space, COSINE_BASELINE)
        near += sorted(ranked, key=ranked.__getitem__, reverse=True)[:_NEAR]
    memories = (cache.memories[identity] for identity in dict.fromkeys(near))
    return [memory for memory in memories if same_scope(memory, fresh)]


def memory_similarity(
    cache: MemoryCache, fresh: MemoryRecord, other: MemoryRecord, vector: list[float]
) -> float:
    """How alike two memories are, 0 to 1: by their vectors where both have one, else by words.

    A vector sees no changed number and no negation, so with those two are never the same.
    """
    words = similarity(other.text, fresh.text)
    cosine = _cosine(cache, fresh, other, vector)
    if cosine is None or words >= SAME:
        return words
    if contradiction(other.text, fresh.text).contradicts:
        return min(cosine, NEVER_SAME)
    return same_by_meaning(other.text, fresh.text, cosine, sentences=fresh.space == MODEL)


def contradicts(
    cache: MemoryCache, fresh: MemoryRecord, other: MemoryRecord, vector: list[float]
) -> bool:
    """Whether a new memory reverses another: by form, and by meaning where the model made both."""
    if contradiction(other.text, fresh.text).contradicts:
        return True
    cosine = _cosine(cache, fresh, other, vector)
    if cosine is None or fresh.space != MODEL:
        return False  # the limits are those of the sentence model
    return reversal(other.text, fresh.text, cosine).contradicts


def _cosine(
    cache: MemoryCache, fresh: MemoryRecord, other: MemoryRecord, vector: list[float]
) -> float | None:
    if not vector or other.space != fresh.space:
        return None
    return cache.relevance.cosine(vector, other.id)
