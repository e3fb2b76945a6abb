"""From evidence to an order and to a probability: the one place that holds their weights.

`order` says which of two exchanges answers better, `confidence` how likely one answers at all. The
same probability marks a hit in a search (`sure`) and decides what is put before a prompt. The
weights were fitted on the development sets of `benchmarks/recall/ranking.py`, then rounded and adjusted by
hand: docs/evidence.md. Does no I/O. Costs O(1).

`worth_reading` chooses of all that was found by the evidence that the index alone gives: the share of
the question that a passage holds, its answer's length and how routine its prompt is; how near it is
in meaning comes from the vectors. Reading the archive is dear, so only the best by that are read, where
the same evidence is taken again from the texts (`hit_loader`). Costs two searches: O(postings of the
question's words).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from typing import NamedTuple

from .documents import ANSWER, Document, token, touched_facet
from .evidence import Evidence, QuestionWeights, routine
from .hit_loader import RecallHit
from .query import PromptKind
from .retrievers.base import ExchangeRef, SearchContext
from .score_fusion import Ranked

SURE = 0.5
"""The probability from which on a hit is put before a prompt unasked."""
_BELIEVED = 0.25  # the probability from which on a hit is looked at for orders to its reader
_ANOTHER = 0.4
"""The most that an exchange on another thing of the kind asked for is given."""
TYPICAL = 0.3
"""The order of an exchange that has nothing to do with a question, more or less."""
_REST = slice(5, 12)  # ranks that tell what exchanges are like that do not answer

# What each piece of evidence counts in the order.
_SHARE, _BEFORE, _NEAR, _LENGTH, _REPEATS, _BLEND = 0.35, 0.2, 0.2, 0.35, -0.3, 0.1
_TOUCHED = 0.25  # for an exchange that worked on a file which the question names
_WORDS_LEAD = 0.2  # by so much the first in words alone leads, for its meaning not to matter
_TALK = 0.5  # what the retrievers' blend counts where nothing was answered


class _Gate(NamedTuple):
    """The weights of a logistic regression; `margin` and `both` only where vectors tell."""

    constant: float
    share: float
    margin: float
    both: float
    unknown: float
    order: float
    error: float
    brevity: float
    lead: float


_MODEL = _Gate(-4.3, 0.55, 7.1, 2.4, -0.4, -1.5, -0.5, 0.5, 6.8)
_WORDS = _Gate(-2.2, 3.6, 0.0, 0.0, -1.3, -2.1, -0.1, 0.5, 4.25)


def judged(hits: Sequence[RecallHit], kind: PromptKind) -> list[RecallHit]:
    """The hits with their place in the order and their probability, best first.

    A hit that has no vector yet is compared with the others by words alone, as if none had.
    """
    ranked = sorted(zip(_orders(hits), hits, strict=True), key=lambda pair: -pair[0])
    usual = _usual(score for score, _ in ranked)
    by_words = _usual(sorted((_order_by_words(hit) for hit in hits), reverse=True))
    found: list[RecallHit] = []
    for score, hit in ranked:
        unseen = hit.evidence.margin is None
        lead = _order_by_words(hit) - by_words if unseen else score - usual
        probability = confidence(hit.evidence, kind, lead)
        if hit.evidence.another:
            probability = min(probability, _ANOTHER)
        found.append(
            hit._replace(
                score=round(score, 4), confidence=round(probability, 3), sure=probability >= SURE
            )
        )
    return found


def _usual(scores: Iterable[float]) -> float:
    """What exchanges score that do not answer: the mean of some ranks, of scores that fall."""
    places = _REST.stop - _REST.start
    return sum([*list(scores)[_REST], *[TYPICAL] * places][:places]) / places


def _order_by_words(hit: RecallHit) -> float:
    return order(hit.evidence._replace(nearness=None))


def _orders(hits: Sequence[RecallHit]) -> list[float]:
    """The order of each hit; the one that leads clearly by words is not behind any."""
    orders = [order(hit.evidence) for hit in hits]
    by_words = [_order_by_words(hit) for hit in hits]
    if len(hits) > 1:
        second, first = sorted(range(len(hits)), key=by_words.__getitem__)[-2:]
        best = max(orders)
        if by_words[first] - by_words[second] >= _WORDS_LEAD and orders[first] < best:
            orders[first] = best + 1e-4
    return orders


def orders_apart(hits: Sequence[RecallHit]) -> tuple[list[RecallHit], list[RecallHit]]:
    """The hits, and those apart that might be believed but only give orders to their reader: not sure."""
    from ..context_block import only_instructs  # most searches find nothing that might be believed

    told: list[RecallHit] = []
    orders: list[RecallHit] = []
    for hit in hits:
        texts = (hit.answer, hit.question, hit.excerpt) if hit.confidence >= _BELIEVED else ()
        if any(only_instructs(text) for text in texts):
            orders.append(hit._replace(sure=False, confidence=_BELIEVED))
        else:
            told.append(hit)
    return told, orders


def behind_sure(hits: Sequence[RecallHit], orders: Sequence[RecallHit]) -> list[RecallHit]:
    """The hits, and behind the last sure one those that seem to give orders: that may be a mistake."""
    at = max((place for place, hit in enumerate(hits, 1) if hit.sure), default=0)
    return [*hits[:at], *orders, *hits[at:]]


def is_near(hit: RecallHit) -> bool:
    """Whether a hit has anything to do with a question: a word, a place named, or its meaning."""
    evidence = hit.evidence
    if evidence.share + evidence.before > 0.0 or (evidence.margin or 0.0) > 0.0:
        return True
    return not set(hit.tiers) <= {"lexical", "embedding"}


def order(evidence: Evidence) -> float:
    """How well an exchange answers, against others; about 0 to 1.

    An exchange without a vector is taken to be as near as the words it holds. Talk between people
    has no answers: there the blend decides, which looks at what is said around it.
    """
    if not evidence.length:
        return _TALK * evidence.blend
    near = evidence.share if evidence.nearness is None else evidence.nearness
    return (
        _SHARE * evidence.share
        + _BEFORE * evidence.before
        + _NEAR * near
        + _LENGTH * evidence.length
        + _REPEATS * evidence.repeats
        + _BLEND * evidence.blend
        + _TOUCHED * evidence.touched
    )


def confidence(evidence: Evidence, kind: PromptKind, lead: float) -> float:
    """The probability that an exchange answers.

    lead: how far its order is above that of exchanges which do not answer.
    """
    gate, margin = (_WORDS, 0.0) if evidence.margin is None else (_MODEL, evidence.margin)
    logit = (
        gate.constant
        + gate.share * evidence.share
        + gate.margin * margin
        + gate.both * margin * evidence.share
        + gate.unknown * evidence.unknown
        + gate.order * (kind is PromptKind.ORDER)
        + gate.error * (kind is PromptKind.ERROR)
        + gate.brevity / max(1, evidence.telling)
        + gate.lead * lead
    )
    return 1.0 / (1.0 + math.exp(-logit))


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
