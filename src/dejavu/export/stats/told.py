"""Usage as a server tells it in groups: no conversation and no turn is fetched for it.

Costs one question, and O(groups) here.
Tested in: tests/extensions/teams/test_postgres_usage.py
"""

from datetime import UTC, date, datetime, time, timedelta, tzinfo

from dejavu.archive import Archive
from dejavu.archive.usage import BEYOND, Bounds, CountingUsage, UsageRow
from dejavu.model import ConversationFilter

from ..html.format import local
from .aggregate import UsageTotals
from .figures import QUARTER, Figures, Sum
from .prices import PriceList

_FIRST = date(2015, 1, 1)
_AHEAD = timedelta(days=62)


class _Told:
    """Rows of a server, added to totals."""

    def __init__(self, bounds: Bounds, zone: tzinfo | None, prices: PriceList) -> None:
        self.totals = UsageTotals(sources=prices.sources)
        self._bounds, self._zone, self._prices = bounds, zone, prices

    def add(self, row: UsageRow) -> None:
        if row.grouped == "title":
            self.totals.titles[row.name or ""] = row.model or ""
            self.totals.conversations[row.name or ""].conversations = 1
            return
        group = self._group(row)
        if group is None:
            return
        if row.conversations:
            group.conversations += row.conversations
            return
        epoch, starts = row.epoch or 0, self._bounds.prices
        begun = starts[epoch - 1] if epoch else starts[0] - 1 if starts else 0
        counted = Sum(
            begun, row.model or "", row.size or 0, row.reported or 0, row.turns, row.prompts,
            int(row.input_tokens), int(row.cached_tokens), int(row.output_tokens), row.cost,
            int(row.cache_write_tokens), int(row.cache_write_1h_tokens),
        )  # fmt: skip
        estimate = counted.estimate(self._prices, None)
        group.add(counted, estimate)
        if row.grouped == "total":
            self._of_model(row.model).add(counted, estimate)

    def _of_model(self, model: str | None) -> Figures:
        return (
            self.totals.models.setdefault(model, Figures()) if model else self.totals.without_model
        )

    def _group(self, row: UsageRow) -> Figures | None:
        totals, name = self.totals, row.name or ""
        match row.grouped:
            case "total":
                return totals.total
            case "model":
                return self._of_model(row.model)
            case "agent":
                return totals.agents.setdefault(name, Figures())
            case "project":
                return totals.projects.setdefault(name, Figures())
            case "workspace":
                return totals.workspaces.setdefault(name, Figures())
            case "conversation":
                return totals.conversations.setdefault(name, Figures())
            case _:
                pass
        if row.at is None:
            return None  # undated: on no day
        if row.grouped == "block":
            return totals.quarters.setdefault(row.at, Figures())
        starts = self._bounds.months if row.grouped == "month" else self._bounds.days
        quarter = row.at - BEYOND if row.at > BEYOND // 2 else starts[row.at - 1]
        day = local(quarter * QUARTER, self._zone).date()
        if row.grouped == "month":
            return totals.months.setdefault(f"{day:%Y-%m}", Figures())
        return totals.days.setdefault(day, Figures())


def told(
    archive: Archive,
    wanted: ConversationFilter,
    prices: PriceList,
    today: date,
    *,
    zone: tzinfo | None = None,
    each: bool = True,
    blocks: bool = True,
) -> UsageTotals | None:
    """What `aggregate` gives of the conversations that pass; None where the store keeps no sums.

    zone: whose days are meant (None: this machine's). each: `conversations` and `titles`, too; blocks:
    `quarters`, too.
    """  # fmt: skip
    if not isinstance(archive.backend, CountingUsage):
        return None
    bounds = _bounds(today, zone, prices)
    rows = archive.backend.usage(wanted, bounds, each=each, blocks=blocks)
    if rows is None:
        return None
    adding = _Told(bounds, zone, prices)
    for row in sorted(rows, key=lambda row: row.grouped == "title"):
        adding.add(row)
    return adding.totals


def _bounds(today: date, zone: tzinfo | None, prices: PriceList) -> Bounds:
    count = (today + _AHEAD - _FIRST).days
    days = [_FIRST + timedelta(days=number) for number in range(count)]
    starts = [_quarter(day, zone) for day in days]
    months = [start for day, start in zip(days, starts, strict=True) if day.day == 1]
    return Bounds(starts, months, [_quarter(day, UTC) for day in prices.changes])


def _quarter(day: date, zone: tzinfo | None) -> int:
    """The quarter with which a day begins."""
    return int(datetime.combine(day, time(), zone).timestamp() // QUARTER)
