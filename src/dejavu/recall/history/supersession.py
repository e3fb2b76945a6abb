"""Which of several answers is the newest word on a subject: it comes first and says what it replaces.

Nothing is dropped from history: an older decision follows the one that replaces it, and the same
text found again follows its first. A later exchange replaces an earlier one only where both are about
one subject (by their vectors, else by the words they share) and state different values: another number
of one thing, a sentence that contradicts, or a change away from what the earlier one named. Where the
question is on what is so now, or after an event, what holds as much of it and is of after the event does.
Where the later speaks of the west gate, and the question and the earlier of the east gate, both hold.
Does no I/O. Costs O(k squared) of at most `WINDOW` short texts.
"""

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise

from dejavu.model.late_pattern import late_pattern

from ..memory.similarity import CHANGED
from ..terms import content_stems, listed, normalise, stems, stop_stems
from .hit_loader import RecallHit

WINDOW = 12
"""Hits, from the best down, that are looked at; the same for every limit."""
Likeness = Callable[[RecallHit, RecallHit], float | None]
"""The cosine of two exchanges; None where one has no vector."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_SHARED = 0.5  # of the shorter sentence's words, for two to speak of one thing
_SUBJECT = 0.5  # of what the earlier holds of the question, for the later to be on its subject
_LIKE = 0.4  # the cosine from which on two exchanges are about one subject
_WORDS_LIKE = 0.2  # the same without vectors: of the shorter one's words, that the other has
_COPY = 0.4  # of the shorter one's words, from which on two may be one sentence on two things
_KNOWN = 0.6  # of what one of them holds of a question, that the other holds, for both to answer it
_AS_SURE = 0.4  # of the confidence of one of them, that the other has
_ROUTINE = 0.5  # how often a prompt is given whose answers replace nothing ("run the tests")
_NAME = late_pattern(r"\b(?!\d\b)(?:[A-Z][\w.+-]*[\w+]|[a-z]+[A-Z_]\w*|\w*\d[\w.]*)")
"""What a sentence names. A number of one digit is in too many to be a name."""
_AMOUNT = late_pattern(
    r"\b(\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fourteen|twenty|thirty|"
    r"sixty|ninety)[ -]?([A-Za-z]{1,20}|%)",
    re.IGNORECASE,
)
_DIGITS = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9", "ten": "10", "twelve": "12", "fourteen": "14", "twenty": "20",
    "thirty": "30", "sixty": "60", "ninety": "90",
}  # fmt: skip
# What a sentence says of a change without naming what it was before; next to another answer only.
_TURN = late_pattern(
    r"\b(instead|after all|back to|gave up|given up|since then|in the end|finally|moved|switched|"
    r"(?:did|do|does|would|will|was|is) not (?:work|hold|do|last|pay)|"
    r"these days|meanwhile|turned out|this time|from next)\b",
    re.IGNORECASE,
)
_NOW = late_pattern(
    r"\b(now|nowadays|currently|these days|at the moment|any ?more|by now|today|still)\b",
    re.IGNORECASE,
)
# The event after which a question asks.
_EVENT = late_pattern(r"\b(?:after|since|as of|now that)\b([^,;.?!]{3,80})", re.IGNORECASE)
_MODAL = frozenset(listed("may might must shall"))
_MOST = 6  # sentences of a text that are looked at
_Statement = tuple[str, frozenset[str]]


def newest_first(
    hits: Sequence[RecallHit], question: str, likeness: Likeness = lambda _first, _second: None
) -> list[RecallHit]:
    """The hits in order, but each replaced one behind the newest that replaces it."""
    ranked = _doubles_last(hits[:WINDOW])
    asked = _Asked(question)
    told = [_Told(hit, asked.stems) for hit in ranked]
    replaced: dict[int, list[int]] = {}
    for newer, later in enumerate(told):
        for older, earlier in enumerate(told):
            if (earlier.hit.at or 0.0) < (later.hit.at or 0.0) and _replaces(
                later, earlier, asked, likeness
            ):
                replaced.setdefault(newer, []).append(older)
    return _ordered(ranked, replaced) + list(hits[WINDOW:])


class _Asked:
    """A question: its words, and whether it is on what is so now, or after which event."""

    def __init__(self, question: str) -> None:
        self.stems = frozenset(content_stems(question))
        event = " ".join(_EVENT.findall(question))
        self.event = frozenset(content_stems(event))
        self.now = _NOW.search(question) is not None


class _Told:
    """A hit, with what it is about and what it states."""

    def __init__(self, hit: RecallHit, asked: frozenset[str]) -> None:
        self.hit = hit
        answer = hit.answer or hit.excerpt
        self.text = f"{hit.question}\n{answer}"
        self.order = stems(self.text)
        self.stems = frozenset(self.order) - stop_stems()
        self.subject = asked & self.stems
        self.asked = asked
        self._answer = answer

    # What follows is asked of two that are about one subject: few are.
    @cached_property
    def statements(self) -> list[_Statement]:
        return _statements(self._answer)

    @cached_property
    def values(self) -> dict[str, set[str]]:
        return _amounts(self._answer)

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(
            stem
            for sentence in _SENTENCE.split(self._answer)
            for name in _NAME.findall(sentence[1:])  # its first word has a capital anyway
            for stem in content_stems(name)
        )


def _replaces(later: _Told, earlier: _Told, asked: _Asked, likeness: Likeness) -> bool:
    """Whether the later of two states another value of the same subject."""
    if later.hit.workspace != earlier.hit.workspace or later.hit.evidence.repeats > _ROUTINE:
        return False
    if not _one_subject(later, earlier, likeness(later.hit, earlier.hit)) or _another(
        later, earlier
    ):
        return False
    return (
        _other_amount(earlier.values, later.values)
        or _taken_back(earlier.statements, later.statements)
        or (_speaks_of_change(later.text) and _names_what_was(later, earlier))
        or (_TURN.search(later.text) is not None and _names_another(later, earlier))
        or _is_of_after(later, earlier, asked)
    )


def _is_of_after(later: _Told, earlier: _Told, asked: _Asked) -> bool:
    """Whether the question is on what is so now, or after an event, and the later of two is of then.

    Both hold nearly the same of the rest of the question, more than half of it, and the earlier does not
    hold the whole event.
    """
    core = asked.stems - asked.event
    known, again = earlier.stems & core, later.stems & core
    both = len(known & again)
    if 2 * both <= len(core) or both < _KNOWN * max(len(known), len(again)):
        return False
    sure = sorted((later.hit.confidence, earlier.hit.confidence))
    if sure[0] < _AS_SURE * sure[1]:
        return False
    before, after = asked.event & earlier.stems, asked.event & later.stems
    return asked.now or (before < asked.event and len(before) <= len(after))


def _one_subject(later: _Told, earlier: _Told, cosine: float | None) -> bool:
    """Whether two are about one thing, and it is what was asked for."""
    shared = len(later.subject & earlier.subject)
    if cosine is not None:
        return cosine >= _LIKE
    if not shared or shared < _SUBJECT * len(earlier.subject):
        return False
    common = len(later.stems & earlier.stems)
    return common >= max(1.0, _WORDS_LIKE * min(len(later.stems), len(earlier.stems)))


def _another(later: _Told, earlier: _Told) -> bool:
    """Whether the later is on another thing: a word in the place of one that was asked for (`hall 5`).

    The place is next to a word that both have and that was asked for.
    """
    common = len(later.stems & earlier.stems)
    if common < _COPY * min(len(later.stems), len(earlier.stems)):
        return False
    shared = later.subject & earlier.subject
    own = later.stems - earlier.stems
    lost = earlier.subject - later.stems - _MODAL
    for order, other in ((earlier.order, later.order), (earlier.order[::-1], later.order[::-1])):
        places = {word for before, word in pairwise(order) if before in lost and word in shared}
        if any(before in own and word in places for before, word in pairwise(other)):
            return True
    return False


def _names_what_was(later: _Told, earlier: _Told) -> bool:
    """Whether the later speaks of something that the earlier named as its answer."""
    return bool((earlier.names - earlier.asked) & later.stems)


def _names_another(later: _Told, earlier: _Told) -> bool:
    """Whether each names something that the other does not, and that was not asked for."""
    return bool(
        earlier.names - later.stems - later.asked and later.names - earlier.stems - later.asked
    )


def _speaks_of_change(text: str) -> bool:
    return CHANGED.search(text) is not None or _TURN.search(text) is not None


def _amounts(text: str) -> dict[str, set[str]]:
    """The numbers in a text by what they count: `60 euros` is {"euro": {"60"}}."""
    found: dict[str, set[str]] = {}
    for match in _AMOUNT.finditer(text):
        number, counted = match[1].lower(), content_stems(match[2])
        if counted:
            found.setdefault(counted[0], set()).add(_DIGITS.get(number, number))
    return found


def _other_amount(older: dict[str, set[str]], newer: dict[str, set[str]]) -> bool:
    """Whether the later says another number of the same thing."""
    return any(newer[unit] - older[unit] for unit in older.keys() & newer.keys())


def _doubles_last(hits: Sequence[RecallHit]) -> list[RecallHit]:
    """The hits in order, those that show the same as another behind all others."""
    first: list[RecallHit] = []
    again: list[RecallHit] = []
    seen: set[str] = set()
    for hit in hits:
        shown = normalise(f"{hit.question} {hit.answer} {hit.excerpt}")
        (again if shown in seen else first).append(hit)
        seen.add(shown)
    return first + again


def _ordered(ranked: list[RecallHit], replaced: dict[int, list[int]]) -> list[RecallHit]:
    """Each hit at its rank, or at that of the best one it replaces."""
    best = {newer: min(newer, *olders) for newer, olders in replaced.items()}
    order = sorted(
        range(len(ranked)),
        key=lambda n: (best.get(n, n), -(ranked[n].at or 0.0) if n in best else 0.0),
    )
    order.sort(key=lambda n: best.get(n, n))
    # A newer one that came to an older one's rank comes before it.
    placed: list[int] = []
    for number in order:
        behind = [placed.index(o) for o in replaced.get(number, ()) if o in placed]
        placed.insert(min(behind, default=len(placed)), number)
    return [_with_replaced(ranked[n], [ranked[o] for o in replaced.get(n, ())]) for n in placed]


def _with_replaced(hit: RecallHit, older: Sequence[RecallHit]) -> RecallHit:
    """A hit that names what it replaces, and is as sure as that: an old answer never goes alone."""
    if not older:
        return hit
    return hit._replace(
        replaces=tuple(one.event for one in older),
        confidence=max(hit.confidence, *(one.confidence for one in older)),
        sure=hit.sure or any(one.sure for one in older),
    )


def _statements(text: str) -> list[_Statement]:
    sentences = [part.strip() for part in _SENTENCE.split(text) if 10 <= len(part.strip()) <= 240]
    told = [sentence for sentence in sentences if "?" not in sentence]
    return [(sentence, frozenset(content_stems(sentence))) for sentence in told[:_MOST]]


def _taken_back(older: list[_Statement], newer: list[_Statement]) -> bool:
    for sentence, left in older:
        for other, right in newer:
            shared = len(left & right)
            near = shared >= 2 and shared >= _SHARED * min(len(left), len(right))
            if near and _contradict(sentence, other):
                return True
    return False


def _contradict(sentence: str, other: str) -> bool:
    from ..memory.contradiction import contradiction  # most prompts have nothing to compare

    return contradiction(sentence, other).contradicts
