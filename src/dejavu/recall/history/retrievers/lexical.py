"""Lexical: BM25 over stems, then what stands beside a hit, then the session it stands in.

A turn's neighbours inherit part of its score (an answer often repeats no word of its question) and
so does every found turn of a session that answers well as a whole. The shares were measured on
LoCoMo (neighbours .2/.2 and session .3 give 72 % R@10 against BM25's 63 %); what follows a hit
gets more here, because in coding sessions the answer follows the prompt.

Costs O(postings of the words) + O(the best 300 events).
"""

from heapq import nlargest

from ..query import Query
from .base import SearchContext, TurnRef

_EVENTS = 300
_ASKED = 0.7  # what a word of the prompt counts for its answer, beside one of its own
_BESIDE = ((1, 0.3), (2, 0.15), (3, 0.08), (-1, 0.2), (-2, 0.08))
"""What a turn so far after another (or before it) inherits of its score."""
_SESSION = 0.3
_SPREAD = 120  # of the best turns, whose neighbours are looked at
_TURNS = 240  # that are worth a place in the blend
_COMMON = 0.25  # words in more than so many of all events only count where nothing rarer is asked
_FEW = 2_000


class Lexical:
    """BM25 with neighbours and a session prior."""

    name = "lexical"
    weight = 0.6

    def scores(self, query: Query, context: SearchContext) -> dict[TurnRef, float]:
        """BM25 of the turns that share words with the question, spread over their neighbours."""
        bound = max(_FEW, context.searcher.num_docs * _COMMON)
        weights = {
            stem: weight
            for stem, weight in query.weights.items()
            if 0 < context.frequency("text", stem) <= bound
        }
        if not weights:
            return {}
        # One flat disjunction: tantivy skips what cannot come among the best only there.
        prompt_weights = {stem: weight * _ASKED for stem, weight in weights.items()}
        disjunction = context.either(("text", weights), ("asked", prompt_weights))
        documents = context.find(disjunction, _EVENTS)
        if not documents:
            return {}
        own = context.by_turn(documents, lambda document: document.score)
        return with_session(with_neighbours(own))


def with_neighbours(own: dict[TurnRef, float]) -> dict[TurnRef, float]:
    """Each turn's score, and a part of it for those right after and before, the best of them."""
    spread = dict(own)
    for conversation, seq in nlargest(_SPREAD, own, key=own.__getitem__):
        score = own[conversation, seq]
        for distance, share in _BESIDE:
            if seq + distance >= 0:
                turn_ref = conversation, seq + distance
                spread[turn_ref] = spread.get(turn_ref, 0.0) + share * score
    if len(spread) <= _TURNS:
        return spread
    return {
        turn_ref: spread[turn_ref] for turn_ref in nlargest(_TURNS, spread, key=spread.__getitem__)
    }


def with_session(own: dict[TurnRef, float]) -> dict[TurnRef, float]:
    """Each turn's score, and a share for how well its session answers as a whole."""
    sessions: dict[int, list[float]] = {}
    for (conversation, _), score in own.items():
        sessions.setdefault(conversation, []).append(score)
    totals = {number: sum(sorted(scores)[-3:]) for number, scores in sessions.items()}
    best, top = max(totals.values()), max(own.values())
    share = {number: _SESSION * top * total / best for number, total in totals.items()}
    half = top / 2
    return {
        turn_ref: score + share[turn_ref[0]] * (score / half if score < half else 1.0)
        for turn_ref, score in own.items()
    }
