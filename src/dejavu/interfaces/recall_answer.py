"""What is shown of recalled exchanges: each answer once, and at most three of a conversation.

`dejavu memory find` and MCP fold here; `--json` and the library have every hit. It must not ask the
index, and must not draw. O(hits).

Tested in: tests/interfaces/test_recall_answer.py
"""

from collections.abc import Sequence
from typing import NamedTuple

from dejavu.recall.history.hit_loader import RecallHit
from dejavu.recall.terms import normalise

from .search_answer import MOST

DEPTH = 3
"""How many times as many exchanges are looked at as are shown."""


class RecalledExchange(NamedTuple):
    """An exchange that is shown; `more` counts the others of its conversation that are not."""

    hit: RecallHit
    more: int


def fold(hits: Sequence[RecallHit], limit: int) -> list[RecalledExchange]:
    """The exchanges to show, in order: no text twice, and none that a shown one replaces."""
    shown: list[RecallHit] = []
    texts, replaced = set[str](), set[str]()
    kept, folded = dict[str, int](), dict[str, int]()
    for hit in hits:
        text = normalise(f"{hit.question} {hit.answer} {hit.excerpt}")
        again = text in texts or hit.event in replaced
        if again or kept.get(hit.conversation, 0) == MOST:
            folded[hit.conversation] = folded.get(hit.conversation, 0) + 1
            continue
        if len(shown) == limit:
            break
        shown.append(hit)
        texts.add(text)
        replaced.update(hit.replaces)
        kept[hit.conversation] = kept.get(hit.conversation, 0) + 1
    last = {hit.conversation: number for number, hit in enumerate(shown)}
    return [
        RecalledExchange(hit, folded.get(hit.conversation, 0) * (last[hit.conversation] == number))
        for number, hit in enumerate(shown)
    ]
