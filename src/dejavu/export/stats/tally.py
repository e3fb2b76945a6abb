"""Counting: what was said, by whom, where, on which day, and what it cost.

Takes heads and the sums of their turns; gives `Tally`. A conversation counts once in each group it
touches, so the days (and models) of one conversation add up to more than one. Turns without a time
are of their conversation's first day. Costs O(sums).
"""

from collections.abc import Iterable
from datetime import date, tzinfo
from enum import StrEnum
from typing import Any

import msgspec

from dejavu.model import Conversation

from ..html.format import local
from .sums import QUARTER, Sum


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


class Tally(msgspec.Struct):
    """The figures of everything, and of each agent, workspace, model, month (`2026-11`) and day."""

    total: Figures = msgspec.field(default_factory=Figures)
    agents: dict[str, Figures] = {}
    workspaces: dict[str, Figures] = {}
    models: dict[str, Figures] = {}
    months: dict[str, Figures] = {}
    days: dict[date, Figures] = {}

    def add(self, head: Conversation, sums: Iterable[Sum], zone: tzinfo | None) -> None:
        """Count one conversation, unless there is nothing to count."""
        first = head.started_at or head.ended_at or head.captured_at or 0.0
        touched: dict[int, Figures] = {}
        for counted in sums:
            at = first if counted.quarter is None else counted.quarter * QUARTER
            day = local(at, zone).date()
            groups = [
                self.total,
                self.agents.setdefault(head.agent, Figures()),
                self.workspaces.setdefault(head.workspace, Figures()),
                self.days.setdefault(day, Figures()),
                self.months.setdefault(f"{day:%Y-%m}", Figures()),
            ]
            if counted.model:
                groups.append(self.models.setdefault(counted.model, Figures()))
            for group in groups:
                group.add(counted)
                touched[id(group)] = group
        for group in touched.values():
            group.conversations += 1

    def to_plain(self) -> dict[str, Any]:
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


def tally(
    conversations: Iterable[tuple[Conversation, Iterable[Sum]]], *, zone: tzinfo | None = None
) -> Tally:
    """The tally of some conversations and the sums of their turns.

    zone: whose days are meant (None: this machine's).
    """
    counted = Tally()
    for head, sums in conversations:
        counted.add(head, sums, zone)
    return counted


def ranked(
    groups: dict[str, Figures], measure: Measure = Measure.TURNS
) -> list[tuple[str, Figures]]:
    """The groups, the largest by `measure` first, then by name."""
    return sorted(groups.items(), key=lambda item: (-item[1].value(measure), item[0]))
