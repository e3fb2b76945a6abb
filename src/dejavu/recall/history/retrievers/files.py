"""Files: turns whose tools touched the files the prompt names, or their folder (the subsystem).

Costs O(postings of the places named).
"""

import math

from ..entities import places
from ..index import token
from ..query import Question
from .base import Place, View

_EVENTS = 100


class Files:
    """Paths in the arguments of tools."""

    name = "files"
    weight = 0.1

    def scores(self, question: Question, view: View) -> dict[Place, float]:
        """The rarity of the places a turn's tools share with the prompt."""
        return touching({place for path in question.files for place in places(path)}, view)


def touching(wanted: set[str], view: View) -> dict[Place, float]:
    """A score for each turn whose tools touched one of the places."""
    total = max(1, view.searcher.num_docs)
    rare = {
        token(place): math.log(1 + total / held)
        for place in wanted
        if (held := view.frequency("file", token(place)))
    }
    if not rare:
        return {}
    return view.by_turn(view.find(view.any_of("file", rare), _EVENTS), lambda one: one.score)
