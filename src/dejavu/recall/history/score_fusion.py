"""The blend: what the retrievers found, as one ranking.

`fuse_scores` returns one score an exchange and the names of the retrievers that found it. Each
retriever's scores are scaled by its best one. How they are merged is the caller's choice:

* weighted: a convex combination, the default (reciprocal rank fusion lost wherever it was measured);
* union: the best of the scaled scores, for callers that want all that any retriever is sure of;
* intersection: weighted, of what at least two retrievers found, where two found anything;
* short_circuit: the first retriever whose best exchange is .7 like the question, alone; weighted
  where none is.

Does no I/O. Costs O(exchanges found).
"""

import math
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, get_args

ExchangeRef = tuple[int, int]
Strategy = Literal["weighted", "union", "intersection", "short_circuit"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
SHORT_CIRCUIT = 0.7
"""From this share of a question, or margin of meaning, on `short_circuit` asks no other retriever."""
_HALF_LIFE = 90 * 86_400.0  # seconds after which half of what newness is worth is gone
_NEWNESS = 0.08


class Merging(NamedTuple):
    """How what several retrievers found is merged: a strategy, and weights other than their own."""

    strategy: Strategy = "weighted"
    weights: Mapping[Any, float] = MappingProxyType({})

    def check(self, names: Collection[str]) -> None:
        """Raise ValueError for a strategy or a retriever that there is none of, or a bad weight."""
        if self.strategy not in STRATEGIES:
            raise ValueError(f"unknown strategy {self.strategy!r} ({', '.join(STRATEGIES)})")
        for name, weight in self.weights.items():
            if name not in names:
                raise ValueError(f"unknown retriever {name!r} ({', '.join(names)})")
            if not 0.0 <= weight < math.inf:
                raise ValueError(f"the weight of {name} is {weight}; give 0 or more")


PLAIN = Merging()
"""Weighted, each retriever with its own weight."""


class Ranked(NamedTuple):
    """An exchange, its blended score, and the retrievers that found it, the strongest first."""

    place: ExchangeRef
    score: float
    tiers: tuple[str, ...]


def fuse_scores(
    scores_by_retriever: Mapping[str, Mapping[ExchangeRef, float]],
    weights: Mapping[str, float],
    strategy: Strategy = "weighted",
) -> list[Ranked]:
    """The exchanges by their blended score, best first.

    Of `short_circuit` only the merging is done here: pass what the retriever that was enough found.
    """
    found = {name: scores for name, scores in scores_by_retriever.items() if scores}
    share = {name: 1.0 if strategy == "union" else weights[name] for name in found}
    scale = {name: share[name] / max(scores.values()) for name, scores in found.items()}
    parts: dict[ExchangeRef, dict[str, float]] = {}
    for name, scores in found.items():
        for ref, score in scores.items():
            parts.setdefault(ref, {})[name] = scale[name] * score
    if strategy == "intersection" and len(found) > 1:
        parts = {ref: by_name for ref, by_name in parts.items() if len(by_name) > 1}
    whole = 1.0 if strategy == "union" else sum(share.values()) or 1.0
    merge = max if strategy == "union" else sum
    ranking = [
        Ranked(
            ref,
            merge(by_name.values()) / whole,
            tuple(sorted(by_name, key=by_name.__getitem__, reverse=True)),
        )
        for ref, by_name in parts.items()
    ]
    return sorted(ranking, key=lambda ranked: (-ranked.score, ranked.place))


def recency_boost(at: float, now: float) -> float:
    """A factor a little above 1 for what is new, falling to 1."""
    age = max(0.0, now - at)
    return 1.0 + _NEWNESS * math.pow(0.5, age / _HALF_LIFE)


def is_enough(
    found: Mapping[ExchangeRef, float],
    shares: Mapping[ExchangeRef, float],
    meant: Mapping[ExchangeRef, float],
) -> bool:
    """Whether a retriever's best exchange is so like the question that no other need be asked.

    shares: of the question that exchanges hold. meant: how near they are to it in meaning.
    """
    if not found:
        return False
    best = max(found, key=found.__getitem__)
    return max(shares.get(best, 0.0), meant.get(best, 0.0)) >= SHORT_CIRCUIT
