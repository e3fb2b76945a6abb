"""Rivals: the memories that may be a new one's double, or its opposite.

Candidates are of the same scope and share words or meaning. Does no I/O. Costs O(memories that
share a word), with vectors O(n).
"""

from .contradiction import contradiction
from .memory_cache import MemoryCache
from .memory_records import MemoryRecord
from .similarity import SAME, similarity

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
    return [memory for memory in memories if memory.workspace == fresh.workspace]


def memory_similarity(
    cache: MemoryCache, fresh: MemoryRecord, other: MemoryRecord, vector: list[float]
) -> float:
    """How alike two memories are, -1 to 1: by their vectors where both have one, else by words."""
    words = similarity(other.text, fresh.text)
    cosine = cache.relevance.cosine(vector, other.id) if vector else None
    if cosine is None or words >= SAME:
        return words
    # A vector does not see a changed number or a negation; the words do.
    return -1.0 if contradiction(other.text, fresh.text).contradicts else cosine
