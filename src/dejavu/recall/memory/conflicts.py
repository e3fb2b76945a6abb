"""Rivals: the memories that may be a new one's double, or its opposite.

Takes what is known and a new memory; gives those of the same scope that share its words or its
meaning, and how alike two are. Does no I/O. Costs O(memories that share a word), with vectors O(n).
"""

from .contradiction import contradiction
from .memory_cache import Known
from .memory_records import Remembered
from .similarity import SAME, similarity

_MOST = 80  # memories that share most, looked at for doubles and contradictions
_NEAR = 50  # the same, by their vectors
NOTHING = 0.25
"""The cosine that means nothing, in the usual sentence embeddings."""


def rivals(known: Known, fresh: Remembered, vector: list[float]) -> list[Remembered]:
    """Who may be its double or its opposite, those that share most first."""
    near = known.relevance.sharing(fresh.text, _MOST)
    if vector:
        ranked = known.relevance.near(vector, fresh.space, NOTHING)
        near += sorted(ranked, key=ranked.__getitem__, reverse=True)[:_NEAR]
    held = (known.memories[identity] for identity in dict.fromkeys(near))
    return [memory for memory in held if memory.workspace == fresh.workspace]


def alike(known: Known, fresh: Remembered, other: Remembered, vector: list[float]) -> float:
    """How alike two memories are, -1 to 1: by their vectors where both have one, else by words."""
    words = similarity(other.text, fresh.text)
    cosine = known.relevance.cosine(vector, other.id) if vector else None
    if cosine is None or words >= SAME:
        return words
    # A vector does not see a changed number or a negation; the words do.
    return -1.0 if contradiction(other.text, fresh.text).contradicts else cosine
