"""Trigram: words of the prompt that no passage holds, because one of the two is misspelt.

Silent where every word is known. The index's own words that begin alike are compared by their
trigrams; what comes near counts as the word asked for. Costs O(words with the same beginning), at
most four unknown words, and the postings of those that come near.
"""

from ...terms import jaccard, misspelt, trigrams
from ..query import Query
from .base import ExchangeRef, SearchContext

_PASSAGES = 60
_MOST = 4  # unknown words looked for
_NEAR = 4  # known words each may stand for
_LIKE = 0.4  # trigram likeness from which two words may be one
_ALIKE = 400  # known words with one beginning, the most frequent first, that are compared


class Trigram:
    """Words that are almost the word asked for."""

    name = "trigram"
    weight = 0.15

    def scores(self, query: Query, context: SearchContext) -> dict[ExchangeRef, float]:
        """How many of the unknown words an exchange almost holds, and how rare they are."""
        unknown = [
            stem
            for stem in query.weights
            if len(stem) >= 5 and stem.isalpha() and not context.frequency("text", stem)
        ][:_MOST]
        near: dict[str, float] = {}
        for stem in unknown:
            for word, memory_similarity in _known(stem, context):
                near[word] = max(near.get(word, 0.0), memory_similarity)
        if not near:
            return {}
        return context.find(context.any_of(("text", near)), _PASSAGES)


def _known(stem: str, context: SearchContext) -> list[tuple[str, float]]:
    """The known words that a stem may be a misspelling of, each with its likeness."""
    grams = trigrams(stem)
    # A letter too many, too few, or in its neighbour's place may be the second one.
    starts = dict.fromkeys((stem[:2], stem[0] + stem[2]))
    words = {
        word
        for start in starts
        for word, _ in context.searcher.terms_with_prefix("text", start, limit=_ALIKE)
        if abs(len(word) - len(stem)) <= 4 and word.isalpha()
    }
    rated = [
        (word, memory_similarity)
        for word in words
        if (memory_similarity := jaccard(grams, trigrams(word))) >= _LIKE or misspelt(stem, word)
    ]
    rated.sort(key=lambda rating: (-rating[1], rating[0]))
    return rated[:_NEAR]
