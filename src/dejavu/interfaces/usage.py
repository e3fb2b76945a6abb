"""What was used, for `dejavu stats` and for the page of the same figures.

Costs O(conversations) and O(turns of what changed since the last time): sums are kept in a derived
file in the archive's folder, which may be deleted at any time. A server keeps them itself: one question.

Tested in: tests/interfaces/cli/test_stats.py
"""

from datetime import date, datetime

from dejavu.archive import Archive
from dejavu.config.clock import now
from dejavu.export.stats import UsageCache, UsageTotals, aggregate, load_prices, told
from dejavu.model import ConversationFilter


def usage(
    archive: Archive, wanted: ConversationFilter, *, each: bool = True, blocks: bool = True
) -> UsageTotals:
    """The sums over the conversations that pass a filter, and their turns in its time.

    each: those of every conversation may be asked for, too; blocks: those of blocks, too.

    Raises:
        InvalidValueError: the user's `prices.toml` is broken.
    """
    prices = load_prices()
    known = told(archive, wanted, prices, last_day(None), each=each, blocks=blocks)
    if known is not None:
        return known
    summaries = list(archive.select(wanted))
    cache = UsageCache(archive, archive.root / "stats.msgpack")
    return aggregate(
        ((summary, cache.sums(summary, wanted.since, wanted.until)) for summary in summaries),
        prices=prices,
    )


def last_day(until: float | None) -> date:
    """The last day of the calendar: that of `until`, at most today."""
    at = now() if until is None else min(until, now())
    return datetime.fromtimestamp(at).astimezone().date()
