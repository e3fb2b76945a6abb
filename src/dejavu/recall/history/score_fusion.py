"""The blend: what the tiers found, as one ranking.

`fuse_scores` returns one score a turn and the names of the retrievers that found it. Each tier is
scaled by its best score and weighed (a convex combination: reciprocal rank fusion lost on both
sets it was measured on). Does no I/O. Costs O(turns found).
"""

import math
from collections.abc import Mapping
from heapq import nsmallest
from typing import NamedTuple

TurnRef = tuple[int, int]
_HALF_LIFE = 90 * 86_400.0  # seconds after which half of what newness is worth is gone
_NEWNESS = 0.08


class Ranked(NamedTuple):
    """A turn, its blended score, and the tiers that found it, the strongest first."""

    place: TurnRef
    score: float
    tiers: tuple[str, ...]


def fuse_scores(
    scores_by_tier: Mapping[str, Mapping[TurnRef, float]],
    weights: Mapping[str, float],
    most: int | None = None,
) -> list[Ranked]:
    """The turns by their blended score, best first, at most so many."""
    total: dict[TurnRef, float] = {}
    nonempty = {name: scores for name, scores in scores_by_tier.items() if scores}
    shares = {name: weights[name] / max(scores.values()) for name, scores in nonempty.items()}
    for name, scores in nonempty.items():
        share = shares[name]
        for turn_ref, score in scores.items():
            total[turn_ref] = total.get(turn_ref, 0.0) + share * score
    whole = sum(weights[name] for name in nonempty) or 1.0
    best = nsmallest(most or len(total), total, key=lambda turn_ref: (-total[turn_ref], turn_ref))
    return [
        Ranked(turn_ref, total[turn_ref] / whole, _finders(turn_ref, nonempty, shares))
        for turn_ref in best
    ]


def _finders(
    turn_ref: TurnRef, nonempty: Mapping[str, Mapping[TurnRef, float]], shares: Mapping[str, float]
) -> tuple[str, ...]:
    """The tiers that found a turn, the one with the largest share first."""
    part = {
        name: shares[name] * scores[turn_ref]
        for name, scores in nonempty.items()
        if turn_ref in scores
    }
    return tuple(sorted(part, key=lambda name: -part[name]))


def recency_boost(at: float, now: float) -> float:
    """A factor a little above 1 for what is new, falling to 1."""
    age = max(0.0, now - at)
    return 1.0 + _NEWNESS * math.pow(0.5, age / _HALF_LIFE)
