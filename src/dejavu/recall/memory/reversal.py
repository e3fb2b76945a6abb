"""Whether a new memory reverses an old one that it says in other words, where vectors tell the subject.

`contradiction` believes what two sentences of one form show. With a cosine of the two, less form
is needed: near enough, they speak of one thing, and then these are signs:

* both state a number, a time or a date of one kind, and not the same;
* the new one says that something changed (`raised`, `ported`, `these days`);
* one allows what the other denies;
* each names one thing in its own place (`Sphinx builds the docs`, `the docs are built with MkDocs`).

What is left over of one sentence, apart from these, is another fact. Does no I/O; costs O(text).
"""

import re
from typing import NamedTuple

from ..terms import listed, stems, stop_stems
from .contradiction import CHANGED, Verdict, same_thing, words_of
from .quantities import Quantity, of_one_kind, quantities
from .similarity import NEGATIONS, NEVER_SAME, SAME

_NEAR, _NEARER, _ONE_FORM = 0.4, 0.6, 0.9
"""Cosines of the sentence model: of one subject, surely so, in one form. By the development set."""
_SAID_AGAIN = 0.85
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
_PLACING = _GENERIC - frozenset(stems("allow take set time write get"))
_IRREGULAR = {
    "sent": "send", "built": "build", "kept": "keep", "held": "hold", "made": "make",
    "written": "write", "wrote": "write", "ran": "run", "took": "take", "shown": "show",
    "owner": "own", "belong": "own", "ownership": "own",
}  # fmt: skip
_DENIES = NEGATIONS | frozenset(
    listed(
        "nobody none nothing closed refused rejected removed retired ended gone off without blocked banned"
    )
)
_BOUNDS = frozenset(listed("only must mandatory required every"))
_FREE = frozenset(listed("optional anyone anybody may any"))
_SCOPE = frozenset(listed("for in on at during when if while"))
_COPULA = frozenset(listed("is are was were be been"))
_PREPOSITIONS = _SCOPE | frozenset(listed("to by with from through via into"))
_ARTICLES = frozenset(listed("the a an our my all own only"))
_SLOTS = {
    "is": _COPULA,
    "means": frozenset(listed("with by through via")),
    "in": frozenset(listed("in at on to from into as")),
    "has": frozenset(listed("have has had")),
}
_ONE_SLOT = frozenset(
    frozenset(pair.split())
    for pair in (
        "is", "means", "in", "object", "has", "subject means", "object means", "object subject",
        "subject is", "in means", "in subject", "is means", "is object",
    )
)  # fmt: skip
"""Pairs of places in which two names answer one question: `built with X`, `X builds`."""
_SURELY = 0.7
_ALWAYS = frozenset(stems("always every each"))
_TURNS = frozenset(listed("by for called name of"))
"""Words that come or go as a sentence is turned round."""
_ORDERS = frozenset(listed("from to over than before after"))
_STEPS = frozenset(listed("before after"))
_OPTIONS = frozenset(listed("can may could also"))
_NAMING = frozenset(stems("call called name named"))
_RUN = 3  # words that a named thing may have


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
    if cosine < _NEAR:
        return Verdict(False)
    left, right = _sentence(old), _sentence(new)
    shared = [x for x in left.telling() if any(_same(x, y) for y in right.telling())]
    shared = [x for x in shared if x not in _GENERIC]
    if not shared:
        return Verdict(False)
    rest = _rest(left, right), _rest(right, left)
    if left.quantities and right.quantities:
        return Verdict(_other_quantity(left, right, rest, cosine), "another number")
    denied = _polarity(left.words) != _polarity(right.words)
    if denied and cosine >= _NEARER and len(rest[1]) <= 1 and not _scoped(right, rest[1]):
        return Verdict(True, "denied")
    if bool(left.quantities) != bool(right.quantities):
        return Verdict(False)
    if _CHANGE.search(new) and not _CHANGE.search(old) and not CHANGED.search(old):
        return Verdict(bool(rest[1]) or denied, "changed")
    return Verdict(_one_name_each(left, right, rest, cosine), "another name")


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
        and stem not in _CHANGE_STEMS
        and one.words[at] not in _DENIES | _BOUNDS | _FREE
        and not any(_same(stem, theirs) for theirs in other.stems)
    ]


def _other_quantity(
    left: _Sentence, right: _Sentence, rest: tuple[list[int], list[int]], cosine: float
) -> bool:
    a, b = left.quantities, right.quantities
    if {q.value for q in a} & {q.value for q in b}:
        return False
    if not any(of_one_kind(x, y) for x in a for y in b):
        return False
    open_left = [at for at in rest[0] if left.stems[at] not in _GENERIC]
    open_right = [at for at in rest[1] if right.stems[at] not in _GENERIC]
    if open_left and open_right:
        return (
            cosine >= 0.5
            and max(len(open_left), len(open_right)) <= 1
            and not (_scoped(right, open_right) or open_left[0] < 2 > open_right[0])
        )
    return True


def _polarity(words: list[str]) -> bool:
    """Whether a sentence denies: two denials are none."""
    return sum(word in _DENIES for word in words) % 2 == 1


def _scoped(sentence: _Sentence, places: list[int]) -> bool:
    """Whether what is left over says for whom or where it holds."""
    return any(word in _SCOPE for at in places for word in sentence.words[max(0, at - 2) : at])


def _one_name_each(
    left: _Sentence, right: _Sentence, rest: tuple[list[int], list[int]], cosine: float
) -> bool:
    if cosine >= _ONE_FORM:
        return False  # of one form: `contradiction` sees what differs
    if any((_STEPS | _OPTIONS) & set(sentence.words) for sentence in (left, right)):
        return False
    slots: list[str] = []
    for sentence, places in zip((left, right), rest, strict=True):
        names = [at for at in places if sentence.stems[at] not in _PLACING]
        if not names or names[-1] - names[0] >= _RUN:
            return False
        between = sentence.words[names[0] : names[-1]]
        if any(_is_predicate(sentence, at) for at in names) or _PREPOSITIONS & set(between):
            return False
        slots.append(_slot(sentence, names[0]))
    return frozenset(slots) in _ONE_SLOT or (
        frozenset(slots) == frozenset({"is", "in"}) and cosine >= _SURELY
    )


def _slot(sentence: _Sentence, at: int) -> str:
    """What a name is to its sentence: the subject, an object, a place, a means."""
    before = [word for word in sentence.words[:at] if word not in _ARTICLES]
    if not before:
        return "subject"
    for slot, words in _SLOTS.items():
        if before[-1] in words:
            return slot
    if sentence.stems[sentence.words.index(before[-1])] in _GENERIC:
        return "object"
    return "is" if at == len(sentence.words) - 1 and not _COPULA & set(sentence.words) else "verb"


def _is_predicate(sentence: _Sentence, at: int) -> bool:
    """Whether a word says what happens to the subject: `are encrypted with`, `prints`."""
    word, before = sentence.words[at], sentence.words[at - 1] if at else ""
    return before in _COPULA and word.endswith(("ed", "en"))


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
        [at for at in places if one.stems[at] not in _GENERIC | _NAMING]
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
    words = set(left.words) ^ set(right.words)
    passive = any(
        "we" in one.words and _COPULA & set(other.words)
        for one, other in ((left, right), (right, left))
    )
    return (passive or bool(words & _TURNS)) and not words & _ORDERS
