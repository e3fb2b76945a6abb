"""Embedding: exchanges that mean the same in other words; only with the `semantic` extra.

Looks at the vectors that `Recall.embed_pending` made in the background, or takes what a server told.
Where the packages or the vectors are missing, or only half are made, it is silent for the rest. What it
finds alone is shown where it is sure. Costs as `vector_store`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..query import Query
from .base import ExchangeRef, SearchContext

if TYPE_CHECKING:  # hooks do without vectors, and wait for every import
    from ..embeddings import SentenceEncoder

_PASSAGES = 400


class Embedding:
    """Cosine of sentence embeddings."""

    name = "embedding"
    weight = 1.0

    model: SentenceEncoder | None = None
    """Another model than that of the extra."""

    def scores(self, query: Query, context: SearchContext) -> dict[ExchangeRef, float]:
        """How much nearer the nearest exchanges are than most.

        Those that words found are measured, too (`SearchContext.meant`).
        """
        found = context.told
        if found is None:
            from ..embeddings import meaning

            found = meaning(
                context.archive, query.text, _PASSAGES, context.places, self.model,
                exchanges=set(context.documents),
            )  # fmt: skip
        context.meant.update(found.margins)
        context.add(found.nearest)
        for document in found.nearest:
            ref = document.conversation, document.ordinal
            context.meant[ref] = max(context.meant.get(ref, -1.0), document.score)
        near = {(document.conversation, document.ordinal) for document in found.nearest}
        return {ref: score for ref in near if (score := context.meant[ref]) > 0.0}
