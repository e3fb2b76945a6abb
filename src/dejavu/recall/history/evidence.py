"""What speaks for an exchange as the answer to a question, in numbers from 0 to 1.

`QuestionWeights` holds how much each word of the question tells; `Evidence` what one exchange has
of it. How the numbers make an order and a probability is `confidence`'s. Does no I/O but counting
words in the index. Costs O(words of the question) an exchange.

Tested in: tests/recall/history/test_confidence.py
"""

import math
import re
from collections.abc import Collection, Set
from typing import NamedTuple

from ..terms import content_stems, misspelt, without_folders
from .query import Query
from .retrievers.base import SearchContext

_UNKNOWN = 0.6  # what a word counts that occurs nowhere
_UNKNOWN_BEFORE = 0.3  # the same, where most words are of what was said before the prompt
_REPEATS = 10  # times a prompt was given, from which on it is as routine as any
_SHORTEST = 5  # letters of a word that may be misspelt
_ALIKE = 2  # words that two questions share at least, for one word to be in the place of another
# Things of which a question means one and an exchange another, unless the exchange names both.
_KINDS = (
    "production prod staging sandbox",
    "light dark",
    "windows linux macos",
    "ios android",
    "public private",
    "upload download",
    "encrypt decrypt",
    "inbound outbound",
    "incoming outgoing",
    "horizontal vertical",
    "minimum maximum",
    "north south east west",
    "weekday weekend",
    "frontend backend",
)
_WORD = re.compile(r"[a-z]+")


class Evidence(NamedTuple):
    """What speaks for one exchange.

    share: of the question's weight, what its own words hold. before: what the exchange before it
    holds as well. margin: how much nearer it is in meaning than most are; None where it has no
    vector. nearness: the margin by that of the nearest. length: of its answer, up to 400
    characters. repeats: how often its prompt was given elsewhere, up to ten times. unknown: the
    weight of words that stand nowhere. met: telling words it holds. telling: those asked for.
    another: whether it is on another thing of the kind that was asked for.
    named: whether it holds a name asked for. touched: whether its tools touched a file asked for.
    blend: the score of the retrievers. place: the
    numbers of its conversation, and of itself in it.
    """

    share: float
    before: float = 0.0
    margin: float | None = None
    nearness: float | None = None
    length: float = 1.0
    repeats: float = 0.0
    unknown: float = 0.0
    met: int = 0
    telling: int = 0
    named: bool = False
    touched: bool = False
    another: bool = False
    blend: float = 0.0
    place: tuple[int, int] = (0, 0)


class QuestionWeights:
    """How much each word of a question tells where it is asked: rare words more."""

    def __init__(self, query: Query, context: SearchContext) -> None:
        """Count the question's words in the index."""
        unknown = _UNKNOWN_BEFORE if query.uses_context else _UNKNOWN
        self.rarity: dict[str, float] = {}
        self._misspelt: set[str] = set()
        self._strangers: set[str] = set()
        self.telling = {stem for stem, weight in query.weights.items() if weight >= 1.0}
        self._names = {stem for name in query.names for stem in content_stems(name)}
        for stem, weight in query.weights.items():
            frequency = context.frequency("text", stem) or context.frequency("tools", stem)
            self.rarity[stem] = weight * _rarity(frequency, context.size, unknown)
            if not frequency:
                self._strangers.add(stem)
                if len(stem) >= _SHORTEST:
                    self._misspelt.add(stem)
        self._order = [] if query.uses_context else content_stems(without_folders(query.text))
        self._kinds = [] if query.uses_context else _kinds(query.text)
        self.files = query.files
        self.whole = sum(self.rarity.values()) or 1.0

    def share(self, stems: Set[str]) -> float:
        """The part of the question's weight that some stems hold."""
        return self.weight(stems) / self.whole

    def weight(self, stems: Set[str]) -> float:
        """The weight of the question's words that some stems hold."""
        return sum(weight for stem, weight in self.rarity.items() if self._holds(stem, stems))

    def unknown(self, stems: Set[str]) -> float:
        """The part of the weight that occurs nowhere, not even misspelt in these stems."""
        strange = (stem for stem in self._strangers if not self._holds(stem, stems))
        return sum(self.rarity[stem] for stem in strange) / self.whole

    def met(self, stems: Set[str]) -> int:
        """How many of the telling words some stems hold."""
        return sum(self._holds(stem, stems) for stem in self.telling)

    def another(self, stems: Set[str], prompt: str) -> bool:
        """Whether an exchange is on another thing of the kind that was asked for: the dark theme for the light.

        Either it names another of a known kind alone, or its prompt is the question except for one word.
        """
        if any(not own & stems and others & stems for own, others in self._kinds):
            return True
        if all(self._holds(stem, stems) for stem in self._order):
            return False
        given = content_stems(without_folders(prompt))
        if len(given) != len(self._order) or len(given) <= _ALIKE:
            return False
        other = [pair for pair in zip(self._order, given, strict=True) if pair[0] != pair[1]]
        return len(other) == 1 and not self._holds(other[0][0], stems) and not _one_word(*other[0])

    def named(self, stems: Set[str]) -> bool:
        """Whether some stems hold one of a name's that was asked for."""
        return any(self._holds(stem, stems) for stem in self._names)

    def touched(self, paths: Collection[str]) -> bool:
        """Whether one of some paths is of a file asked for."""
        return any(
            f"/{path.lower()}".endswith(f"/{wanted}") for wanted in self.files for path in paths
        )

    def _holds(self, stem: str, stems: Set[str]) -> bool:
        return stem in stems or (
            stem in self._misspelt and any(misspelt(stem, known_stem) for known_stem in stems)
        )


def _kinds(question: str) -> list[tuple[frozenset[str], frozenset[str]]]:
    """What a question names of each known kind, and the others of it, as stems."""
    words = set(_WORD.findall(question.lower()))
    found: list[tuple[frozenset[str], frozenset[str]]] = []
    for kind in _KINDS:
        if own := words.intersection(kind.split()):
            asked = frozenset(content_stems(" ".join(own)))
            found.append((asked, frozenset(content_stems(kind)) - asked))
    return found


def _one_word(first: str, second: str) -> bool:
    """Whether two stems mean one thing: forms of a word, or synonyms."""
    from ..memory.contradiction import same_thing  # few prompts are like a question

    return misspelt(first, second) or same_thing(first, second)


def routine(times: int) -> float:
    """How routine a prompt is that was given so often: 0 for once, 1 for ten times and more."""
    return math.log(1 + min(_REPEATS, max(0, times - 1))) / math.log(1 + _REPEATS)


def _rarity(frequency: int, total: int, unknown: float) -> float:
    """How much a word tells, 0 to 1; one that occurs nowhere tells `unknown`."""
    return math.log(1 + total / frequency) / math.log(1 + total) if frequency else unknown
