"""Trigram: words of the prompt that no event holds, because one of the two is misspelt.

Silent where every word is known. The index's own words that begin alike are compared by their
trigrams; what comes near stands for the word asked for. Costs O(words with the same beginning), at
most four unknown words, and the postings of those that come near.
"""

from ...terms import likeness, misspelt, trigrams
from ..query import Question
from .base import Place, View

_EVENTS = 60
_MOST = 4  # unknown words looked for
_NEAR = 4  # known words each may stand for
_LIKE = 0.4  # trigram likeness from which two words may be one
_ALIKE = 400  # known words with one beginning, the most frequent first, that are compared


class Trigram:
    """Words that are almost the word asked for."""

    name = "trigram"
    weight = 0.15

    def scores(self, question: Question, view: View) -> dict[Place, float]:
        """How many of the unknown words a turn almost holds, and how rare they are."""
        unknown = [
            stem
            for stem in question.weights
            if len(stem) >= 5 and stem.isalpha() and not view.frequency("text", stem)
        ][:_MOST]
        near: dict[str, float] = {}
        for stem in unknown:
            for word, alike in _known(stem, view):
                near[word] = max(near.get(word, 0.0), alike)
        if not near:
            return {}
        found = view.find(view.any_of("text", near), _EVENTS)
        return view.by_turn(found, lambda document: document.score)


def _known(stem: str, view: View) -> list[tuple[str, float]]:
    """The known words that a stem may be a misspelling of, each with its likeness."""
    grams = trigrams(stem)
    # A letter too many, too few, or in its neighbour's place may be the second one.
    starts = dict.fromkeys((stem[:2], stem[0] + stem[2]))
    words = {
        word
        for start in starts
        for word, _ in view.searcher.terms_with_prefix("text", start, limit=_ALIKE)
        if abs(len(word) - len(stem)) <= 4 and word.isalpha()
    }
    rated = [
        (word, alike)
        for word in words
        if (alike := likeness(grams, trigrams(word))) >= _LIKE or misspelt(stem, word)
    ]
    rated.sort(key=lambda one: (-one[1], one[0]))
    return rated[:_NEAR]
