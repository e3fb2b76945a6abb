"""Usage summed up: of turns by quarter of an hour, and of conversations by group.

Local days begin on a whole quarter everywhere, so the sums of quarters serve every zone, and a few
of them stand for hundreds of turns. A conversation counts once in each group it touches, so the days
(and models) of one conversation add up to more than one. Turns without a time belong to their
conversation's first day. O(turns) to sum, O(sums) to aggregate.
"""

from collections.abc import Iterable, Iterator
from datetime import date, tzinfo
from enum import StrEnum
from typing import Any

import msgspec

from dejavu.model import Conversation, Role, Turn, Usage

from ..html.format import local

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
    sums: dict[tuple[int | None, str], Sum] = {}
    for turn in turns:
        # A moment that no calendar has is none.
        has_time = turn.at is not None and abs(turn.at) < _FARTHEST
        quarter = int(turn.at // QUARTER) if has_time and turn.at is not None else None
        key = (quarter, turn.model or "")
        if key not in sums:
            sums[key] = Sum(*key)
        sums[key].add(turn)
    return list(sums.values())


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


class Measure(StrEnum):
    """What bars and calendars show."""

    TURNS = "turns"
    CONVERSATIONS = "conversations"
    TOKENS = "tokens"
    COST = "cost"


class Figures(msgspec.Struct):
    """Sums over a group.

    `prompts` are turns of the user; tokens are what the agents reported, `input_tokens` with those
    from a cache; `cost` is in US dollars, where agents say it.
    """

    conversations: int = 0
    turns: int = 0
    prompts: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0

    def add(self, counted: Sum) -> None:
        """Count some turns."""
        self.turns += counted.turns
        self.prompts += counted.prompts
        self.input_tokens += counted.input_tokens
        self.cached_tokens += counted.cached_tokens
        self.output_tokens += counted.output_tokens
        self.cost += counted.cost

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
                return self.cost


class UsageTotals(msgspec.Struct):
    """The figures of everything, and of each agent, workspace, model, month (`2026-11`) and day."""

    total: Figures = msgspec.field(default_factory=Figures)
    agents: dict[str, Figures] = {}
    workspaces: dict[str, Figures] = {}
    models: dict[str, Figures] = {}
    months: dict[str, Figures] = {}
    days: dict[date, Figures] = {}

    def add(self, summary: Conversation, sums: Iterable[Sum], zone: tzinfo | None) -> None:
        """Count one conversation, unless there is nothing to count; on no day if it is undated."""
        first = summary.started_at or summary.ended_at
        touched: dict[int, Figures] = {}
        for counted in sums:
            at = first if counted.quarter is None else counted.quarter * QUARTER
            groups = [
                self.total,
                self.agents.setdefault(summary.agent, Figures()),
                self.workspaces.setdefault(summary.workspace, Figures()),
            ]
            if at is not None:
                day = local(at, zone).date()
                groups.append(self.days.setdefault(day, Figures()))
                groups.append(self.months.setdefault(f"{day:%Y-%m}", Figures()))
            if counted.model:
                groups.append(self.models.setdefault(counted.model, Figures()))
            for group in groups:
                group.add(counted)
                touched[id(group)] = group
        for group in touched.values():
            group.conversations += 1

    def to_dict(self) -> dict[str, Any]:
        """As JSON values: groups as lists, the largest first, months and days in order."""

        def named(key: str, groups: dict[str, Figures]) -> list[dict[str, Any]]:
            return [{key: name, **msgspec.to_builtins(group)} for name, group in ranked(groups)]

        return {
            "total": msgspec.to_builtins(self.total),
            "agents": named("agent", self.agents),
            "workspaces": named("workspace", self.workspaces),
            "models": named("model", self.models),
            "months": [
                {"month": month, **msgspec.to_builtins(group)}
                for month, group in sorted(self.months.items())
            ],
            "days": [
                {"day": day.isoformat(), **msgspec.to_builtins(group)}
                for day, group in sorted(self.days.items())
            ],
        }


def aggregate(
    conversations: Iterable[tuple[Conversation, Iterable[Sum]]], *, zone: tzinfo | None = None
) -> UsageTotals:
    """The usage of some conversations and the sums of their turns.

    zone: whose days are meant (None: this machine's).
    """
    counted = UsageTotals()
    for summary, sums in conversations:
        counted.add(summary, sums, zone)
    return counted


def ranked(
    groups: dict[str, Figures], measure: Measure = Measure.TURNS
) -> list[tuple[str, Figures]]:
    """The groups, the largest by `measure` first, then by name."""
    return sorted(groups.items(), key=lambda item: (-item[1].value(measure), item[0]))
