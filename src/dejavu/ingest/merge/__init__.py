"""Arbitration: several vectors tell one conversation, and each turn is kept once, from the best.

`arbitrate` merges, by way of `alignment`, `parts` and `merge_turns`; `match_anonymous` finds
conversations without a name of their own again; `provenance` tells what sources do not agree on,
`channel_health` which vectors failed. Nothing is imported here: `arbitrate` loads the parsers of
every vector.
"""

__all__: list[str] = []
