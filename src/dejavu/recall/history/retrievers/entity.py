"""Entity: the names in the prompt, doubled over those said before it, the rare ones worth most.

A name in more than a twentieth of all events names nothing here and is dropped, which is said.
Costs O(postings of the names).
"""

import math

from ..index import token
from ..query import Query
from .base import SearchContext, TurnRef

_EVENTS = 200
_EVERYWHERE = 0.05
_FEW = 40


class Entity:
    """Identifiers, paths, quoted and backticked terms, by rarity."""

    name = "entity"
    weight = 0.25

    def scores(self, query: Query, context: SearchContext) -> dict[TurnRef, float]:
        """The summed rarity of the names a turn shares with the question."""
        total = max(1, context.searcher.num_docs)
        rare: dict[str, float] = {}
        for name, weight in query.names.items():
            frequency = context.frequency("entity", token(name))
            if not frequency:
                continue
            if frequency > max(_FEW, total * _EVERYWHERE):
                query.dropped_terms.append(name)
                continue
            rare[token(name)] = weight * math.log(1 + total / frequency)
        if not rare:
            return {}
        documents = context.find(context.any_of("entity", rare), _EVENTS)
        return context.by_turn(documents, lambda document: document.score)
