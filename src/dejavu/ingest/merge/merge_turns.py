"""One conversation seen twice: a better vector's turns and a weaker one's, put together.

The merged turns are the better vector's wherever it has them, and between them what only the weaker
one saw. Which exchange is which is `alignment`'s business, what differs inside a matched one that
of `parts`. What a screen showed is lossy, so of a screen only whole exchanges and answers are
taken. Pure; O(turns), and see `alignment`.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from dejavu.model import Role, Turn, Vector
from dejavu.model.conversation import exchanges

from .alignment import Exchange, align, answer_of, to_exchanges
from .parts import complete_exchange

_NOT_LETTERS = re.compile(r"[\W_]+")


__all__ = ["by_rank", "exchanges", "merge_turns", "normalise"]


def normalise(text: str) -> str:
    """`text` without blanks, marks and case: what wrapping and rendering do not change."""
    return _NOT_LETTERS.sub("", text.casefold())


def _insert_position(
    ours: Sequence[Exchange], otherwise: int, between: tuple[int, int], other: Exchange
) -> int:
    """Before which of our exchanges `between` `other` belongs, which we do not have.

    Moments tell it; `otherwise` is its place without any.
    """
    lower, upper = between
    moments = [(place, ours[place].at) for place in range(lower, upper)]
    timed = [(place, at) for place, at in moments if at is not None]
    if other.at is None or not timed:
        return max(lower, min(otherwise, upper))
    return next((place for place, at in timed if at > other.at), upper)


def _is_truncated(
    ours: list[Turn], other: list[Turn], key: Callable[[str], str], *, last: bool
) -> bool:
    """Whether the screen's answer is ours and continues.

    Only the trace's `last` exchange can have been taken while it streamed; before it, an answer
    is either there or missing.
    """
    had, shown = answer_of(ours, key), answer_of(other, key)
    return len(shown) > len(had) and (not had or (last and shown.startswith(had)))


def merge_turns(
    better: Iterable[Turn],
    weaker: Iterable[Turn],
    *,
    key: Callable[[str], str] = normalise,
    counts: Counter[str] | None = None,
) -> tuple[tuple[Turn, ...], int]:
    """The merged turns, and how many of them only the weaker vector had.

    What both have stays the better vector's. `key` returns what of a text is compared. `counts`
    are by kind of piece:, what the weaker vector had alone (`lacked answer`) and what both tell
    in other words (`differs answer`).
    """
    ours = to_exchanges(better, key)
    counts = Counter[str]() if counts is None else counts
    merged: list[Turn] = []
    at = added = 0
    for other, match, until in _places(ours, to_exchanges(weaker, key)):
        for exchange in ours[at:until]:
            merged += exchange.turns
        at = until
        if match is None:
            merged += other.turns
            added += len(other.turns)
            counts["lacked exchange"] += 1
            continue
        mine, last = ours[match].turns, match == len(ours) - 1
        whole, count = _both(mine, other.turns, key, last=last, counts=counts)
        merged += whole
        added += count
        at = match + 1
    for exchange in ours[at:]:
        merged += exchange.turns
    return tuple(merged), added


def _places(ours: list[Exchange], theirs: list[Exchange]) -> list[tuple[Exchange, int | None, int]]:
    """Each of `theirs`, which of ours it is if any, and before which of ours it comes."""
    theirs = [other for other in theirs if other.prompt or other.answer]
    matches = align(ours, theirs)
    matched: list[tuple[Exchange, int | None, int]] = []
    at = 0
    for other, match in zip(theirs, matches, strict=True):
        matched.append((other, match, at))
        at = at if match is None else match + 1
    strangers = all(match is None for match in matches)
    placed: list[tuple[Exchange, int | None, int]] = []
    upper = len(ours)
    for other, match, lower in reversed(matched):
        otherwise = len(ours) if strangers else lower
        upper = _insert_position(ours, otherwise, (lower, upper), other) if match is None else match
        placed.append((other, match, upper))
    return placed[::-1]


def _both(
    mine: list[Turn],
    other: list[Turn],
    key: Callable[[str], str],
    *,
    last: bool,
    counts: Counter[str],
) -> tuple[list[Turn], int]:
    """One exchange that both have, and how many turns of it are theirs."""
    if other[0].vector is not Vector.SCREEN:
        unasked = [other[0]] if other[0].role is Role.USER is not mine[0].role else []
        whole, count = complete_exchange(mine, other, key, last=last, counts=counts)
        return [*unasked, *whole], len(unasked) + count
    if not _is_truncated(mine, other, key, last=last):
        return mine, 0
    kept = [turn for turn in mine if not answer_of([turn], key)]
    answers = [turn for turn in other[1:] if answer_of([turn], key)]
    return [*kept, *answers], len(answers)


def by_rank(views: Iterable[Sequence[Turn]]) -> list[Sequence[Turn]]:
    """What several vectors told, the best first, and of one vector's in their order of time."""

    def place(turns: Sequence[Turn]) -> tuple[int, float]:
        moments = [turn.at for turn in turns if turn.at is not None]
        return turns[0].vector.rank, min(moments, default=float("inf"))

    return sorted((turns for turns in views if turns), key=place)
