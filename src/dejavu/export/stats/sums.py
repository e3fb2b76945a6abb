"""Sums of turns by quarter of an hour: all that figures need to know of a conversation.

Takes turns; gives sums. Local days begin on a whole quarter everywhere, so the sums serve every
zone, and a few of them stand for hundreds of turns. Costs O(turns).
"""

from collections.abc import Iterable, Iterator

import msgspec

from dejavu.model import Role, Turn, Usage

QUARTER = 900
"""Seconds; offsets from UTC are multiples of it."""
_FARTHEST = 1e14
_NOTHING = Usage()


class Sum(msgspec.Struct, array_like=True):
    """What was said of one model within one quarter of an hour.

    quarter: Unix time // `QUARTER`; None for turns without a time. model: "" where none is said.
    """

    quarter: int | None
    model: str
    turns: int = 0
    prompts: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0

    def add(self, turn: Turn) -> None:
        """Count one turn."""
        usage = turn.usage or _NOTHING
        self.turns += 1
        self.prompts += turn.role is Role.USER and bool(turn.text)
        self.input_tokens += usage.input_tokens or 0
        self.cached_tokens += usage.cache_read_input_tokens or 0
        self.output_tokens += usage.output_tokens or 0
        self.cost += usage.cost or 0.0


def sums_of(turns: Iterable[Turn]) -> list[Sum]:
    """The sums of `turns`, in the order in which they begin."""
    found: dict[tuple[int | None, str], Sum] = {}
    for turn in turns:
        # A moment that no calendar has is none.
        known = turn.at is not None and abs(turn.at) < _FARTHEST
        quarter = int(turn.at // QUARTER) if known and turn.at is not None else None
        key = (quarter, turn.model or "")
        if key not in found:
            found[key] = Sum(*key)
        found[key].add(turn)
    return list(found.values())


def within(
    sums: Iterable[Sum], since: float | None, until: float | None
) -> Iterator[tuple[Sum, bool]]:
    """The sums that touch the time between two moments, and whether all of each lies in it.

    Turns without a time count where their conversation does.
    """
    for counted in sums:
        if counted.quarter is None:
            yield counted, True
            continue
        begins = counted.quarter * QUARTER
        ends = begins + QUARTER
        if (since is None or ends > since) and (until is None or begins <= until):
            whole = (since is None or begins >= since) and (until is None or ends <= until)
            yield counted, whole
