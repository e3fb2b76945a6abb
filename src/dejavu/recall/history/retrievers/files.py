"""Files: turns whose tools touched the files the prompt names, or their folder (the subsystem).

Costs O(postings of the places named).
"""

import math

from ..entities import path_suffixes
from ..index import token
from ..query import Query
from .base import SearchContext, TurnRef

_EVENTS = 100


class Files:
    """Paths in the arguments of tools."""

    name = "files"
    weight = 0.1

    def scores(self, query: Query, context: SearchContext) -> dict[TurnRef, float]:
        """The rarity of the places a turn's tools share with the prompt."""
        return touching({suffix for path in query.files for suffix in path_suffixes(path)}, context)


def touching(wanted: set[str], context: SearchContext) -> dict[TurnRef, float]:
    """A score for each turn whose tools touched one of the places."""
    total = max(1, context.searcher.num_docs)
    rare = {
        token(suffix): math.log(1 + total / frequency)
        for suffix in wanted
        if (frequency := context.frequency("file", token(suffix)))
    }
    if not rare:
        return {}
    return context.by_turn(
        context.find(context.any_of("file", rare), _EVENTS), lambda document: document.score
    )
