"""Which memories answer a question: an inverted index of a few thousand short texts, in memory.

Relevance runs from 0 to 1. Without an embedding, relevance is how much of the question's weight
the memory holds (rare words weigh more, a word with a typo counts by its trigrams) blended with
how much of the memory was asked for; with one, it is the cosine, stretched to the range the
vectors use. Does no I/O.

Costs: adding O(words), asking O(memories that share a word); with an embedding O(memories).
"""

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence

from ..terms import content_stems, jaccard, trigrams
from .memory_records import MemoryRecord

_TYPO = 0.45  # trigram likeness from which two words may be one misspelt
_OF_QUESTION, _OF_MEMORY = 0.7, 0.3
_LONG = 6  # words of a question beyond which the rarest carry it


class Relevance:
    """The memories as a searchable set; not safe for use from several threads."""

    def __init__(self) -> None:
        """An empty set."""
        self._words: dict[str, Counter[str]] = {}
        self._holders: dict[str, set[str]] = {}
        self._by_trigram: dict[str, set[str]] = {}
        self._vectors: dict[str, tuple[str, array[float]]] = {}

    def __len__(self) -> int:
        return len(self._words)

    def add(self, memory: MemoryRecord) -> None:
        """Take a memory in, or its new text."""
        self.remove(memory.id)
        words = Counter(content_stems(f"{memory.text} {' '.join(memory.tags)}"))
        self._words[memory.id] = words
        for word in words:
            if word not in self._holders:
                for gram in trigrams(word):
                    self._by_trigram.setdefault(gram, set()).add(word)
            self._holders.setdefault(word, set()).add(memory.id)
        if memory.vector:
            vector = array("f")
            vector.frombytes(memory.vector)
            self._vectors[memory.id] = memory.space, vector

    def remove(self, identity: str) -> None:
        """Let a memory go, with everything known of it."""
        for word in self._words.pop(identity, ()):
            holders = self._holders[word]
            holders.discard(identity)
            if not holders:
                del self._holders[word]
                for gram in trigrams(word):
                    self._by_trigram[gram].discard(word)
        self._vectors.pop(identity, None)

    def candidates(self, text: str, most: int = 200) -> list[str]:
        """The ids that share most with `text`, at most so many: who may be its double."""
        weights: dict[str, float] = {}
        for word in set(content_stems(text)):
            weight = self._weight(word)
            for identity in self._holders.get(word, ()):
                weights[identity] = weights.get(identity, 0.0) + weight
        return sorted(weights, key=weights.__getitem__, reverse=True)[:most]

    def ask(self, question: str) -> dict[str, float]:
        """Relevance by id, of those that share anything with the question."""
        question_stems = dict.fromkeys(content_stems(question))
        if not question_stems:
            return {}
        weights = {word: self._weight(word) for word in question_stems}
        total = sum(sorted(weights.values(), reverse=True)[:_LONG])
        scores: dict[str, float] = {}
        met: dict[str, int] = {}
        for word, weight in weights.items():
            for indexed_word, credit in self._known(word):
                for identity in self._holders[indexed_word]:
                    scores[identity] = scores.get(identity, 0.0) + weight * credit
                    met[identity] = met.get(identity, 0) + 1
        return {
            identity: min(
                1.0,
                _OF_QUESTION * min(1.0, score / total)
                + _OF_MEMORY * min(1.0, met[identity] / min(len(self._words[identity]), _LONG)),
            )
            for identity, score in scores.items()
        }

    def nearest(self, vector: Sequence[float], space: str, floor: float) -> dict[str, float]:
        """Relevance by id of the memories in the same vector space: cosine from `floor` to 1."""
        length = math.sqrt(sum(x * x for x in vector)) or 1.0
        scaled = [x / length for x in vector]
        nearest: dict[str, float] = {}
        for identity, (theirs, other) in self._vectors.items():
            if theirs != space or len(other) != len(scaled):
                continue
            cosine = sum(a * b for a, b in zip(scaled, other, strict=True))
            if cosine > floor:
                nearest[identity] = (cosine - floor) / (1.0 - floor)
        return nearest

    def dimension(self, space: str) -> int | None:
        """How long the vectors of a space are; None where it has none. Costs O(1) as a rule."""
        return next((len(v) for name, v in self._vectors.values() if name == space), None)

    def cosine(self, vector: Sequence[float], identity: str) -> float | None:
        """The cosine of a vector and a memory's; None where the memory has none of its length."""
        _, stored = self._vectors.get(identity, ("", array("f")))
        if len(stored) != len(vector) or not vector:
            return None
        length = math.sqrt(sum(x * x for x in vector)) or 1.0
        return sum(a * b for a, b in zip(vector, stored, strict=True)) / length

    def _weight(self, word: str) -> float:
        """How much a word tells: less the more memories hold it; unknown ones count half."""
        holders, count = len(self._holders.get(word, ())), len(self._words)
        if not holders:
            return 0.5 * math.log(1 + count + 0.5)
        return math.log(1 + (count - holders + 0.5) / (holders + 0.5)) + 0.25

    def _known(self, word: str) -> Iterable[tuple[str, float]]:
        """The word itself, or the known ones it may be a misspelling of, with their credit."""
        if word in self._holders:
            return [(word, 1.0)]
        if len(word) < 4:
            return []
        grams = trigrams(word)
        nearest = Counter(
            candidate for gram in grams for candidate in self._by_trigram.get(gram, ())
        )
        rated = [
            (candidate, jaccard(grams, trigrams(candidate)))
            for candidate, _ in nearest.most_common(8)
        ]
        return [
            (candidate, memory_similarity)
            for candidate, memory_similarity in rated
            if memory_similarity >= _TYPO
        ]


def packed(vector: Sequence[float]) -> bytes:
    """A vector of length 1, as float32."""
    length = math.sqrt(sum(x * x for x in vector)) or 1.0
    return array("f", (x / length for x in vector)).tobytes()
