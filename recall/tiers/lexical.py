"""Lexical: BM25 over stems, then what stands beside a hit, then the session it stands in.

A turn's neighbours inherit part of its score (an answer often repeats no word of its question) and
so does every found turn of a session that answers well as a whole. The shares were measured on
LoCoMo (neighbours .2/.2 and session .3 give 72 % R@10 against BM25's 63 %); what follows a hit
gets more here, because in coding sessions the answer follows the prompt.

Costs O(postings of the words) + O(the best 300 events).
"""

import tantivy

from ..question import Question
from .tier import Place, View

_EVENTS = 300
_ASKED = 0.7  # what a word of the prompt counts for its answer, beside one of its own
_NEXT = (0.3, 0.15, 0.08)
_PREVIOUS = (0.2, 0.08)
_SESSION = 0.3
_COMMON = 0.25  # words in more than so many of all events only count where nothing rarer is asked
_FEW = 2_000


class Lexical:
    """BM25 with neighbours and a session prior."""

    name = "lexical"
    weight = 0.6

    def scores(self, question: Question, view: View) -> dict[Place, float]:
        """BM25 of the turns that share words with the question, spread over their neighbours."""
        bound = max(_FEW, view.searcher.num_docs * _COMMON)
        told = {
            stem: weight
            for stem, weight in question.weights.items()
            if 0 < view.frequency("text", stem) <= bound
        }
        if not told:
            return {}
        query = tantivy.Query.boolean_query(
            [
                (tantivy.Occur.Should, view.any_of("text", told)),
                (
                    tantivy.Occur.Should,
                    tantivy.Query.boost_query(view.any_of("asked", told), _ASKED),
                ),
            ]
        )
        found = view.find(query, _EVENTS)
        if not found:
            return {}
        own = view.by_turn(found, lambda document: document.score)
        return with_session(with_neighbours(own))


def with_neighbours(own: dict[Place, float]) -> dict[Place, float]:
    """Each turn's score, and a part of it for those right after and before."""
    spread = dict(own)
    for (conversation, seq), score in own.items():
        for distance, share in enumerate(_NEXT, 1):
            place = conversation, seq + distance
            spread[place] = spread.get(place, 0.0) + share * score
        for distance, share in enumerate(_PREVIOUS, 1):
            if seq >= distance:
                place = conversation, seq - distance
                spread[place] = spread.get(place, 0.0) + share * score
    return spread


def with_session(own: dict[Place, float]) -> dict[Place, float]:
    """Each turn's score, and a share for how well its session answers as a whole."""
    sessions: dict[int, list[float]] = {}
    for (conversation, _), score in own.items():
        sessions.setdefault(conversation, []).append(score)
    totals = {number: sum(sorted(scores)[-3:]) for number, scores in sessions.items()}
    best, top = max(totals.values()), max(own.values())
    return {
        place: score + _SESSION * top * (totals[place[0]] / best) * min(1.0, 2 * score / top)
        for place, score in own.items()
    }
