"""Arbitration: several vectors tell one conversation, and each turn stands once, from the best.

Takes what each vector told; gives the turns of the conversation, each part from the richest source
(`arbitrate`, by way of `alignment`, `pieces` and `fuse`), conversations without a name of their own
found again (`adopt`), what sources do not agree on (`provenance`), and vectors that failed
(`failing`). Nothing is imported here: `arbitrate` loads the parsers of every vector.
"""

__all__: list[str] = []
