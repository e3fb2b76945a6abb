"""Which of several answers is the newest word on a subject: it stands first and says what it replaces.

Nothing is dropped from history: an older decision follows the one that replaces it, and the same
text found again follows its first. Two answers are of one subject where the later holds most of
what the earlier holds of the question; it takes the earlier back where one of its sentences
contradicts one of the earlier's, or where it speaks of a change.
Does no I/O. Costs O(k squared) of at most `WINDOW` short texts.
"""

import re
from collections.abc import Sequence

from ..memory.contradiction import CHANGED, contradiction
from ..terms import content_stems, plain
from .hit_loader import RecallHit

WINDOW = 20
"""Hits, from the best down, that are looked at; the same for every limit."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_SHARED = 0.5  # of the shorter sentence's words, for two to speak of one thing
_SUBJECT = 0.5  # of what the earlier holds of the question, for the later to be on its subject
_AMOUNT = re.compile(
    r"\b(\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fourteen|twenty|thirty|"
    r"sixty|ninety)[ -]?([A-Za-z]{1,20}|%)",
    re.IGNORECASE,
)
_DIGITS = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9", "ten": "10", "twelve": "12", "fourteen": "14", "twenty": "20",
    "thirty": "30", "sixty": "60", "ninety": "90",
}  # fmt: skip
# What a sentence says of a change without naming what it was before; beside another answer only.
_TURN = re.compile(
    r"\b(instead|after all|back to|gave up|given up|since then|in the end|finally|moved|switched|"
    r"(?:did|do|does|would|will|was|is) not (?:work|hold|do|last|pay)|"
    r"these days|meanwhile|turned out|this time|from next)\b",
    re.IGNORECASE,
)
_MOST = 6  # sentences of a text that are looked at
_Statement = tuple[str, frozenset[str]]


def newest_first(hits: Sequence[RecallHit], question: str) -> list[RecallHit]:
    """The hits in order, but each replaced one behind the newest that replaces it."""
    ranked = _doubles_last(hits[:WINDOW])
    asked = frozenset(content_stems(question))
    texts = [f"{hit.question}\n{hit.answer or hit.excerpt}" for hit in ranked]
    subjects = [asked & frozenset(content_stems(text)) for text in texts]
    statements = [_statements(hit.answer or hit.excerpt) for hit in ranked]
    values = [_amounts(hit.answer or hit.excerpt) for hit in ranked]
    replaced: dict[int, list[int]] = {}
    for newer, hit in enumerate(ranked):
        for older, other in enumerate(ranked):
            if (other.at or 0.0) >= (hit.at or 0.0) or not subjects[older]:
                continue
            shared = len(subjects[newer] & subjects[older])
            same = shared >= _SUBJECT * len(subjects[older]) and _near(hit, other)
            if (
                same
                and (_speaks_of_change(texts[newer]) or _other_amount(values[older], values[newer]))
            ) or _taken_back(statements[older], statements[newer]):
                replaced.setdefault(newer, []).append(older)
    return _ordered(ranked, replaced) + list(hits[WINDOW:])


def _speaks_of_change(text: str) -> bool:
    return CHANGED.search(text) is not None or _TURN.search(text) is not None


def _amounts(text: str) -> dict[str, set[str]]:
    """The numbers in a text by what they count: `60 euros` is {"euro": {"60"}}."""
    found: dict[str, set[str]] = {}
    for match in _AMOUNT.finditer(text):
        number, stems = match[1].lower(), content_stems(match[2])
        if stems:
            found.setdefault(stems[0], set()).add(_DIGITS.get(number, number))
    return found


def _other_amount(older: dict[str, set[str]], newer: dict[str, set[str]]) -> bool:
    """Whether the later says another number of the same thing."""
    return any(newer[unit] - older[unit] for unit in older.keys() & newer.keys())


def _near(newer: RecallHit, older: RecallHit) -> bool:
    """Whether the ranking finds the later about as good an answer as the earlier."""
    return newer.workspace == older.workspace and newer.score >= 0.6 * older.score


def _doubles_last(hits: Sequence[RecallHit]) -> list[RecallHit]:
    """The hits in order, those that show the same as another behind all others."""
    first: list[RecallHit] = []
    again: list[RecallHit] = []
    seen: set[str] = set()
    for hit in hits:
        shown = plain(f"{hit.question} {hit.answer} {hit.excerpt}")
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
    # A newer one that came to an older one's rank stands before it.
    placed: list[int] = []
    for number in order:
        behind = [placed.index(o) for o in replaced.get(number, ()) if o in placed]
        placed.insert(min(behind, default=len(placed)), number)
    return [
        ranked[n]._replace(replaces=tuple(ranked[o].event for o in replaced.get(n, ())))
        for n in placed
    ]


def _statements(text: str) -> list[_Statement]:
    sentences = [part.strip() for part in _SENTENCE.split(text) if 10 <= len(part.strip()) <= 240]
    told = [sentence for sentence in sentences if "?" not in sentence]
    return [(sentence, frozenset(content_stems(sentence))) for sentence in told[:_MOST]]


def _taken_back(older: list[_Statement], newer: list[_Statement]) -> bool:
    for sentence, left in older:
        for other, right in newer:
            shared = len(left & right)
            near = shared >= 2 and shared >= _SHARED * min(len(left), len(right))
            if near and contradiction(sentence, other).contradicts:
                return True
    return False
