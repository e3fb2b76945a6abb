"""Which of several answers is the newest word on a subject: it comes first and says what it replaces.

Nothing is dropped from history: an older decision follows the one that replaces it, and the same
text found again follows its first. A later exchange replaces an earlier one only where both are about
one subject (by their vectors, else by the words they share) and state different values: another number
of one thing, a sentence that contradicts, or a change away from what the earlier one named. These signs
are the same for every question. Weaker ones count only where both hold the question: a change between
two names, or what is of after the event that is asked about.
Where the later speaks of the west gate, and the earlier of the east gate, both hold.
Does no I/O. Costs O(k squared) of at most `WINDOW` short texts and their successors.
"""

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise

from dejavu.model.late_pattern import late_pattern

from ..memory.similarity import CHANGED
from ..terms import content_stems, normalise, stems, stop_stems
from .hit_loader import RecallHit
from .query import PromptKind, kind_of

WINDOW = 12
"""Hits, from the best down, that are looked at; the same for every limit."""
Likeness = Callable[[RecallHit, RecallHit], float | None]
"""The cosine of two exchanges; None where one has no vector."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_SHARED = 0.5  # of the shorter sentence's words, for two to speak of one thing
_SUBJECT = 0.5  # of what the earlier holds of the question, for the later to be on its subject
_LIKE = 0.4  # the cosine from which on two exchanges are about one subject
_WORDS_LIKE = 0.2  # the same without vectors: of the shorter one's words, that the other has
_WORDS_LEAST = 2  # words that they share at least, whatever was asked
_COPY = 0.4  # of the shorter one's words, from which on two may be one sentence on two things
_KNOWN = 0.6  # of what one of them holds of a question, that the other holds, for both to answer it
_AS_SURE = 0.4  # of the confidence of one of them, that the other has
_ROUTINE = 0.5  # how often a prompt is given whose answers replace nothing ("run the tests")
_NAME = late_pattern(
    r"\b(?!\d\b)(?:[A-Z][\w.+-]*[\w+]|[a-z]+[A-Z_]\w*|\w*\d[\w.]*|[a-z]\w+(?:\.[a-z]\w+)+)"
)
"""What a sentence names. A number of one digit is in too many to be a name."""
_COMMAND = re.compile(r"`[^`\n]*\s[^`\n]*`")
"""A command with its arguments: the options of one run say nothing of another run."""
_GONE = late_pattern(
    r"\b(?:no longer|any ?more|not supported|gone|dropped|removed|retired|revoked|replac\w+|deprecat\w+|"
    r"(?:shut|switched|turned) (?:down|off)|instead of|rather than|in place of|stopped using|"
    r"(?:mov|switch|migrat|chang|upgrad|downgrad)\w*\b.{0,80}\b(?:from|off))\b",
    re.IGNORECASE,
)
"""What says of a name that it was so until now."""
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
# What says that something is so from some day on.
_SINCE = late_pattern(
    r"\b(?:since (?:today|yesterday|last|this|the|we|\w+day)|from \w+(?: \w+)? on|takes? over|no more|"
    r"gone|changed|raised|lowered|increased|reduced|enlarged|shortened|extended)\b",
    re.IGNORECASE,
)
_NOW = late_pattern(
    r"\b(now|nowadays|currently|these days|at the moment|any ?more|by now|today|still)\b",
    re.IGNORECASE,
)
# The event after which a question asks.
_EVENT = late_pattern(r"\b(?:after|since|as of|now that)\b([^,;.?!]{3,80})", re.IGNORECASE)
_VERBS = frozenset(
    stems("may might must shall need use run keep require take have get want live go")
)
"""Verbs, whose place another verb may take without another thing being meant."""
_MOST = 6  # sentences of a text that are looked at
_Statement = tuple[str, frozenset[str]]


def newest_first(
    hits: Sequence[RecallHit],
    question: str,
    likeness: Likeness = lambda _first, _second: None,
    successors: Sequence[RecallHit] = (),
) -> list[RecallHit]:
    """The hits in order, but each replaced one behind the newest that replaces it.

    successors: later exchanges in the words of the first hits. One that replaces none is left where it was.
    """
    known = {hit.event for hit in hits[:WINDOW]}
    later_found = [hit for hit in successors if hit.event not in known]
    ranked = _doubles_last(hits[:WINDOW]) + later_found
    asked = _Asked(question)
    told = [_Told(hit, asked.stems) for hit in ranked]
    replaced: dict[int, list[int]] = {}
    outdated: set[int] = set()
    for newer, later in enumerate(told):
        for older, earlier in enumerate(told):
            if (earlier.hit.at or 0.0) >= (later.hit.at or 0.0):
                continue
            certain = _replaces(later, earlier, asked, likeness)
            if certain is None:
                continue
            if _only_orders(later):
                break
            replaced.setdefault(newer, []).append(older)
            outdated |= {older} if certain else set()
    ordered = _ordered(ranked, replaced, outdated)
    unrelated = {hit.event for n, hit in enumerate(ranked) if n >= len(known) and n not in replaced}
    first = [hit for hit in ordered if hit.event not in unrelated]
    shown = {hit.event for hit in first}
    return first + [hit for hit in hits[WINDOW:] if hit.event not in shown]


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
        self.stems = frozenset(stems(self.text)) - stop_stems()
        self.subject = asked & self.stems
        self.asked = asked
        self.own = frozenset(content_stems(hit.question))
        self._answer = answer

    # What follows is asked of two that are about one subject: few are.
    @cached_property
    def statements(self) -> list[_Statement]:
        return _statements(self._answer)

    @cached_property
    def order(self) -> list[list[str]]:
        """The words of each sentence."""
        return [stems(sentence) for sentence in _SENTENCE.split(self.text)]

    def pairs(self, ahead: bool) -> list[tuple[str, str]]:
        """Each word with the one after it in its sentence; else with the one before it."""
        return [pair for told in self.order for pair in pairwise(told if ahead else told[::-1])]

    @cached_property
    def amounts(self) -> list[tuple[dict[str, set[str]], frozenset[str]]]:
        """The amounts in each sentence, with its words; a command's arguments are none."""
        told = [_COMMAND.sub(" ", sentence) for sentence in _SENTENCE.split(self._answer)]
        found = [(_amounts(sentence), sentence) for sentence in told]
        return [(values, frozenset(content_stems(text))) for values, text in found if values]

    @cached_property
    def names(self) -> frozenset[frozenset[str]]:
        """What the answer names, each as its stems."""
        named = (
            frozenset(content_stems(name))
            for sentence in _SENTENCE.split(self._answer)
            for name in _NAME.findall(sentence[1:])  # its first word has a capital anyway
        )
        return frozenset(stems_of for stems_of in named if stems_of)

    @cached_property
    def gone(self) -> list[frozenset[str]]:
        """The words of each sentence that says of something that it is so no more."""
        told = _SENTENCE.split(self._answer)
        return [frozenset(content_stems(sentence)) for sentence in told if _GONE.search(sentence)]


def _replaces(later: _Told, earlier: _Told, asked: _Asked, likeness: Likeness) -> bool | None:
    """Whether the later of two states another value of the same subject: for certain, or only likely.

    None where it does not.
    """
    if later.hit.workspace != earlier.hit.workspace or later.hit.evidence.repeats > _ROUTINE:
        return None
    cosine = likeness(later.hit, earlier.hit)
    if not _one_subject(later, earlier, cosine) or _another(later, earlier):
        return None
    if (
        _other_amount(later, earlier)
        or _taken_back(earlier.statements, later.statements)
        or _says_gone(later, earlier)
    ):
        return True
    if _both_asked_for(later, earlier, cosine) and (
        (_speaks_of_change(later.text) and _names_what_was(later, earlier))
        or (_TURN.search(later.text) is not None and _names_another(later, earlier))
        or _is_of_after(later, earlier, asked)
    ):
        return True
    return False if _answers_again(later, earlier) else None


def _answers_again(later: _Told, earlier: _Told) -> bool:
    """Whether the later speaks of a change, and holds most of the question that the earlier answered."""
    if kind_of(earlier.hit.question) is not PromptKind.QUESTION:
        return False
    both = len(later.stems & earlier.own)
    return 2 * both > len(earlier.own) and both > 1 and _speaks_of_change(later.text)


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
    """Whether two are about one thing, whatever was asked."""
    if cosine is not None:
        return cosine >= _LIKE
    common = len(later.stems & earlier.stems)
    least = 1 if _both_asked_for(later, earlier, cosine) else _WORDS_LEAST
    return common >= max(least, _WORDS_LIKE * min(len(later.stems), len(earlier.stems)))


def _both_asked_for(later: _Told, earlier: _Told, cosine: float | None) -> bool:
    """Whether what two share is what was asked for; vectors told it already."""
    shared = len(later.subject & earlier.subject)
    return cosine is not None or (shared > 0 and shared >= _SUBJECT * len(earlier.subject))


def _another(later: _Told, earlier: _Told) -> bool:
    """Whether the later is on another thing: a word in the place of one that was asked for (`hall 5`).

    The place is before a word that both have and that was asked for, now or then; of a number also after it.
    """
    common = len(later.stems & earlier.stems)
    if common < _COPY * min(len(later.stems), len(earlier.stems)):
        return False
    asked = (earlier.asked | earlier.own) & earlier.stems
    shared = later.stems & asked
    own = later.stems - earlier.stems - _VERBS
    lost = asked - later.stems - _VERBS
    numbers = frozenset(word for word in own | lost if word.isdigit())
    for ahead in (True, False):
        may = own | lost if ahead else numbers
        places = {word for before, word in earlier.pairs(ahead) if before in lost & may} & shared
        if any(before in own & may and word in places for before, word in later.pairs(ahead)):
            return True
    return False


def _says_gone(later: _Told, earlier: _Told) -> bool:
    """Whether the later says of something that the earlier named that it is so no more."""
    return any(name <= sentence for name in earlier.names for sentence in later.gone)


def _names_what_was(later: _Told, earlier: _Told) -> bool:
    """Whether the later speaks of something that the earlier named as its answer."""
    return any(name <= later.stems for name in earlier.names if not name & earlier.asked)


def _names_another(later: _Told, earlier: _Told) -> bool:
    """Whether each names something that the other does not, and that was not asked for."""
    lost = (name - later.stems - later.asked for name in earlier.names)
    return any(lost) and any(name - earlier.stems - later.asked for name in later.names)


def _only_orders(later: _Told) -> bool:
    """Whether an exchange only gives orders to its reader: those take nothing back."""
    from ..context_block import only_instructs  # most prompts have nothing to compare

    return only_instructs(later.hit.question) or only_instructs(later.hit.answer)


def _speaks_of_change(text: str) -> bool:
    return any(pattern.search(text) is not None for pattern in (CHANGED, _TURN, _SINCE))


def _amounts(text: str) -> dict[str, set[str]]:
    """The numbers in a text by what they count: `60 euros` is {"euro": {"60"}}."""
    found: dict[str, set[str]] = {}
    for match in _AMOUNT.finditer(text):
        number, counted = match[1].lower(), content_stems(match[2])
        if counted:
            found.setdefault(counted[0], set()).add(_DIGITS.get(number, number))
    return found


def _other_amount(later: _Told, earlier: _Told) -> bool:
    """Whether the later says another number of the same thing, in a sentence on the same."""
    least = 0.0 if _speaks_of_change(later.text) else _SHARED
    for older, left in earlier.amounts:
        for newer, right in later.amounts:
            counted = {unit for unit in older.keys() & newer.keys() if newer[unit] - older[unit]}
            told = [
                {word for word in words - values.keys() - _VERBS if not word.isdigit()}
                for words, values in ((left, older), (right, newer))
            ]
            shared = len(told[0] & told[1])
            if counted and shared >= max(1.0, least * min(map(len, told))):
                return True
    return False


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


def _ordered(
    ranked: list[RecallHit], replaced: dict[int, list[int]], outdated: set[int]
) -> list[RecallHit]:
    """Each hit at its rank, or at that of the best one it replaces; one that is outdated answers no more."""
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
    named = [_with_replaced(ranked[n], [ranked[o] for o in replaced.get(n, ())]) for n in placed]
    return [
        hit._replace(sure=False) if n in outdated else hit
        for n, hit in zip(placed, named, strict=True)
    ]


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
