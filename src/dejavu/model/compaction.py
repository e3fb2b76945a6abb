"""Where an agent made its context smaller, and what the model still had of the turns before.

A parser marks the turn that took the place of earlier ones: `compacted(...)` is its `meta`. Here the
marks are read. Must not name an agent: what an agent writes is known to its parser alone.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .conversation import Role, Turn
from .part import Extension

COMPACTED = "compact_summary"
"""In the `meta` of a turn: it took the place of earlier ones."""
_KEPT = "kept"
_KEPT_FROM = "kept_from"
NONE, PROMPTS = "none", "prompts"
_BOUNDARY = ".compact_boundary"  # an extension by which several formats say so without a summary


def kept(what: str = "", *, since: str = "") -> dict[str, str]:
    """What stayed of the turns before: `NONE`, some `PROMPTS`, or those from the native id `since` on.

    Empty where the agent does not say.
    """
    if since:
        return {_KEPT_FROM: since}
    return {_KEPT: what} if what else {}


def compacted(what: str = "", *, since: str = "") -> dict[str, str | int | float | bool | None]:
    """The `meta` of a turn that took the place of earlier ones."""
    return {COMPACTED: True, **kept(what, since=since)}


class Compaction(NamedTuple):
    """One compaction. `seq` is the first turn of it, `last` the last; turns before `seq` were compacted."""

    seq: int
    last: int
    at: float | None
    what: str
    since: str


def is_compaction(turn: Turn) -> bool:
    """Whether the agent's context was compacted in this turn."""
    return bool(turn.meta.get(COMPACTED)) or any(
        isinstance(part, Extension) and part.kind.endswith(_BOUNDARY) for part in turn.parts
    )


def compactions(turns: Iterable[Turn]) -> list[Compaction]:
    """Every compaction in the turns of a conversation, oldest first. O(turns), a turn in memory."""
    found: list[Compaction] = []
    before: Turn | None = None  # a turn just before that says what stays
    for turn in turns:
        says = bool(turn.meta.keys() & {_KEPT, _KEPT_FROM})
        if is_compaction(turn):
            one = _compaction(turn)
            if before is not None:
                one = _joined(_compaction(before), one)
            if found and found[-1].last == one.seq - 1:
                one = _joined(found.pop(), one)
            found.append(one)
        before = turn if says and not is_compaction(turn) else None
    return found


def _compaction(turn: Turn) -> Compaction:
    what, since = (str(turn.meta.get(name) or "") for name in (_KEPT, _KEPT_FROM))
    return Compaction(turn.seq, turn.seq, turn.at, what, since)


def _joined(one: Compaction, other: Compaction) -> Compaction:
    """Two marks of one compaction: a boundary, and the summary after it."""
    return Compaction(
        one.seq, other.last, one.at or other.at, one.what or other.what, one.since or other.since
    )


def still_there(turns: Sequence[Turn]) -> list[bool | None]:
    """Of each turn whether the model had it after the last compaction; None where that is not known.

    Turns that the person took back by a rewind are not told apart.
    """
    points = compactions(turns)
    if not points:
        return [True] * len(turns)
    point = points[-1]
    first = next((n for n, turn in enumerate(turns) if turn.seq >= point.seq), len(turns))
    before = turns[:first]
    stays = [True] * (len(turns) - first)
    if point.since:
        start = next((n for n, turn in enumerate(before) if turn.native_id == point.since), None)
        if start is not None:
            return [*(False for _ in before[:start]), *(True for _ in before[start:]), *stays]
    elif point.what == NONE:
        return [*(False for _ in before), *stays]
    elif point.what == PROMPTS:
        return [*(None if turn.role is Role.USER else False for turn in before), *stays]
    return [*(None for _ in before), *stays]
