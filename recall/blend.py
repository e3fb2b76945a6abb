"""The blend: what the tiers found, as one ranking.

Takes scores by tier; gives one score a turn and the names of the tiers that found it. Each tier is
scaled by its best score and weighed (a convex combination: reciprocal rank fusion lost on both sets
it was measured on). Does no I/O. Costs O(turns found).
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

Place = tuple[int, int]
_HALF_LIFE = 90 * 86_400.0  # seconds after which half of what newness is worth is gone
_NEWNESS = 0.08


class Ranked(NamedTuple):
    """A turn, its blended score, and the tiers that found it, the strongest first."""

    place: Place
    score: float
    tiers: tuple[str, ...]


def blended(
    found: Mapping[str, Mapping[Place, float]], weights: Mapping[str, float]
) -> list[Ranked]:
    """The turns by their blended score, best first."""
    total: dict[Place, float] = {}
    shares: dict[Place, dict[str, float]] = {}
    said = {name: scores for name, scores in found.items() if scores}
    for name, scores in said.items():
        top = max(scores.values())
        for place, score in scores.items():
            share = weights[name] * score / top
            total[place] = total.get(place, 0.0) + share
            shares.setdefault(place, {})[name] = share
    whole = sum(weights[name] for name in said) or 1.0
    ranked = [
        Ranked(
            place,
            score / whole,
            tuple(sorted(shares[place], key=lambda name: -shares[place][name])),
        )
        for place, score in total.items()
    ]
    ranked.sort(key=lambda one: (-one.score, one.place))
    return ranked


def newness(at: float, now: float) -> float:
    """A factor a little above 1 for what is new, falling to 1."""
    age = max(0.0, now - at)
    return 1.0 + _NEWNESS * math.pow(0.5, age / _HALF_LIFE)
