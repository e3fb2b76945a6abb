"""Counting: what was said, by whom, where, on which day, and what it cost.

Takes heads and their turns; gives `Tally`. A conversation counts once in each group it touches,
so the days (and models) of one conversation add up to more than one. A turn without a time is of
its conversation's first day. Costs O(turns); a head that carried these sums would make it
O(conversations).
"""

from collections.abc import Iterable
from datetime import date, datetime, tzinfo
from enum import StrEnum
from typing import Any

import msgspec

from dejavu.record import Conversation, Role, Turn, Usage

from ..render.html.figures import local


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

    def add(self, turn: Turn) -> None:
        """Count one turn."""
        self.turns += 1
        self.prompts += turn.role is Role.USER and bool(turn.text)
        usage = turn.usage or _NOTHING
        self.input_tokens += usage.input_tokens or 0
        self.cached_tokens += usage.cache_read_input_tokens or 0
        self.output_tokens += usage.output_tokens or 0
        self.cost += usage.cost or 0.0

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


_NOTHING = Usage()


class Tally(msgspec.Struct):
    """The figures of everything, and of each agent, workspace, model, month (`2026-11`) and day."""

    total: Figures = msgspec.field(default_factory=Figures)
    agents: dict[str, Figures] = {}
    workspaces: dict[str, Figures] = {}
    models: dict[str, Figures] = {}
    months: dict[str, Figures] = {}
    days: dict[date, Figures] = {}

    def add(self, head: Conversation, turns: Iterable[Turn], zone: tzinfo | None) -> None:
        """Count one conversation, unless none of its turns counts."""
        agent = self.agents.setdefault(head.agent, Figures())
        place = self.workspaces.setdefault(head.workspace, Figures())
        first = head.started_at or head.ended_at or head.captured_at or 0.0
        touched: dict[int, Figures] = {}
        clock = _Clock(zone)
        for turn in turns:
            day = clock.day(first if turn.at is None else turn.at)
            groups = [
                self.total,
                agent,
                place,
                self.days.setdefault(day, Figures()),
                self.months.setdefault(f"{day:%Y-%m}", Figures()),
            ]
            if turn.model:
                groups.append(self.models.setdefault(turn.model, Figures()))
            for group in groups:
                group.add(turn)
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
    conversations: Iterable[tuple[Conversation, Iterable[Turn]]],
    *,
    since: float | None = None,
    until: float | None = None,
    zone: tzinfo | None = None,
) -> Tally:
    """The tally of some conversations and their turns, each read once.

    since, until: count only turns between these moments (Unix seconds); a turn without a time
    counts where its conversation does. zone: whose days are meant (None: this machine's).
    """
    counted = Tally()
    for head, turns in conversations:
        kept = (
            turn
            for turn in turns
            if turn.at is None
            or ((since is None or turn.at >= since) and (until is None or turn.at <= until))
        )
        counted.add(head, kept, zone)
    for groups in (counted.agents, counted.workspaces):
        for name in [name for name, group in groups.items() if not group.turns]:
            del groups[name]
    return counted


def ranked(
    groups: dict[str, Figures], measure: Measure = Measure.TURNS
) -> list[tuple[str, Figures]]:
    """The groups, the largest by `measure` first, then by name."""
    return sorted(groups.items(), key=lambda item: (-item[1].value(measure), item[0]))


class _Clock:
    """Days of moments; the day of the last one is remembered, for turns come in order."""

    def __init__(self, zone: tzinfo | None) -> None:
        self._zone = zone
        self._hour = -1.0
        self._day = date.min

    def day(self, at: float) -> date:
        # Offsets are whole quarters of an hour everywhere, and midnight with them.
        hour = at // 900
        if hour != self._hour:
            moment: datetime = local(at, self._zone)
            self._hour, self._day = hour, moment.date()
        return self._day
