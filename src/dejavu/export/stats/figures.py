"""Sums of turns: by quarter of an hour, model and size of request, and what a group adds up to.

Local days begin on a whole quarter everywhere, so the sums of quarters serve every zone, and a few
of them stand for hundreds of turns. They hold tokens, not prices: what those cost is worked out
when they are shown. O(turns) to sum.

Tested in: tests/export/stats/test_sums.py
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from enum import StrEnum

import msgspec

from dejavu.model import Role, Turn, Usage

from .prices import PriceList

QUARTER = 900
"""Seconds; offsets from UTC are multiples of it."""
SIZES = (0, 32_000, 64_000, 100_000, 128_000, 200_000, 256_000, 272_000, 512_000)
"""Tokens of input at which vendors' prices change; a request counts in the last it is beyond."""
_FARTHEST = 1e14
_NOTHING = Usage()


class Sum(msgspec.Struct, array_like=True):
    """What was said of one model within one quarter of an hour, in requests of one size.

    quarter: Unix time // `QUARTER`; None for turns without a time. model: "" where none is said.
    size: the index in `SIZES`. reported: 2 where agents said what it cost, 1 where they said
    that it cost nothing (as under a subscription), 0 where they said nothing.
    """

    quarter: int | None
    model: str
    size: int = 0
    reported: int = 0
    turns: int = 0
    prompts: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    cache_write_tokens: int = 0
    cache_write_1h_tokens: int = 0

    def add(self, turn: Turn) -> None:
        """Count one turn."""
        usage = turn.usage or _NOTHING
        self.turns += 1
        self.prompts += turn.role is Role.USER and bool(turn.text)
        self.input_tokens += usage.input_tokens or 0
        self.cached_tokens += usage.cache_read_input_tokens or 0
        self.cache_write_tokens += usage.cache_creation_input_tokens or 0
        self.cache_write_1h_tokens += usage.cache_creation_1h_input_tokens or 0
        self.output_tokens += usage.output_tokens or 0
        self.cost += usage.cost or 0.0

    def estimate(self, prices: PriceList, first: float | None) -> float | None:
        """What its tokens would cost, in US dollars; None if its model has no price.

        first: when its conversation began, for turns without a time.
        """
        usage = Usage(
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cache_read_input_tokens=self.cached_tokens,
            cache_creation_input_tokens=self.cache_write_tokens,
            cache_creation_1h_input_tokens=self.cache_write_1h_tokens,
        )
        at = first if self.quarter is None else float(self.quarter * QUARTER)
        return prices.estimate(self.model, usage, at=at, request=SIZES[self.size] + 1)


def sums_of(turns: Iterable[Turn]) -> list[Sum]:
    """The sums of `turns`, in the order in which they begin."""
    sums: dict[tuple[int | None, str, int, int], Sum] = {}
    for turn in turns:
        # A moment that no calendar has is none.
        has_time = turn.at is not None and abs(turn.at) < _FARTHEST
        quarter = int(turn.at // QUARTER) if has_time and turn.at is not None else None
        key = (quarter, turn.model or "", _size(turn), _reported(turn.usage))
        if key not in sums:
            sums[key] = Sum(*key)
        sums[key].add(turn)
    return list(sums.values())


def _size(turn: Turn) -> int:
    # The tokens of a whole run are those of many requests, none of them as large.
    if turn.usage is None or turn.meta.get("usage_of") == "run":
        return 0
    return max(bisect_left(SIZES, turn.usage.input_tokens or 0) - 1, 0)


def _reported(usage: Usage | None) -> int:
    cost = None if usage is None else usage.cost
    return 0 if cost is None else 2 if cost > 0 else 1


def within(
    sums: Iterable[Sum], since: float | None, until: float | None
) -> Iterator[tuple[Sum, bool]]:
    """The sums that touch the time between two moments, and whether all of each is in it.

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


class Measure(StrEnum):
    """What bars and calendars show."""

    TURNS = "turns"
    CONVERSATIONS = "conversations"
    TOKENS = "tokens"
    COST = "cost"


class Figures(msgspec.Struct):
    """Sums over a group.

    `prompts` are turns of the user; tokens are what the agents reported, `input_tokens` with those
    read from a cache (`cached_tokens`) and written to one. In US dollars, `cost` is what agents
    said and `estimated_cost` what the rest costs by the price list; `unpriced_tokens` are those of
    the rest whose model the list does not know.
    """

    conversations: int = 0
    turns: int = 0
    prompts: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    cache_write_tokens: int = 0
    estimated_cost: float = 0.0
    unpriced_tokens: int = 0

    def add(self, counted: Sum, estimate: float | None) -> None:
        """Count some turns, and what they would cost where that is known."""
        self.turns += counted.turns
        self.prompts += counted.prompts
        self.input_tokens += counted.input_tokens
        self.cached_tokens += counted.cached_tokens
        self.cache_write_tokens += counted.cache_write_tokens
        self.output_tokens += counted.output_tokens
        self.cost += counted.cost
        if counted.reported < 2 and estimate is not None:
            self.estimated_cost += estimate
        elif not counted.reported:
            self.unpriced_tokens += counted.input_tokens + counted.output_tokens

    def join(self, other: "Figures") -> None:
        """Add another group's figures, all but the number of conversations."""
        for name in self.__struct_fields__[1:]:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def value(self, measure: Measure) -> float:
        """The figure that `measure` names."""
        match measure:
            case Measure.TURNS:
                return self.turns
            case Measure.CONVERSATIONS:
                return self.conversations
            case Measure.TOKENS:
                return self.input_tokens + self.output_tokens
            case Measure.COST:
                return self.cost + self.estimated_cost


def ranked(
    groups: dict[str, Figures], measure: Measure = Measure.TURNS
) -> list[tuple[str, Figures]]:
    """The groups, the largest by `measure` first, then by name."""
    return sorted(groups.items(), key=lambda item: (-item[1].value(measure), item[0]))
