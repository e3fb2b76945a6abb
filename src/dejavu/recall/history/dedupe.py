"""Which of several answers still stands: doubles, and decisions that a later one took back.

Sentences are compared that speak of the same thing; only a contradiction found by `contradiction`
counts. Does no I/O. Costs O(k squared) of at most 15 short texts.
"""

import re
from collections.abc import Sequence

from ..memory.contradiction import contradiction
from ..memory.similarity import features
from ..terms import content_stems, jaccard

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_ALIKE = 0.9
_SHARED = 0.5  # of the shorter sentence's words, for two to speak of one thing
_MOST = 6  # sentences of a text that are looked at


def is_duplicate(first: str, second: str) -> bool:
    """Whether two excerpts show the same."""
    left, right = features(first), features(second)
    if left.plain == right.plain:
        return True
    if left.values != right.values or min(len(left.words), len(right.words)) < 5:
        return False
    return jaccard(frozenset(left.pairs), frozenset(right.pairs)) >= _ALIKE


def superseded(excerpts: Sequence[tuple[str, float]]) -> set[int]:
    """The numbers of the texts that a later one takes back."""
    sentences = [_sentences(text) for text, _ in excerpts]
    old: set[int] = set()
    for older, (_, before) in enumerate(excerpts):
        for newer, (_, after) in enumerate(excerpts):
            if before < after and _taken_back(sentences[older], sentences[newer]):
                old.add(older)
                break
    return old


def _sentences(text: str) -> list[tuple[str, frozenset[str]]]:
    sentences = [
        sentence.strip() for sentence in _SENTENCE.split(text) if 10 <= len(sentence.strip()) <= 240
    ]
    statements = [sentence for sentence in sentences if "?" not in sentence]
    return [(sentence, frozenset(content_stems(sentence))) for sentence in statements[:_MOST]]


def _taken_back(
    older: list[tuple[str, frozenset[str]]], newer: list[tuple[str, frozenset[str]]]
) -> bool:
    for sentence, left in older:
        for other, right in newer:
            shared = len(left & right)
            near = shared >= 2 and shared >= _SHARED * min(len(left), len(right))
            if near and contradiction(sentence, other).contradicts:
                return True
    return False
