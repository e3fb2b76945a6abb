"""Whether a new memory reverses an old one that it says in other words, where vectors tell the subject.

`contradiction` believes what two sentences of one form show. With a cosine of the two, less form
is needed. `signs` are what is looked at, `reversal` weighs them by a logistic regression: nearness,
another number of one kind, a word of change, and what each sentence is about and leaves over.

`python -m benchmarks.recall.reversals` prints the figures, with `--fit` the weights.
Does no I/O; costs O(text).
"""

import math
import re
from typing import NamedTuple

from ..terms import listed, stems, stop_stems
from .contradiction import Verdict, same_thing, words_of
from .quantities import Quantity, of_one_kind, quantities
from .similarity import CHANGED, NEGATIONS, NEVER_SAME, SAME

_NEAR = 0.4
"""The cosine of the sentence model below which two are of no one subject."""
_SAID_AGAIN = 0.85
_MOST_SHARED = 4
_CHANGE = re.compile(
    r"\b(?:now|no longer|any ?more|these days|nowadays|since|gone|instead|"
    r"(?:rais|bump|lower|increas|decreas|reduc|chang|mov|switch|port|rewrit|migrat|replac|swapp|reshard|resiz|renam|relocat|reassign|doubl|halv)ed|"
    r"rewrote|rewritten|rebuilt|grew|grown|cut|went|became|settled)\b",
    re.IGNORECASE,
)
_CHANGE_STEMS = frozenset(
    stems(
        "now longer anymore day nowadays since go gone went instead raise bump lower increase reduce "
        "change move switch port rewrite rewrote rewritten rebuild rebuilt grow grew grown cut become "
        "settle up down night yesterday last march new total today"
    )
)
_GENERIC = frozenset(
    stems(
        "use do come manage handle hold keep kept live store be get land go belong own serve deliver "
        "make put read pull fetch host run locate team own our time need require allow take set have "
        "stay ever least write get"
    )
)
_IRREGULAR = {
    "sent": "send", "built": "build", "kept": "keep", "held": "hold", "made": "make",
    "written": "write", "wrote": "write", "ran": "run", "took": "take", "shown": "show",
    "seen": "see", "done": "do", "given": "give", "taken": "take", "chosen": "choose",
    "owner": "own", "belong": "own", "ownership": "own",
}  # fmt: skip
_DENIES = NEGATIONS | frozenset(
    listed(
        "nobody none nothing closed refused rejected removed retired ended gone off without blocked banned"
    )
)
_BOUNDS = frozenset(listed("only must mandatory required every optional anyone anybody may any"))
_SCOPE = frozenset(listed("for in on at during when if while"))
_ALWAYS = frozenset(stems("always every each"))
_TURNS = frozenset(listed("by for called name of is are was were has have"))
"""Words that come or go as a sentence is turned round."""
_ORDERS = frozenset(listed("from to over than before after"))
_NAMING = frozenset(stems("call called name named"))


class Signs(NamedTuple):
    """What two sentences show; each but `cosine` and `shared` is 0 or 1.

    shared: the words that tell which both have, up to 4. number: they count one thing, and not the
    same. change: the new one speaks of a change. subjects: each is about something that the other
    does not name. subject: both begin with the same. uneven: only one states a number. old_rest,
    new_rest: nothing is left over of it.
    """

    cosine: float
    shared: float
    number: float
    change: float
    subjects: float
    subject: float
    uneven: float
    old_rest: float
    new_rest: float


WEIGHTS = Signs(7.7, -0.8, 3.5, 4.3, -2.8, -0.8, -2.9, 2.4, 3.3)
CONSTANT = -3.2


class _Sentence(NamedTuple):
    words: list[str]
    stems: list[str]
    quantities: list[Quantity]

    def telling(self) -> list[str]:
        stop = stop_stems()
        return [
            stem
            for word, stem in zip(self.words, self.stems, strict=True)
            if stem not in stop and word not in _DENIES
        ]


def reversal(old: str, new: str, cosine: float) -> Verdict:
    """Whether `new` cannot hold together with `old`; `cosine` is that of their sentence vectors."""
    found = signs(old, new, cosine)
    if found is None:
        return Verdict(False)
    logit = CONSTANT + sum(weight * sign for weight, sign in zip(WEIGHTS, found, strict=True))
    return Verdict(logit > 0.0, "another number" if found.number else "another value")


def signs(old: str, new: str, cosine: float) -> Signs | None:
    """What `reversal` weighs; None where the two share no subject."""
    if not math.isfinite(cosine) or cosine < _NEAR:
        return None
    left, right = _sentence(old), _sentence(new)
    first, second = _subjects(left), _subjects(right)
    shared = sum(_known(stem, second) for stem in first)
    if not shared:
        return None
    leads = _known(first[0], second), _known(second[0], first)
    rest = _rest(left, right), _rest(right, left)
    return Signs(
        cosine,
        shared=min(shared, _MOST_SHARED),
        number=_other_quantity(left, right, rest, cosine),
        change=(_CHANGE.search(new) or CHANGED.search(new)) is not None,
        subjects=not any(leads),
        subject=all(leads),
        uneven=bool(left.quantities) != bool(right.quantities),
        old_rest=not (rest[0] or left.quantities),
        new_rest=not (rest[1] or right.quantities),
    )


def _subjects(sentence: _Sentence) -> list[str]:
    """The stems of a sentence that may name what it is about."""
    return [x for x in sentence.telling() if x not in _GENERIC and x not in _CHANGE_STEMS]


def _known(stem: str, others: list[str]) -> bool:
    return any(_same(stem, other) for other in others)


def _sentence(text: str) -> _Sentence:
    words = words_of(text)
    made = [stems(word) for word in words]
    found = [one[0] if len(one) == 1 else word for one, word in zip(made, words, strict=True)]
    found = [_IRREGULAR.get(stem, stem) for stem in found]
    return _Sentence(words, found, quantities(words))


def _same(first: str, second: str) -> bool:
    short, long = sorted((first, second), key=len)
    return same_thing(first, second) or (len(short) >= 4 and long.startswith(short))


def _rest(one: _Sentence, other: _Sentence) -> list[int]:
    """The places of words that tell and that the other sentence does not have in any form."""
    stop, counted = stop_stems(), {at for q in one.quantities for at in q.places}
    return [
        at
        for at, stem in enumerate(one.stems)
        if at not in counted
        and stem not in stop
        and stem not in _CHANGE_STEMS | _GENERIC
        and one.words[at] not in _DENIES | _BOUNDS
        and not any(_same(stem, theirs) for theirs in other.stems)
    ]


def _other_quantity(
    left: _Sentence, right: _Sentence, rest: tuple[list[int], list[int]], cosine: float
) -> bool:
    """Whether both state a number of one kind of one thing, and not the same."""
    a, b = left.quantities, right.quantities
    if {q.value for q in a} & {q.value for q in b}:
        return False
    if not any(of_one_kind(x, y) for x in a for y in b):
        return False
    if rest[0] and rest[1]:
        return (
            cosine >= 0.5
            and max(map(len, rest)) <= 1
            and not (_scoped(right, rest[1]) or rest[0][0] < 2 > rest[1][0])
            and not (_numbers(left, rest[0]) and _numbers(right, rest[1]))
        )
    return True


def _scoped(sentence: _Sentence, places: list[int]) -> bool:
    """Whether what is left over says for whom or where it holds."""
    return any(word in _SCOPE for at in places for word in sentence.words[max(0, at - 2) : at])


def _numbers(sentence: _Sentence, places: list[int]) -> bool:
    """Whether what is left over is what a number is of: `Android 9`, `iOS 15`."""
    return any(q.places[0] - 1 in places for q in sentence.quantities)


def _polarity(words: list[str]) -> bool:
    """Whether a sentence denies: two denials are none."""
    return sum(word in _DENIES for word in words) % 2 == 1


def same_by_meaning(old: str, new: str, cosine: float, *, sentences: bool = True) -> float:
    """How alike two texts with that cosine are, 0 to 1; from `SAME` on one says the other again.

    sentences: whether the vectors are the sentence model's. Then two are the same, too, where
    nothing is left over of either and the order is no other.
    """
    left, right = _sentence(old), _sentence(new)
    if {q.value for q in left.quantities} != {q.value for q in right.quantities}:
        return min(cosine, NEVER_SAME)
    if _polarity(left.words) != _polarity(right.words):
        return min(cosine, NEVER_SAME)
    if not sentences:
        return cosine
    rest = [
        [at for at in places if one.stems[at] not in _NAMING]
        for one, places in ((left, _rest(left, right)), (right, _rest(right, left)))
    ]
    said = cosine >= _SAID_AGAIN and rest == [[], []] and _in_order(left, right)
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
    if order == sorted(order):
        return True
    if len(order) >= 3 and any(order[n:] + order[:n] == sorted(order) for n in range(len(order))):
        return True
    turned = bool((set(left.words) ^ set(right.words)) & _TURNS)
    return turned and not _orders(left) | _orders(right)


def _orders(sentence: _Sentence) -> frozenset[str]:
    """The words by which the order carries the meaning; not the `to` of `has to`."""
    text = " ".join(sentence.words)
    return _ORDERS & set(re.sub(r"\b(?:has|have|need|needs) to\b", "", text).split())
