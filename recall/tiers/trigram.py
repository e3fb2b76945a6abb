"""Trigram: words of the prompt that no event holds, because one of the two is misspelt.

Silent where every word is known. An event's summary must share most of such a word's trigrams.
Costs O(postings of the trigrams of the unknown words), at most four words.
"""

import tantivy

from ..index import token
from ..question import Question
from ..terms import trigrams
from .tier import Place, View

_EVENTS = 60
_SHARE = 0.5
_MOST = 4


class Trigram:
    """Words that are almost the word asked for."""

    name = "trigram"
    weight = 0.15

    def scores(self, question: Question, view: View) -> dict[Place, float]:
        """How many of the unknown words a turn almost holds."""
        unknown = [
            stem
            for stem in question.weights
            if len(stem) >= 5 and stem.isalpha() and not view.frequency("text", stem)
        ][:_MOST]
        scores: dict[Place, float] = {}
        for stem in unknown:
            grams = [token(gram) for gram in trigrams(stem)]
            clauses = [
                (
                    tantivy.Occur.Should,
                    tantivy.Query.term_query(view.index.schema, "gram", gram, index_option="freq"),
                )
                for gram in grams
            ]
            needed = max(3, int(len(grams) * _SHARE))
            query = tantivy.Query.boolean_query(clauses, minimum_number_should_match=needed)
            found = view.by_turn(view.find(query, _EVENTS), lambda document: document.score)
            for place, score in found.items():
                scores[place] = scores.get(place, 0.0) + score
        return scores
