"""One conversation seen twice: a better vector's turns and a weaker one's, put together.

Takes the turns of both; gives the fused turns: the better vector's wherever it has them, and
between them what only the weaker one saw. Which exchange is which is `alignment`'s business, what
differs inside a matched one that of `pieces`. What a screen showed is lossy, so of a screen only
whole exchanges and answers are taken. Pure; O(turns), and see `alignment`.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from dejavu.model import Role, Turn, Vector

from .alignment import Exchange, aligned, answer_of, exchanges, known
from .parts import completed

_NOT_LETTERS = re.compile(r"[\W_]+")


__all__ = ["exchanges", "fuse", "letters", "ranked", "unite"]


def letters(text: str) -> str:
    """`text` without blanks, marks and case: what wrapping and rendering do not change."""
    return _NOT_LETTERS.sub("", text.casefold())


def _until(ours: Sequence[Exchange], otherwise: int, among: tuple[int, int], seen: Exchange) -> int:
    """Before which of our exchanges `among` these `seen` belongs, which we do not have.

    Moments tell it; `otherwise` is where it stands without any.
    """
    lower, upper = among
    moments = [(place, ours[place].at) for place in range(lower, upper)]
    timed = [(place, at) for place, at in moments if at is not None]
    if seen.at is None or not timed:
        return max(lower, min(otherwise, upper))
    return next((place for place, at in timed if at > seen.at), upper)


def _cut_short(
    ours: list[Turn], seen: list[Turn], key: Callable[[str], str], *, last: bool
) -> bool:
    """Whether the screen's answer is ours and goes on.

    Only the trace's `last` exchange can have been taken while it streamed; before it, an answer
    is either there or missing.
    """
    had, shown = answer_of(ours, key), answer_of(seen, key)
    return len(shown) > len(had) and (not had or (last and shown.startswith(had)))


def fuse(
    better: Iterable[Turn],
    weaker: Iterable[Turn],
    *,
    key: Callable[[str], str] = letters,
    tally: Counter[str] | None = None,
) -> tuple[tuple[Turn, ...], int]:
    """The fused turns, and how many of them only the weaker vector had.

    What both have stays the better vector's. `key` gives what of a text is compared. `tally`
    counts, by kind of piece, what the weaker vector had alone (`lacked answer`) and what both tell
    in other words (`differs answer`).
    """
    ours = known(better, key)
    counts: Counter[str] = Counter() if tally is None else tally
    fused: list[Turn] = []
    at = added = 0
    for seen, match, until in _places(ours, known(weaker, key)):
        for exchange in ours[at:until]:
            fused += exchange.turns
        at = until
        if match is None:
            fused += seen.turns
            added += len(seen.turns)
            counts["lacked exchange"] += 1
            continue
        mine, last = ours[match].turns, match == len(ours) - 1
        whole, more = _both(mine, seen.turns, key, last=last, tally=counts)
        fused += whole
        added += more
        at = match + 1
    for exchange in ours[at:]:
        fused += exchange.turns
    return tuple(fused), added


def _places(ours: list[Exchange], theirs: list[Exchange]) -> list[tuple[Exchange, int | None, int]]:
    """Each of `theirs`, which of ours it is if any, and before which of ours it stands."""
    theirs = [seen for seen in theirs if seen.prompt or seen.answer]
    matches = aligned(ours, theirs)
    matched: list[tuple[Exchange, int | None, int]] = []
    at = 0
    for seen, match in zip(theirs, matches, strict=True):
        matched.append((seen, match, at))
        at = at if match is None else match + 1
    strangers = all(match is None for match in matches)
    placed: list[tuple[Exchange, int | None, int]] = []
    upper = len(ours)
    for seen, match, lower in reversed(matched):
        otherwise = len(ours) if strangers else lower
        upper = _until(ours, otherwise, (lower, upper), seen) if match is None else match
        placed.append((seen, match, upper))
    return placed[::-1]


def _both(
    mine: list[Turn],
    seen: list[Turn],
    key: Callable[[str], str],
    *,
    last: bool,
    tally: Counter[str],
) -> tuple[list[Turn], int]:
    """One exchange that both have, and how many turns of it are theirs."""
    if seen[0].vector is not Vector.SCREEN:
        unasked = [seen[0]] if seen[0].role is Role.USER is not mine[0].role else []
        whole, more = completed(mine, seen, key, last=last, tally=tally)
        return [*unasked, *whole], len(unasked) + more
    if not _cut_short(mine, seen, key, last=last):
        return mine, 0
    kept = [turn for turn in mine if not answer_of([turn], key)]
    answers = [turn for turn in seen[1:] if answer_of([turn], key)]
    return [*kept, *answers], len(answers)


def ranked(told: Iterable[Sequence[Turn]]) -> list[Sequence[Turn]]:
    """What several vectors told, the best first, and of one vector's in their order of time."""

    def place(turns: Sequence[Turn]) -> tuple[int, float]:
        moments = [turn.at for turn in turns if turn.at is not None]
        return turns[0].vector.rank, min(moments, default=float("inf"))

    return sorted((turns for turns in told if turns), key=place)


def unite(told: Iterable[Sequence[Turn]]) -> tuple[Turn, ...]:
    """The turns of several vectors as one conversation, whatever their order here.

    The best vector's come first and decide; each weaker one adds what all before it lack.
    """
    fused: tuple[Turn, ...] = ()
    for turns in ranked(told):
        fused = fuse(fused, turns)[0] if fused else tuple(turns)
    return fused
