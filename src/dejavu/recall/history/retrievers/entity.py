"""Entity: the names in the prompt, doubled over those said before it, the rare ones worth most.

A name in more than a twentieth of all events names nothing here and is dropped, which is said.
Costs O(postings of the names).
"""

import math

from ..index import token
from ..query import Question
from .base import Place, View

_EVENTS = 200
_EVERYWHERE = 0.05
_FEW = 40


class Entity:
    """Identifiers, paths, quoted and backticked terms, by rarity."""

    name = "entity"
    weight = 0.25

    def scores(self, question: Question, view: View) -> dict[Place, float]:
        """The summed rarity of the names a turn shares with the question."""
        total = max(1, view.searcher.num_docs)
        rare: dict[str, float] = {}
        for name, weight in question.names.items():
            held = view.frequency("entity", token(name))
            if not held:
                continue
            if held > max(_FEW, total * _EVERYWHERE):
                question.dropped.append(name)
                continue
            rare[token(name)] = weight * math.log(1 + total / held)
        if not rare:
            return {}
        found = view.find(view.any_of("entity", rare), _EVENTS)
        return view.by_turn(found, lambda document: document.score)
