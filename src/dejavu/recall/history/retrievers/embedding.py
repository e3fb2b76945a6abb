"""Embedding: turns that mean the same in other words; only with the `semantic` extra.

Looks at the vectors that `Recall.embed_pending` made in the background; where the packages or the
vectors are missing, or only half are made, it is silent for the rest. Costs O(vectors).
"""

from ..embeddings import nearest
from ..query import Query
from .base import SearchContext, TurnRef

_TURNS = 200
FLOOR = 0.2
"""A cosine that means nothing."""


class Embedding:
    """Cosine of sentence embeddings."""

    name = "embedding"
    weight = 0.2

    def scores(self, query: Query, context: SearchContext) -> dict[TurnRef, float]:
        """The cosine of the nearest turns, from the floor up."""
        cosines = nearest(context.archive, query.text, _TURNS, context.facets)
        return {turn_ref: cosine - FLOOR for turn_ref, cosine in cosines.items() if cosine > FLOOR}
