"""Entity: the names in the prompt, doubled over those said before it, the rare ones worth most.

A name in more than a twentieth of all passages names nothing here and is dropped, which is said.
Costs O(postings of the names).
"""

from ..documents import token
from ..query import Query
from .base import ExchangeRef, SearchContext

_PASSAGES = 200
_EVERYWHERE = 0.05
_FEW = 40


class Entity:
    """Identifiers, paths, quoted and backticked terms, by rarity."""

    name = "entity"
    weight = 0.25

    def scores(self, query: Query, context: SearchContext) -> dict[ExchangeRef, float]:
        """The summed rarity of the names an exchange shares with the question."""
        rare: dict[str, float] = {}
        for name, weight in query.names.items():
            frequency = context.frequency("entity", token(name))
            if frequency > max(_FEW, context.size * _EVERYWHERE):
                query.dropped_terms.append(name)
            elif frequency:
                rare[token(name)] = weight
        return context.find(context.any_of(("entity", rare)), _PASSAGES) if rare else {}
