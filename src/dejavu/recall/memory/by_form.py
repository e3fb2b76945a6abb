"""What a new memory replaces as far as the form of the two sentences tells: surely, or perhaps.

Surely: it is the same sentence with another value, it denies the whole of the older one, or it names the
older one's value as replaced. Perhaps: they share a subject and more, and one may be false. One word in
common and a `no longer` say nothing. Does no I/O. Costs O(words squared).
"""

import re
from collections.abc import Sequence
from itertools import pairwise, takewhile

from dejavu.model.late_pattern import late_pattern

from ..terms import listed, stems, stop_stems
from .contradiction import STATE, contradiction, same_thing, tells_apart, words_of
from .similarity import CHANGED, NEGATIONS, with_names
from .turned import another_doer, base, is_turned

_MEANS = frozenset(listed("with by as into from to using via"))
_LONGEST_END = 3  # words
_CLAUSE = re.compile(r"[,;:.!?](?:\s|$)| but ")
_LIMITS = frozenset(listed("in on at for when if during while except only unless within"))
_PLACES = frozenset(listed("in on at with by behind under over from for after before without"))
_ARTICLES = frozenset(listed("a an the our we i my they"))
_CHANGES = frozenset(
    stems(
        "longer anymore now stop drop switch move migrate change rename replace swap upgrade convert "
        "instead rather place deprecate supersede abandon rid use using used"
    )
)
_ENDED = late_pattern(
    r"(?:no longer us(?:e|ing)|stopped using|dropped|abandoned|got rid of|replaced|"
    r"(?:moved|switched|migrated)(?: away)? from|instead of|not use(?=.*\bany ?more\b))\s+"
    r"((?:(?:the|our)\s+)?[\w./@-]+)",
    re.IGNORECASE,
)
_RELATIONS = frozenset(
    stems(
        "before after over than above below under beneath ahead behind "
        "north south east west instead replace supersede override overwrite precede own manage lead "
        "outrank exceed beat contain depend"
    )
)
"""Of `A before B` and `B before A` one is false."""
_SEVERAL = frozenset(
    stems("use need like love want require support work read write eat drink know speak sell own")
)
_TO = frozenset(stems("report answer prefer senior junior superior inferior"))
_OVERLAP = 0.5


def surely_replaces(old: str, new: str) -> bool:
    """Whether `new` has another value in the same place, or takes back all that `old` says."""
    verdict = contradiction(old, new)
    if verdict.reason == "another value":
        left, right = words_of(old), words_of(new)
        return not (_predicates(left, right) or _many(left, right))
    return takes_back(old, new)


def takes_back(old: str, new: str) -> bool:
    """Whether `new` denies all that `old` says, or names its value as replaced."""
    verdict = contradiction(old, new)
    if verdict.reason == "changed":
        return _replaces_all(old, new)
    left, right = words_of(old), words_of(new)
    if verdict.reason != "denied" or tells_apart(left, right) or tells_apart(right, left):
        return False
    return _denials(left).isdisjoint(stems(new)) and _denials(right).isdisjoint(stems(old))


def _denials(words: Sequence[str]) -> set[str]:
    """The stems of the words that deny: `refused` is no less than `refuse`."""
    return {stem for word in words if word in NEGATIONS for stem in stems(word)}


def _predicates(left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether something else is said after `is`, not another value: `is signed`, `is behind a proxy`."""
    at = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False)))
    ends = left[at : at + 1], right[at : at + 1]
    if not at or left[at - 1] not in ("is", "are", "was", "were"):
        return False
    return any(word.endswith(("ed", "ing")) or word in _PLACES for end in ends for word in end)


def _many(left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether one may do it with several: `the app uses React`, `the app uses Redis`."""
    both = {stem for word in left if word in right for stem in stems(word)}
    return not both.isdisjoint(_SEVERAL) and not {"for", "as"} & set(left) & set(right)


def may_replace(old: str, new: str) -> bool:
    """Whether `new` and `old` may not both hold, which `memory add` says."""
    return (
        ends_otherwise(old, new)
        or _is_doubtful(old, new)
        or _is_ended(old, new)
        or _is_ended(new, old)
        or exchanged(old, new)
        or another_doer(_words(old), _words(new))
    )


def ends_otherwise(old: str, new: str) -> bool:
    """Whether two sentences are equal up to what is done with: `we test with Jest`, `... with Vitest`.

    After `in`, `on` or `for` comes where it holds, and both may hold.
    """
    left, right = words_of(old), words_of(new)
    same = takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False))
    begin = [word for word, _ in same]
    ends = left[len(begin) :], right[len(begin) :]
    if (
        not begin
        or begin[-1] not in _MEANS
        or not all(0 < len(end) <= _LONGEST_END for end in ends)
    ):
        return False
    return bool(_telling(begin))


def _words(text: str) -> list[str]:
    return [word for word in words_of(with_names(text)) if word not in _ARTICLES]


def _telling(words: Sequence[str]) -> list[str]:
    stop = stop_stems() | _CHANGES
    return [
        stem for word in words if word not in NEGATIONS for stem in stems(word) if stem not in stop
    ]


def _has(stem: str, others: Sequence[str]) -> bool:
    return any(same_thing(stem, other) for other in others)


def _is_doubtful(old: str, new: str) -> bool:
    """Whether they contradict each other over more than a subject."""
    verdict = contradiction(old, new)
    if verdict.reason == "another value":
        return not _predicates(words_of(old), words_of(new)) or _overlap(old, new)
    return verdict.contradicts and _overlap(old, new)


def _overlap(old: str, new: str) -> bool:
    """Whether more than a subject is shared."""
    left, right = set(_telling(words_of(old))), set(_telling(words_of(new)))
    shared = min(
        sum(_has(stem, list(theirs)) for stem in ours)
        for ours, theirs in ((left, right), (right, left))
    )
    return shared >= 2 and shared >= _OVERLAP * min(len(left), len(right))


def _replaces_all(old: str, new: str) -> bool:
    """Whether the clause of `new` that speaks of a change has all that `old` says.

    What it says beyond that is what came in its place (`from X to Y`), not where or for whom.
    """
    left = _telling(words_of(old))
    for clause in _CLAUSE.split(new):
        if not CHANGED.search(clause):
            continue
        words = _words(clause)
        right = _telling(words)
        more = [
            at
            for at, word in enumerate(words)
            if (one := _telling([word])) and not all(_has(stem, left) for stem in one)
        ]
        if any(words[at - 1] in _LIMITS for at in more if at):
            return False
        denies = any(word in NEGATIONS for word in words) or "stopped" in words
        verbs = frozenset[str]() if denies else STATE
        if all(_has(stem, right) for stem in left if stem not in verbs):
            return not (denies and more)
    return False


def _is_ended(one: str, other: str) -> bool:
    """Whether the use of something ended in one, and the other does something with it."""
    ended = {stem for name in _ENDED.findall(one) for stem in _telling(words_of(name))}
    words = _words(other)
    if not ended or CHANGED.search(other) or not NEGATIONS.isdisjoint(words):
        return False
    before = pairwise(words)
    uses = _MEANS | _LIMITS | {"through", "use", "uses"}
    return any(lead in uses and not ended.isdisjoint(stems(word)) for lead, word in before)


def exchanged(old: str, new: str) -> bool:
    """Whether the two sides of an order that carries meaning changed places: `A before B`."""
    words = _words(old), _words(new)
    left, right = ([base(stem) for word in one for stem in stems(word)] for one in words)
    if left == right or sorted(left) != sorted(right) or is_turned(*words, (left, right)):
        return False
    relations = _RELATIONS | ({"to"} if not _TO.isdisjoint(left) else frozenset[str]())
    ends = (
        (left[left.index(stem) + 1 :], right[right.index(stem) + 1 :])
        for stem in relations.intersection(left)
    )
    return any(x != y for one, other in ends for x, y in zip(one, other, strict=False))
