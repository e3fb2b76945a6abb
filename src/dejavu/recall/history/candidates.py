"""Which of all that was found is worth reading: by the evidence that the index alone gives.

The share of the question that a passage holds, its answer's length and how routine its prompt is are
in the index; how near it is in meaning comes from the vectors. Reading the archive is dear, so only the
best by that are read, where the same evidence is taken again from the texts (`hit_loader`).
Costs two searches: O(postings of the question's words).

Tested in: tests/recall/history/test_search.py
"""

from collections.abc import Iterable, Mapping
from heapq import nlargest

from .confidence import order
from .documents import ANSWER, Document, token, touched_facet
from .evidence import Evidence, QuestionWeights, routine
from .retrievers.base import ExchangeRef, SearchContext
from .score_fusion import Ranked

READ = 30  # of the best by all evidence
_SURELY = 6  # of the best by words, and of the nearest, that are read whatever the rest says
_PASSAGES = 300  # that hold most of the question
_NEAREST = 150  # of the nearest in meaning


def by_share(weights: QuestionWeights, context: SearchContext) -> dict[ExchangeRef, float]:
    """The exchanges that hold most of the question, each with the weight it holds."""
    return context.find(context.held(weights.rarity), _PASSAGES)


def worth_reading(
    ranking: Iterable[Ranked],
    shares: Mapping[ExchangeRef, float],
    weights: QuestionWeights,
    context: SearchContext,
) -> list[Ranked]:
    """The candidates among what was found, best first.

    shares: of `by_share`. Those that only vectors found are looked up for theirs.
    """
    found = {ranked.place: ranked for ranked in ranking}
    near = nlargest(_NEAREST, context.meant, key=context.meant.__getitem__)
    held = dict(shares)
    held.update(context.find_these(context.held(weights.rarity), set(near) - shares.keys()))
    places = {*held, *near, *list(found)[:READ]}
    scores: dict[ExchangeRef, float] = {}
    for place in places:
        document = context.documents.get(place)
        if document is not None:
            blend = found[place].score if place in found else 0.0
            scores[place] = order(
                _evidence(document, held.get(place, 0.0), blend, weights, context)
            )
    chosen = dict.fromkeys(nlargest(READ, scores, key=scores.__getitem__))
    chosen |= dict.fromkeys(nlargest(_SURELY, shares, key=shares.__getitem__))
    chosen |= dict.fromkeys(near[:_SURELY])
    touched = {token(touched_facet(path)): 1.0 for path in weights.files}
    if touched:
        chosen |= dict.fromkeys(context.find(context.any_of(("facet", touched)), _SURELY))
    tiers = {place: ("lexical",) if place in shares else ("embedding",) for place in chosen}
    return [found.get(place) or Ranked(place, 0.0, tiers[place]) for place in chosen]


def _evidence(
    document: Document,
    held: float,
    blend: float,
    weights: QuestionWeights,
    context: SearchContext,
) -> Evidence:
    margin = context.meant.get((document.conversation, document.ordinal))
    return Evidence(
        share=held / weights.whole,
        margin=margin,
        nearness=None if margin is None else margin / context.best_margin,
        length=document.answer / ANSWER,
        repeats=routine(context.times_given(document.prompt)),
        blend=blend,
    )
