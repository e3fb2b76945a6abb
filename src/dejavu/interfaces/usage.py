"""What was used, for `dejavu stats` and for the page of the same figures.

Costs O(conversations) and O(turns of what changed since the last time): sums are kept in a derived
file in the archive's folder, which may be deleted at any time.
"""

from datetime import date, datetime

from dejavu.archive import Archive
from dejavu.config.clock import now
from dejavu.export.stats import UsageCache, UsageTotals, aggregate, load_prices


def usage(
    archive: Archive,
    workspace: str | None = None,
    *,
    instance: str | None = None,
    agent: str | None = None,
    since: float | None = None,
    until: float | None = None,
    side: bool = False,
) -> UsageTotals:
    """The sums over the conversations that fit; moments are Unix seconds.

    Raises:
        InvalidValueError: the user's `prices.toml` is broken.
    """
    summaries = list(
        archive.scan(
            workspace=workspace, instance=instance, agent=agent, since=since, until=until, side=side
        )
    )
    prices = load_prices()
    cache = UsageCache(archive, archive.root / "stats.msgpack")
    return aggregate(
        ((summary, cache.sums(summary, since, until)) for summary in summaries), prices=prices
    )


def last_day(until: float | None) -> date:
    """The last day of the calendar: that of `until`, at most today."""
    at = now() if until is None else min(until, now())
    return datetime.fromtimestamp(at).astimezone().date()
