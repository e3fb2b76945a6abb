"""Retrievers by words: BM25 over exchanges, and words that are almost the word asked for.

Lexical: an exchange's neighbours inherit part of its score (a decision is often spread over two), and
so does every found exchange of a session that answers well as a whole. The shares are those that
gave most on LoCoMo without a model (BM25 63 % R@10, with them 72 %). Costs O(postings of the words)
+ O(the best 300 passages).

Trigram: words of the prompt that no passage holds, because one of the two is misspelt. Silent where
every word is known. The index's own words that begin alike are compared by their trigrams; what comes
near counts as the word asked for. Costs O(words with the same beginning), at most four unknown words,
and the postings of those that come near.
"""

from heapq import nlargest

from ...terms import jaccard, misspelt, trigrams
from ..query import Query
from .base import ExchangeRef, SearchContext

_PASSAGES = 300
_TOOLS = 0.4  # what a word in a tool's arguments or output counts compared with one that was said
_BEFORE = 0.3  # what one counts that is in the exchange before
_BESIDE = ((1, 0.2), (-1, 0.2))
"""What an exchange so far after another (or before it) inherits of its score."""
_SESSION = 0.3
_SPREAD = 120  # of the best exchanges, whose neighbours are looked at
_COMMON = 0.25  # words in more than so many of all passages only count where nothing rarer is asked
_FEW = 2_000


class Lexical:
    """BM25 with neighbours and a session prior."""

    name = "lexical"
    weight = 0.6

    def scores(self, query: Query, context: SearchContext) -> dict[ExchangeRef, float]:
        """BM25 of the exchanges that share words with the question, spread over neighbours."""
        bound = max(_FEW, context.searcher.num_docs * _COMMON)
        weights = {
            stem: weight
            for stem, weight in query.weights.items()
            if context.searcher.doc_freq("text", stem) <= bound
        }
        fields = [
            ("text", weights),
            ("before", {stem: weight * _BEFORE for stem, weight in weights.items()}),
        ]
        if context.tools:
            fields.append(("tools", {stem: weight * _TOOLS for stem, weight in weights.items()}))
        own = context.find(context.any_of(*fields), _PASSAGES)
        return with_session(with_neighbours(own)) if own else {}


def with_neighbours(own: dict[ExchangeRef, float]) -> dict[ExchangeRef, float]:
    """Each exchange's score, and a part of it for those right before and after, the best of them."""
    spread = dict(own)
    for conversation, ordinal in nlargest(_SPREAD, own, key=own.__getitem__):
        score = own[conversation, ordinal]
        for distance, share in _BESIDE:
            neighbour = conversation, ordinal + distance
            if ordinal + distance >= 0:
                spread[neighbour] = spread.get(neighbour, 0.0) + share * score
    return spread


def with_session(own: dict[ExchangeRef, float]) -> dict[ExchangeRef, float]:
    """Each exchange's score, and a share for how well its session answers as a whole."""
    sessions: dict[int, list[float]] = {}
    for (conversation, _), score in own.items():
        sessions.setdefault(conversation, []).append(score)
    totals = {number: sum(sorted(scores)[-3:]) for number, scores in sessions.items()}
    best, top = max(totals.values()), max(own.values())
    share = {number: _SESSION * top * total / best for number, total in totals.items()}
    half = top / 2
    return {
        ref: score + share[ref[0]] * (score / half if score < half else 1.0)
        for ref, score in own.items()
    }


_TRIGRAM_PASSAGES = 60
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
        return context.find(context.any_of(("text", near)), _TRIGRAM_PASSAGES)


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
