"""Which exchanges of two vectors are the same: their order, ids, words and moments tell it.

Turns are cut into exchanges (a prompt and what followed), and each of the one is paired with the
one of the other that it is. Both tell the same session in the same order, so matches never cross,
and as many are made as can be; of several ways those that agree most in ids, answers and moments.
Pure; O(exchanges) where both tell the same, else O(ours x theirs) of what is between, and past
`_MOST` pairs the first that fits.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from dejavu.model import Role, Turn
from dejavu.model.conversation import exchanges

_ENOUGH = 24
"""Letters that must agree where a prompt is cut short, or an answer alone tells an exchange."""
_APART = 600.0
"""Seconds between two moments of one prompt: vectors tell when it was typed, queued, sent or
answered. What is further apart is another prompt, unless a long answer is the same."""
_MATCH = 1e6  # what a match weighs compared with what makes it a good one
_SURE = _MATCH + 2  # with the same id or answer
_MOST = 250_000


@dataclass(slots=True)
class Exchange:
    """A prompt and what followed, with what it is known by."""

    turns: list[Turn]
    prompt: str
    answer: str
    at: float | None

    @property
    def id(self) -> str | None:
        """The prompt's own id."""
        return self.turns[0].native_id


def to_exchanges(turns: Iterable[Turn], key: Callable[[str], str]) -> list[Exchange]:
    """The exchanges of `turns`; `key` returns what of a text is compared."""
    result: list[Exchange] = []
    for exchange in exchanges(turns):
        text = exchange[0].text if exchange[0].role is Role.USER else ""
        moment = next((turn.at for turn in exchange if turn.at is not None), None)
        # A prompt without letters is itself.
        result.append(
            Exchange(exchange, key(text) or text.strip(), answer_of(exchange, key), moment)
        )
    return result


def answer_of(exchange: list[Turn], key: Callable[[str], str]) -> str:
    """What was answered, in a form to compare."""
    return key("".join(turn.text for turn in exchange if turn.role is Role.ASSISTANT))


def align(ours: Sequence[Exchange], theirs: Sequence[Exchange]) -> list[int | None]:
    """For each of `theirs` which of `ours` it is, or None."""
    begun, ended = 0, 0
    most = min(len(ours), len(theirs))
    while begun < most and _weight(ours[begun], theirs[begun]) >= _SURE:
        begun += 1
    while begun + ended < most and _weight(ours[-1 - ended], theirs[-1 - ended]) >= _SURE:
        ended += 1
    left, right = ours[begun : len(ours) - ended], theirs[begun : len(theirs) - ended]
    between = _first if len(left) * len(right) > _MOST else _best
    inner = [None if place is None else place + begun for place in between(left, right)]
    return [*range(begun), *inner, *range(len(ours) - ended, len(ours))]


def is_same(mine: Exchange, other: Exchange) -> bool:
    """Whether both may be the same exchange."""
    return _weight(mine, other) > 0.0


def _best(ours: Sequence[Exchange], theirs: Sequence[Exchange]) -> list[int | None]:
    """The alignment that weighs most, by the table of the longest common subsequence."""
    weights = [[_weight(mine, other) for mine in ours] for other in theirs]
    table = [[0.0] * (len(ours) + 1) for _ in range(len(theirs) + 1)]
    for i in range(len(theirs) - 1, -1, -1):
        row, below = table[i], table[i + 1]
        for j in range(len(ours) - 1, -1, -1):
            weight = weights[i][j]
            row[j] = max(below[j], row[j + 1], weight + below[j + 1] if weight else 0.0)
    result: list[int | None] = []
    j = 0
    for i in range(len(theirs)):
        while j < len(ours) and table[i][j] == table[i][j + 1]:
            j += 1
        weight = weights[i][j] if j < len(ours) else 0.0
        taken = weight and table[i][j] == weight + table[i + 1][j + 1]
        result.append(j if taken else None)
        j += bool(taken)
    return result


def _first(ours: Sequence[Exchange], theirs: Sequence[Exchange]) -> list[int | None]:
    """Each with the first of ours that fits."""
    result: list[int | None] = []
    at = 0
    for other in theirs:
        place = next((j for j in range(at, len(ours)) if _weight(ours[j], other)), None)
        result.append(place)
        at = at if place is None else place + 1
    return result


def _weight(mine: Exchange, other: Exchange) -> float:
    """How much speaks for both being the same; 0 if they are not.

    A stream that does not tell what was asked is known by its answer alone.
    """
    named = other.id is not None and other.id == mine.id
    asked = bool(other.prompt and mine.prompt)
    if asked and not named and not _same(mine.prompt, other.prompt):
        return 0.0
    agreed = bool(other.answer) and _same(mine.answer, other.answer)
    apart = 0.0 if other.at is None or mine.at is None else abs(other.at - mine.at)
    told = agreed and (apart <= _APART or len(other.answer) >= _ENOUGH)
    if not (named or told or (asked and apart <= _APART)):
        return 0.0
    return _MATCH + 4 * named + 2 * agreed + 1 / (1 + apart)


def _same(exchange: str, other: str) -> bool:
    if exchange == other:
        return True
    shorter, longer = sorted((exchange, other), key=len)
    return len(shorter) >= _ENOUGH and longer.startswith(shorter)
