"""Entity: the names in the prompt, doubled over those said before it, the rare ones worth most.

A passage has a name where it has all the name's words: names have no field of their own, since those who
ask for this retriever are few and everybody would pay for it. A name in more than a twentieth of all
passages names nothing here and is dropped, which is said. Costs O(postings of the names' words).
"""

import tantivy

from ...terms import as_written
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
        rare: list[tuple[tantivy.Query, int, float]] = []
        for name, weight in query.names.items():
            named = context.naming(as_written(name, query.text))
            count = 0 if named is None else context.count(named)
            if count > max(_FEW, context.size * _EVERYWHERE):
                query.dropped_terms.append(name)
            elif named is not None and count:
                rare.append((named, count, weight))
        return context.find(context.rated(rare), _PASSAGES) if rare else {}
