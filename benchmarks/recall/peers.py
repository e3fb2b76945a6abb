"""Rankings to compare with: BM25, embeddings alone, and one of the systems this memory replaces.

Each is made of documents once, and ranks their numbers for a query, best first. `memory-pkg`, of
which no source is public, is re-told from its description: .2 of pg_trgm's word similarity and .3
of shared entities.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from dejavu.recall.terms import content_stems, trigrams

_IDENTIFIER = re.compile(
    r"`[^`]+`|\b\w+_\w+\b|\b[a-z]+[A-Z]\w+|\b[A-Z]\w+[A-Z]\w+|[\w.-]+/[\w./-]+"
)


class BM25:
    """Okapi BM25 (k1 1.2, b .75) over stems without stop words."""

    def __init__(self, documents: Sequence[str]) -> None:
        self.counts = [Counter(content_stems(text)) for text in documents]
        self.lengths = [sum(count.values()) for count in self.counts]
        self.mean = sum(self.lengths) / max(1, len(self.lengths))
        self.postings: dict[str, list[int]] = defaultdict(list)
        for number, count in enumerate(self.counts):
            for word in count:
                self.postings[word].append(number)

    def rank(self, query: str, allowed: set[int]) -> list[int]:
        """The documents allowed, best first."""
        scores = self.scores(query, allowed)
        return sorted(scores, key=lambda number: (-scores[number], number))

    def scores(self, query: str, allowed: set[int]) -> dict[int, float]:
        """The scores of the documents allowed that hold a word of the query."""
        scores: dict[int, float] = {}
        total = len(self.counts)
        for word in set(content_stems(query)):
            holders = self.postings.get(word, [])
            rarity = math.log(1 + (total - len(holders) + 0.5) / (len(holders) + 0.5))
            for number in holders:
                if number in allowed:
                    tf = self.counts[number][word]
                    norm = 1.2 * (0.25 + 0.75 * self.lengths[number] / self.mean)
                    scores[number] = scores.get(number, 0.0) + rarity * tf * 2.2 / (tf + norm)
        return scores


class TrigramEntity:
    """memory-pkg: .2 of word similarity and .3 of shared identifiers."""

    def __init__(self, documents: Sequence[str]) -> None:
        self.grams = [self._grams(text) for text in documents]
        self.names = [self._names(text) for text in documents]

    @staticmethod
    def _grams(text: str) -> frozenset[str]:
        words = re.findall(r"\w+", text.lower())
        return frozenset(gram for word in words for gram in trigrams(word))

    @staticmethod
    def _names(text: str) -> frozenset[str]:
        return frozenset(name.strip("`").lower() for name in _IDENTIFIER.findall(text))

    def rank(self, query: str, allowed: set[int]) -> list[int]:
        """The documents allowed, best first."""
        grams, names = self._grams(query), self._names(query)
        scores: dict[int, float] = {}
        for number in allowed:
            alike = len(grams & self.grams[number]) / max(1, len(grams))
            shared = len(names & self.names[number]) / max(1, len(names))
            if alike > 0.2 or shared:
                scores[number] = 0.2 * alike + 0.3 * shared
        return sorted(scores, key=lambda number: (-scores[number], number))


class Cosine:
    """The cosine of sentence embeddings, alone."""

    def __init__(self, documents: Sequence[str], encoder: Any) -> None:
        import numpy as np

        self.encode = encoder
        rows = [encoder([t[:2_000] or " " for t in documents[at : at + 32]])
                for at in range(0, len(documents), 32)]  # fmt: skip
        self.matrix = np.vstack(rows)

    def rank(self, query: str, allowed: set[int]) -> list[int]:
        """The documents allowed, best first."""
        scores = self.matrix @ self.encode([query])[0]
        return sorted(allowed, key=lambda number: -float(scores[number]))


class Hybrid:
    """.3 of BM25, scaled by its best, and .7 of the cosine: the best simple blend of the two."""

    def __init__(self, words: BM25, vectors: Cosine) -> None:
        self.words, self.vectors = words, vectors

    def rank(self, query: str, allowed: set[int]) -> list[int]:
        """The documents allowed, best first."""
        words = self.words.scores(query, allowed)
        best = max(words.values(), default=1.0)
        near = self.vectors.matrix @ self.vectors.encode([query])[0]
        scores = {n: 0.3 * words.get(n, 0.0) / best + 0.7 * float(near[n]) for n in allowed}
        return sorted(scores, key=lambda number: (-scores[number], number))
