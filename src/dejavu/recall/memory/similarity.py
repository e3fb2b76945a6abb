"""How alike two memories are, without a model: one number, and what the difference is made of.

The similarity of two texts, from 0 to 1; 0.95 means "the same thing said again".
Words count as stems, alone and in pairs (`tabs, not spaces` is not `spaces, not tabs`). Where a
number, a path, an identifier or a negation differs, two texts are never the same, however alike.
A sentence turned round (`turned`) is the same sentence; the same words in another order are not.
Does no I/O. Costs O(text).
"""

import math
import re
from collections import Counter
from functools import lru_cache
from typing import Any, NamedTuple

from dejavu.model.late_pattern import late_pattern

from ..terms import STOP, listed, normalise, pairs, stems

SAME = 0.95
NEVER_SAME = 0.94

_VALUE = re.compile(
    r"[\w./:@~-]*\d[\w./:@-]*|[\w-]*[/~][\w./-]+|\w+_\w+|[a-z]+[A-Z]\w*|\w+\.\w{1,5}\b"
)
_FILLER = frozenset(
    listed("the a an is are was were be been to of that this it its we our i my please")
)
NEGATIONS = frozenset(
    listed(
        "not no never without dont don cannot cant isnt doesnt shouldnt mustnt wont avoid "
        "stop disable disabled forbid forbidden nor neither refuse"
    )
)
CHANGED = late_pattern(
    r"\b(no longer|not anymore|any ?more|instead of|rather than|in place of|"
    r"(?:switch|move|migrat|chang|rename|replac|swapp?|upgrad|downgrad|convert)\w*\b.*\b(?:to|by|with|from|into)|"
    r"replac\w+|deprecat\w+|supersed\w+|from now on|as of|now|stopped|dropped|abandoned|got rid of|"
    r"correction|actually|reverted?)\b",
    re.IGNORECASE,
)
"""What a sentence says of a change."""
_CAPITALS = re.compile(r"\b(?:A|IT|US)\b")
_ARTICLE = re.compile(r"A (?!\w+[^siu]s\b)([a-z]\w+)(?!.*\b(?:[A-HJ-Z]|IT|US)\b)")
"""An `A` before a noun, not before a verb (`A runs after the build`)."""
_VERBS = STOP | frozenset(listed("must may might shall"))
_CHAIN = re.compile(r"[-=]>|→|\s[<>]\s")
"""What puts things in an order: `lint -> test -> deploy`."""
_APOSTROPHE = re.compile(r"n['’]t\b", re.IGNORECASE)


class Features(NamedTuple):
    """What a text is compared by."""

    text: str
    order: tuple[str, ...]
    words: Counter[str]
    pairs: Counter[tuple[str, str]]
    values: frozenset[str]
    negations: int


@lru_cache(maxsize=20_000)
def features(text: str) -> Features:
    """The features of a text (kept for the most recent ones)."""
    text = with_names(text)
    carried = [stem for stem in stems(text) if stem not in _FILLER]
    spelled = _APOSTROPHE.sub(" not", text)
    negations = sum(word in NEGATIONS for word in normalise(spelled).split())
    values = frozenset(value.strip(".,:;").casefold() for value in _VALUE.findall(text))
    return Features(
        normalise(text),
        tuple(carried),
        Counter(carried),
        Counter(pairs(carried)),
        values,
        negations,
    )


def with_names(text: str) -> str:
    """`text` with `A`, `IT` and `US` as words of their own where they are names: `A must start before B`.

    At the start, before a noun, `A` is an article: `A deploy takes an hour`.
    """

    def marked(found: re.Match[str]) -> str:
        at, article = found.start(), _ARTICLE.match(text, found.start())
        starts = at == 0 or text[:at].rstrip()[-1:] in ".!?:;"
        if starts and article is not None and article[1] not in _VERBS:
            return found[0]
        return f"{found[0].lower()}name"

    return text if text.isupper() else _CAPITALS.sub(marked, text)


def similarity(first: str, second: str) -> float:
    """How alike two texts are, 0 to 1; 0.95 and more is the same thing."""
    from .turned import is_turned  # a prompt only reads

    left, right = features(first), features(second)
    if left.text == right.text:
        return 1.0 if left.values == right.values else NEVER_SAME
    if not left.words or not right.words:
        return 0.0
    memory_similarity = 0.6 * _cosine(left.words, right.words) + 0.4 * _cosine(
        left.pairs, right.pairs
    )
    if left.values != right.values or left.negations != right.negations:
        return min(memory_similarity, NEVER_SAME)
    chained = _CHAIN.search(first) or _CHAIN.search(second)
    words = left.text.split(), right.text.split()
    if not chained and is_turned(*words, (left.order, right.order)):
        return max(SAME, min(memory_similarity, 1.0))
    if left.order != right.order and left.words == right.words:
        return min(memory_similarity, NEVER_SAME)
    return min(memory_similarity, 1.0)


def _cosine(first: Counter[Any], second: Counter[Any]) -> float:
    shared = sum(count * second[key] for key, count in first.items())
    return shared / (_length(first) * _length(second)) if shared else 0.0


def _length(counts: Counter[Any]) -> float:
    return math.sqrt(sum(count * count for count in counts.values()))
