"""Terms: what texts are compared by: stems, trigrams, and the words that carry nothing.

Stems come from tantivy's English stemmer, so memories and the index agree on what one word is.
Does no I/O. Costs O(text).
"""

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import pairwise
from typing import TypeVar

import tantivy

from dejavu.model.edit_distance import distance


def listed(words: str) -> list[str]:
    """The words of a list that is written as one text."""
    return words.split()


STOP = frozenset(
    listed(
        "ok okay yes yeah sure thanks s t d m ll re ve "
        "another whether something anything everything much many still yet else upon across "
        "a about above after again all also am an and any are as at be because been before "
        "being below between both but by can could did do does doing down during each few for "
        "from further had has have having he her here hers him his how i if in into is it its "
        "itself just let me more most my no nor not now of off on once only or other our ours "
        "out over own please same she should so some such than that the their theirs them "
        "then there these they this those through to too under until up us very was we were "
        "what when where which while who whom why will with would you your yours"
    )
)
T = TypeVar("T")
STEMS = "stems"
"""The name of the index's tokeniser."""
# Before a capital after a small letter, or before the last capital of a run; it begins with the
# capital itself, so that `re` skips the rest of the text at full speed.
_SEAM = re.compile(r"[A-Z](?:(?<=[a-z0-9][A-Z])|(?<=[A-Z]{2})(?=[a-z]))")
_BETWEEN = re.compile(r"[\W_]+")


@cache
def analyzer() -> tantivy.TextAnalyzer:
    """Words, lower-cased and stemmed, as the index and every question have them."""
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    lowered = builder.filter(tantivy.Filter.remove_long(64)).filter(tantivy.Filter.lowercase())
    return lowered.filter(tantivy.Filter.stemmer("english")).build()


def stems(text: str) -> list[str]:
    """The stems of every word of `text`, in order; identifiers are cut at their seams."""
    return analyzer().analyze(seams(text))


def seams(text: str) -> str:
    """`text` with a space at every seam the analyser does not see, and no lone surrogate."""
    spaced = _SEAM.sub(_spaced, text).replace("_", " ")
    return spaced if spaced.isascii() else spaced.encode("utf-8", "replace").decode()


def _spaced(match: re.Match[str]) -> str:
    return " " + match[0]  # a template costs three times as much before Python 3.12


@cache
def stop_stems() -> frozenset[str]:
    """The stems of the words that carry nothing."""
    return frozenset(stems(" ".join(STOP)))


def content_stems(text: str) -> list[str]:
    """The stems of the words that carry something, in order."""
    carried_not = stop_stems()
    return [stem for stem in stems(text) if stem not in carried_not]


def trigrams(word: str) -> frozenset[str]:
    """The trigrams of a word, its ends marked, as pg_trgm has them."""
    padded = f"  {word} "
    return frozenset(padded[at : at + 3] for at in range(len(padded) - 2))


def jaccard(first: frozenset[T], second: frozenset[T]) -> float:
    """The Jaccard similarity of two sets, 0 to 1."""
    if not first or not second:
        return 0.0
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared)


def normalise(text: str) -> str:
    """`text` without case, punctuation and spacing: equal for what only looks different."""
    return " ".join(_BETWEEN.sub(" ", text.casefold()).split())


def pairs(words: Iterable[str]) -> list[tuple[str, str]]:
    """Each word with the one after it; the first and the last have an edge next to them."""
    return list(pairwise(["", *words, ""]))


@lru_cache(maxsize=50_000)
def misspelt(word: str, indexed: str) -> bool:
    """Whether two stems may be one word, of which one is misspelt."""
    if (
        word[0] != indexed[0]
        or abs(len(word) - len(indexed)) > 4
        or min(len(word), len(indexed)) < 5
    ):
        return False
    if word[:5] == indexed[:5]:
        return min(len(word), len(indexed)) >= 0.65 * max(len(word), len(indexed))
    return distance(word, indexed) <= (1 if len(word) < 8 else 2)
