"""How probable it is that a new memory reverses an old one, as the sentence model reads the two.

`contradiction` believes what two sentences of one form show. Here each word is held against the words
of the other sentence, in its context: what both have is the subject, what is left over the value. `signs`
are what is looked at; two logistic regressions weigh them, one for reversals and one for repetitions.
No word list tells one from the other.

`python -m benchmarks.recall.reversals` prints the figures, with `--fit` the weights.
Does no I/O; costs O(words of one x words of the other).
"""

import math
import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cache
from itertools import groupby
from typing import NamedTuple

from ..terms import stems, stop_stems
from .by_form import exchanged, may_replace, takes_back
from .contradiction import contradiction, same_thing, words_of
from .quantities import quantities
from .similarity import NEGATIONS

SURE = 0.93
"""The probability from which on an old memory gives way to the new one."""
POSSIBLE = 0.3
"""The probability from which on a person gets to know."""
SAID_AGAIN = 0.9
"""The probability from which on two say the same."""
_PERHAPS_AGAIN, _DOUBTFUL = 0.6, 0.6
"""The probability of saying the same from which on a reversal is at most so probable."""
_MOST_LEFT = 5
_MOST_EDITS = 8


class Likeness(NamedTuple):
    """How alike two texts are to the sentence model.

    words: the cosine of each word of the old text (a row) with each of the new one, in their contexts.
    """

    cosine: float
    old: Sequence[str]
    new: Sequence[str]
    words: Sequence[Sequence[float]]


class Signs(NamedTuple):
    """What two sentences show. A word is left over if the other has it in no form.

    aligned, least: mean and least of the best likeness of a word that tells. left: how many are left
    over, up to 5. share: of the words that tell, those that both have. far: how near what is left over
    comes to any word of the other. values: the nearest two of what each leaves over. subjects: the
    first word that tells is left over in both. ratio: how much of the two is one text in one order.
    edits: places where they differ. places: of `ratio`, where each leaves over two places. leads: the
    likeness of their first words. lead: the least that a first word finds. same_number, uneven: both
    state one number, one states none. form: `contradiction` says so. whole: nothing is left over.
    """

    cosine: float
    aligned_old: float
    aligned_new: float
    least_old: float
    least_new: float
    left_old: float
    share_old: float
    share_new: float
    far_old: float
    far_new: float
    values: float
    subjects: float
    ratio: float
    subjects_ratio: float
    edits: float
    places: float
    leads: float
    lead: float
    same_number: float
    uneven: float
    form: float
    whole_old: float
    whole_new: float


REVERSES = Signs(
    cosine=2.33,
    aligned_old=2.33,
    aligned_new=2.97,
    least_old=-0.5,
    least_new=1.98,
    left_old=-0.26,
    share_old=-0.2,
    share_new=2.3,
    far_old=1.59,
    far_new=-2.47,
    values=2.42,
    subjects=0.51,
    ratio=-4.66,
    subjects_ratio=-3.99,
    edits=1.08,
    places=-3.16,
    leads=-0.48,
    lead=0.32,
    same_number=-1.75,
    uneven=-1.03,
    form=1.39,
    whole_old=-0.5,
    whole_new=0.75,
)
REVERSES_CONSTANT = -5.28
REPEATS = Signs(
    cosine=5.62,
    aligned_old=1.2,
    aligned_new=0.58,
    least_old=1.25,
    least_new=0.13,
    left_old=-0.72,
    share_old=3.47,
    share_new=0.83,
    far_old=0.61,
    far_new=2.99,
    values=0.43,
    subjects=-0.02,
    ratio=-3.75,
    subjects_ratio=-1.82,
    edits=0.51,
    places=-2.12,
    leads=-1.32,
    lead=-0.83,
    same_number=2.41,
    uneven=0.05,
    form=-0.86,
    whole_old=-1.13,
    whole_new=0.97,
)
REPEATS_CONSTANT = -8.91


def reverses(old: str, new: str, likeness: Likeness) -> float:
    """The probability that `new` cannot hold together with `old`; 0 where it surely says it again."""
    found = signs(old, new, likeness)
    if found is not None and takes_back(old, new):
        return SURE
    again = _probability(REPEATS, REPEATS_CONSTANT, found)
    if again >= SAID_AGAIN and not exchanged(old, new):
        return 0.0
    chance = _probability(REVERSES, REVERSES_CONSTANT, found)
    if found is not None and may_replace(old, new):
        chance = max(chance, POSSIBLE)  # the model hardly sees one word that is another
    return min(chance, _DOUBTFUL) if again >= _PERHAPS_AGAIN else chance


def repeats(old: str, new: str, likeness: Likeness) -> float:
    """The probability that `new` says `old` again."""
    return _probability(REPEATS, REPEATS_CONSTANT, signs(old, new, likeness))


def _probability(weights: Signs, constant: float, found: Signs | None) -> float:
    if found is None:
        return 0.0
    logit = constant + sum(weight * sign for weight, sign in zip(weights, found, strict=True))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))


def signs(old: str, new: str, likeness: Likeness) -> Signs | None:
    """What is weighed; None where a text has no words, or the model gave no numbers."""
    rows = likeness.words
    if not (likeness.old and likeness.new and math.isfinite(likeness.cosine)):
        return None
    columns = list(zip(*rows, strict=True))
    left, right = _Words(likeness.old), _Words(likeness.new)
    rest = left.beyond(right), right.beyond(left)
    best = [max(row) for row in rows], [max(column) for column in columns]
    subjects = left.telling[0] in rest[0] and right.telling[0] in rest[1]
    ratio, edits = _order(left.stems, right.stems)
    places = min(left.places(rest[0]), right.places(rest[1])) >= 2
    numbers = [{q.value for q in quantities(words_of(text))} for text in (old, new)]
    at = left.telling[0], right.telling[0]
    return Signs(
        likeness.cosine,
        aligned_old=_mean([best[0][n] for n in left.telling]),
        aligned_new=_mean([best[1][n] for n in right.telling]),
        least_old=min(best[0][n] for n in left.telling),
        least_new=min(best[1][n] for n in right.telling),
        left_old=min(len(rest[0]), _MOST_LEFT),
        share_old=1 - len(rest[0]) / len(left.telling),
        share_new=1 - len(rest[1]) / len(right.telling),
        far_old=_mean([best[0][n] for n in rest[0]]),
        far_new=_mean([best[1][n] for n in rest[1]]),
        values=max((rows[n][m] for n in rest[0] for m in rest[1]), default=0.0),
        subjects=subjects,
        ratio=ratio,
        subjects_ratio=subjects * ratio,
        edits=edits,
        places=places * ratio,
        leads=rows[at[0]][at[1]],
        lead=min(best[0][at[0]], best[1][at[1]]),
        same_number=bool(numbers[0] & numbers[1]),
        uneven=bool(numbers[0]) != bool(numbers[1]),
        form=contradiction(old, new).contradicts,
        whole_old=not rest[0],
        whole_new=not rest[1],
    )


def _order(old: list[str], new: list[str]) -> tuple[float, int]:
    """How much of two rows of stems is one text in one order, and in how many places they differ."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return matcher.ratio(), min(sum(op[0] != "equal" for op in matcher.get_opcodes()), _MOST_EDITS)


class _Words:
    """The words of a text as the model has them, their stems, and the places of those that tell."""

    def __init__(self, words: Sequence[str]) -> None:
        made = [stems(word) for word in words]
        self.stems = [
            one[0] if len(one) == 1 else word.lower() for one, word in zip(made, words, strict=True)
        ]
        self.telling = [
            at
            for at, (word, stem) in enumerate(zip(words, self.stems, strict=True))
            if re.search(r"\w", word) and stem not in _plain() and word.lower() not in NEGATIONS
        ] or list(range(len(words)))

    def beyond(self, other: "_Words") -> list[int]:
        """The places of the words that tell and that the other text has in no form."""
        return [at for at in self.telling if not any(_same(self.stems[at], x) for x in other.stems)]

    def places(self, rest: list[int]) -> int:
        """In how many runs of the words that tell something is left over."""
        return sum(left for left, _ in groupby(at in rest for at in self.telling))


@cache
def _plain() -> frozenset[str]:
    """The stems that tell nothing of a fact."""
    return stop_stems() | frozenset(stems("use using used now must may can should"))


def _same(first: str, second: str) -> bool:
    short, long = sorted((first, second), key=len)
    return same_thing(first, second) or (len(short) >= 4 and long.startswith(short))


def _mean(numbers: list[float]) -> float:
    """Their mean; 1 where there is none."""
    return sum(numbers) / len(numbers) if numbers else 1.0
