"""Rivals: the memories that may be a new one's double, or its opposite.

Candidates are of the same scope and share words or meaning. Does no I/O. Costs O(memories that
share a word), with vectors O(n).
"""

from collections.abc import Callable

from dejavu.redact.conversation import marks

from ..history.minilm import MODEL, read_words
from .by_form import may_replace, surely_replaces
from .contradiction import contradiction
from .memory_cache import MemoryCache
from .memory_records import MemoryRecord, same_scope
from .repetition import same_by_meaning
from .reversal import POSSIBLE, SURE, Likeness, reverses
from .similarity import NEVER_SAME, SAME, features, similarity

_MOST = 80  # memories that share most, looked at for doubles and contradictions
_NEAR = 50  # the same, by their vectors
APART = 0.25
"""The cosine of the sentence model below which two are of no one subject, and their words are not read."""
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
    cosine = _cosine(cache, fresh, other, vector)
    return pair_similarity(
        other.text, fresh.text, cosine, likeness_of if fresh.space == MODEL else None
    )


def pair_similarity(
    old: str,
    new: str,
    cosine: float | None,
    read: Callable[[str, str, float], Likeness | None] | None,
) -> float:
    """How alike two texts with that cosine are; `read`: how the model that made it reads the two.

    The same words in another order are judged by their order alone: the model hardly sees it.
    """
    words = similarity(old, new)
    if cosine is None or words >= SAME or features(old).words == features(new).words:
        return words
    if contradiction(old, new).contradicts:
        return min(cosine, NEVER_SAME)
    return same_by_meaning(old, new, cosine, read(old, new, cosine) if read else None)


def reversal_chance(
    cache: MemoryCache, fresh: MemoryRecord, other: MemoryRecord, vector: list[float]
) -> float:
    """The probability that a new memory reverses another: by meaning where the model made both vectors.

    Else by form: `SURE`, `POSSIBLE` or 0. Where both hide a secret, what differs may be that.
    """
    if marks(other.text) and marks(fresh.text):
        return 0.0
    cosine = _cosine(cache, fresh, other, vector)
    if cosine is not None and fresh.space == MODEL:
        likeness = likeness_of(other.text, fresh.text, cosine)
        if likeness is not None:
            return reverses(other.text, fresh.text, likeness)
    return form_chance(other.text, fresh.text)


def form_chance(old: str, new: str) -> float:
    """The probability of a reversal by the form of the two texts alone: `SURE`, `POSSIBLE` or 0."""
    if surely_replaces(old, new):
        return SURE
    return POSSIBLE if may_replace(old, new) else 0.0


def read_rivals(cache: MemoryCache, fresh: MemoryRecord, vector: list[float]) -> None:
    """Let the model read a memory and its rivals, so that no one waits for that in a transaction."""
    for rival in candidate_conflicts(cache, fresh, vector):
        if rival.superseded_by is None:
            reversal_chance(cache, fresh, rival, vector)


def likeness_of(old: str, new: str, cosine: float) -> Likeness | None:
    """How alike two texts are to the model; None without it, or where they are of no one subject."""
    if not cosine >= APART:
        return Likeness(cosine, (), (), ())
    left, right = read_words(old), read_words(new)
    if left is None or right is None:
        return None
    return Likeness(cosine, left[0], right[0], (left[1] @ right[1].T).tolist())


def _cosine(
    cache: MemoryCache, fresh: MemoryRecord, other: MemoryRecord, vector: list[float]
) -> float | None:
    if not vector or other.space != fresh.space:
        return None
    return cache.relevance.cosine(vector, other.id)
