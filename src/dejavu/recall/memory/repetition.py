"""Whether a new memory says an old one again in other words, where vectors tell.

A changed number, a denial, or an order that carries the meaning ("tabs over spaces") is never a repetition.
Does no I/O; costs O(text).
"""

import re
from typing import NamedTuple

from ..terms import listed, stems, stop_stems
from .contradiction import same_thing, words_of
from .quantities import quantities
from .reversal import SAID_AGAIN, Likeness, repeats
from .similarity import NEGATIONS, NEVER_SAME, SAME, with_names
from .turned import base, is_passive

_GENERIC = frozenset(
    stems(
        "use do come manage handle hold keep kept live store be get land go belong own serve deliver "
        "make put read pull fetch host run locate team own our time need require allow take set have "
        "stay ever least write get"
    )
)
_DENIES = NEGATIONS | frozenset(
    listed(
        "nobody none nothing closed refused rejected removed retired ended gone off without blocked banned"
    )
)
_ALWAYS = frozenset(stems("always every each"))
_TURNS = frozenset(listed("by for called name of is are was were has have"))
"""Words that come or go as a sentence is turned round."""
_ORDERS = frozenset(
    listed("from to over than before after above below under ahead behind until instead into onto")
)


class _Sentence(NamedTuple):
    words: list[str]
    stems: list[str]

    def telling(self) -> list[str]:
        stop = stop_stems()
        return [
            stem
            for word, stem in zip(self.words, self.stems, strict=True)
            if stem not in stop and word not in _DENIES
        ]


def _sentence(text: str) -> _Sentence:
    words = words_of(with_names(text))
    made = [stems(word) for word in words]
    found = [one[0] if len(one) == 1 else word for one, word in zip(made, words, strict=True)]
    return _Sentence(words, [base(stem) for stem in found])


def _same(first: str, second: str) -> bool:
    short, long = sorted((first, second), key=len)
    return same_thing(first, second) or (len(short) >= 4 and long.startswith(short))


def _polarity(words: list[str]) -> bool:
    """Whether a sentence denies: two denials are none."""
    return sum(word in _DENIES for word in words) % 2 == 1


def same_by_meaning(old: str, new: str, cosine: float, likeness: Likeness | None = None) -> float:
    """How alike two texts with that cosine are, 0 to 1; from `SAME` on one says the other again.

    likeness: how the sentence model reads the two, where the vectors are its own.
    """
    left, right = _sentence(old), _sentence(new)
    if {q.value for q in quantities(left.words)} != {q.value for q in quantities(right.words)}:
        return min(cosine, NEVER_SAME)
    if _polarity(left.words) != _polarity(right.words):
        return min(cosine, NEVER_SAME)
    if likeness is None:
        return cosine
    said = repeats(old, new, likeness) >= SAID_AGAIN and _in_order(left, right)
    return max(cosine, SAME) if said else min(cosine, NEVER_SAME)


def _in_order(left: _Sentence, right: _Sentence) -> bool:
    """Whether what they share comes in one order, or turned round as a sentence may be."""
    loose = _GENERIC | _ALWAYS
    theirs = [x for x in right.telling() if x not in loose]
    order = [
        next((at for at, y in enumerate(theirs) if _same(x, y)), -1)
        for x in left.telling()
        if x not in loose
    ]
    order = [at for at in order if at >= 0]
    if is_passive(left.words) != is_passive(right.words) and not _have_by(left, right):
        return order != sorted(order)  # who does it comes last
    if order == sorted(order):
        return True
    if len(order) >= 3 and any(order[n:] + order[:n] == sorted(order) for n in range(len(order))):
        return True
    turned = bool((set(left.words) ^ set(right.words)) & _TURNS)
    return turned and not _orders(left) | _orders(right)


def _have_by(left: _Sentence, right: _Sentence) -> bool:
    return "by" in left.words and "by" in right.words


def _orders(sentence: _Sentence) -> frozenset[str]:
    """The words by which the order carries the meaning; not the `to` of `has to`."""
    text = " ".join(sentence.words)
    return _ORDERS & set(re.sub(r"\b(?:has|have|need|needs) to\b", "", text).split())
