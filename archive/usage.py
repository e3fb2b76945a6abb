"""Sums of turns that a store tells in groups, where it keeps them itself.

Tested in: tests/extensions/teams/test_postgres_usage.py
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from dejavu.model import ConversationFilter


class Bounds(NamedTuple):
    """Where days, months and lists of prices begin: Unix time // 900, in order."""

    days: Sequence[int]
    months: Sequence[int]
    prices: Sequence[int]


class UsageRow(NamedTuple):
    """Sums of a group for one model, or (`conversations`) how many conversations a group has.

    grouped: `total`, `agent`, `project`, `workspace`, `day`, `month`, `block`, `conversation`, or of
    counts alone `model`; `title` names a conversation in `model`. at: the place of a day or month in
    `Bounds`, from 1; a quarter beyond these, raised by `BEYOND`; of a block its quarter.
    epoch: how many of the lists of prices had begun.
    """

    grouped: str
    name: str | None
    at: int | None
    epoch: int | None
    model: str | None
    size: int | None
    reported: int | None
    conversations: int
    turns: int
    prompts: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost: float
    cache_write_tokens: int
    cache_write_1h_tokens: int


BEYOND = 10_000_000_000


@runtime_checkable
class CountingUsage(Protocol):
    """A backend that keeps sums of turns."""

    def usage(
        self, wanted: ConversationFilter, bounds: Bounds, *, each: bool, blocks: bool
    ) -> list[UsageRow] | None:
        """The sums of the conversations that pass; None where it keeps none.

        each: of every conversation, too. blocks: of every quarter of an hour, too.
        """
        ...
