"""Embedding: turns that mean the same in other words; only with the `semantic` extra.

Looks at the vectors that `Recall.embed_pending` made in the background; where the packages or the
vectors are missing, or only half are made, it is silent for the rest. Costs O(vectors).
"""

from ..embeddings import nearest
from ..query import Question
from .base import Place, View

_TURNS = 200
FLOOR = 0.2
"""A cosine that means nothing."""


class Embedding:
    """Cosine of sentence embeddings."""

    name = "embedding"
    weight = 0.2

    def scores(self, question: Question, view: View) -> dict[Place, float]:
        """The cosine of the nearest turns, from the floor up."""
        found = nearest(view.archive, question.text, _TURNS, view.facets)
        return {place: cosine - FLOOR for place, cosine in found.items() if cosine > FLOOR}
