"""Usage of conversations by group: agent, project, workspace, model, month, day, conversation, block.

A conversation counts once in each group it touches, so the days (and models) of one conversation
add up to more than one. Turns without a time belong to their conversation's first day.
O(sums) to aggregate.
"""

from collections.abc import Iterable
from datetime import UTC, date, datetime, tzinfo
from typing import Any

import msgspec

from dejavu.model import Conversation

from ..html.format import local
from .figures import QUARTER, Figures, Sum, ranked
from .prices import PriceList, Source

BLOCK = 5 * 3600
"""Seconds of a block, the window in which subscriptions count."""


class UsageBlock(msgspec.Struct):
    """Five hours from the whole hour (UTC) of their first turn on."""

    start: float
    figures: Figures


class UsageTotals(msgspec.Struct):
    """The figures of everything, and of each group.

    `without_model` is of turns that no model is named for. `months` are named `2026-11`, `quarters` by
    Unix time // `QUARTER`, `conversations` by id; `sources` are where the prices of estimates are from.
    """

    total: Figures = msgspec.field(default_factory=Figures)
    agents: dict[str, Figures] = {}
    projects: dict[str, Figures] = {}
    workspaces: dict[str, Figures] = {}
    models: dict[str, Figures] = {}
    without_model: Figures = msgspec.field(default_factory=Figures)
    months: dict[str, Figures] = {}
    days: dict[date, Figures] = {}
    conversations: dict[str, Figures] = {}
    titles: dict[str, str] = {}
    quarters: dict[int, Figures] = {}
    sources: tuple[Source, ...] = ()

    def add(
        self, summary: Conversation, sums: Iterable[Sum], zone: tzinfo | None, prices: PriceList
    ) -> None:
        """Count one conversation, unless there is nothing to count; on no day if it is undated."""
        first = summary.started_at or summary.ended_at
        touched: dict[int, Figures] = {}
        for counted in sums:
            at = first if counted.quarter is None else counted.quarter * QUARTER
            groups = [
                self.total,
                self.agents.setdefault(summary.agent, Figures()),
                self.projects.setdefault(summary.place, Figures()),
                self.workspaces.setdefault(summary.workspace, Figures()),
                self.conversations.setdefault(summary.id, Figures()),
            ]
            if at is not None:
                day = local(at, zone).date()
                groups.append(self.days.setdefault(day, Figures()))
                groups.append(self.months.setdefault(f"{day:%Y-%m}", Figures()))
                groups.append(self.quarters.setdefault(int(at // QUARTER), Figures()))
            groups.append(
                self.models.setdefault(counted.model, Figures())
                if counted.model
                else self.without_model
            )
            estimate = counted.estimate(prices, first)
            for group in groups:
                group.add(counted, estimate)
                touched[id(group)] = group
        for group in touched.values():
            group.conversations += 1
        if touched:
            self.titles[summary.id] = summary.title or ""

    @property
    def unpriced(self) -> list[str]:
        """The models with tokens whose price is not known, by name."""
        return sorted(name for name, group in self.models.items() if group.unpriced_tokens)

    def blocks(self) -> list[UsageBlock]:
        """Five-hour blocks in order; the first turn after one has ended begins the next.

        A block's number of conversations is not known and 0.
        """
        blocks: list[UsageBlock] = []
        for quarter, group in sorted(self.quarters.items()):
            at = quarter * QUARTER
            if not blocks or at >= blocks[-1].start + BLOCK:
                blocks.append(UsageBlock(at - at % 3600, Figures()))
            blocks[-1].figures.join(group)
        return blocks

    def rows(self, by: str) -> list[dict[str, Any]]:
        """One group as JSON objects, the largest first; months, days and blocks in order."""
        if by == "block":
            return [
                {
                    "block": datetime.fromtimestamp(block.start, UTC).isoformat(),
                    **{
                        name: value
                        for name, value in msgspec.to_builtins(block.figures).items()
                        if name != "conversations"
                    },
                }
                for block in self.blocks()
            ]
        groups: dict[Any, Figures] = getattr(self, f"{by}s")
        chosen = sorted(groups.items()) if by in ("month", "day") else ranked(groups)
        if by == "model" and self.without_model.turns:
            chosen.append(("", self.without_model))
        return [
            {
                by: name.isoformat() if isinstance(name, date) else name,
                **({"title": self.titles[str(name)]} if by == "conversation" else {}),
                **msgspec.to_builtins(group),
            }
            for name, group in chosen
        ]

    def to_dict(self) -> dict[str, Any]:
        """As JSON values: the total, and every group but that of conversations."""
        groups = {
            f"{by}s": self.rows(by)
            for by in ("agent", "project", "workspace", "model", "month", "day", "block")
        }
        return {
            "total": msgspec.to_builtins(self.total),
            **groups,
            "unpriced": self.unpriced,
            "prices": msgspec.to_builtins(self.sources),
        }


def aggregate(
    conversations: Iterable[tuple[Conversation, Iterable[Sum]]],
    *,
    zone: tzinfo | None = None,
    prices: PriceList | None = None,
) -> UsageTotals:
    """The usage of some conversations and the sums of their turns.

    zone: whose days are meant (None: this machine's). prices: of models, for what agents do not
    say (None: nothing has a price).
    """
    known = prices or PriceList({})
    counted = UsageTotals(sources=known.sources)
    for summary, sums in conversations:
        counted.add(summary, sums, zone, known)
    return counted


def figures_of(summary: Conversation, sums: Iterable[Sum], prices: PriceList) -> Figures:
    """The figures of one conversation."""
    return aggregate([(summary, sums)], zone=UTC, prices=prices).total
