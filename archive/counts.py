"""Figures of the archive, counted from its indexes.

`count` costs O(conversations + sources + log), `totals` two look-ups; a server counts in one statement.
"""

from collections import Counter
from typing import NamedTuple, Protocol, runtime_checkable

from . import conversations, log
from .backends.transaction import Reader
from .keys import number_key
from .records import Entry, SummaryRecord, unpack


class Counts(NamedTuple):
    """What the archive holds. `raw_bytes` is before compression, `stored_bytes` the data file."""

    conversations: int
    turns: int
    sources: int
    raw_bytes: int
    stored_bytes: int
    log_entries: int
    by_agent: dict[str, int]
    by_workspace: dict[str, int]
    by_project: dict[str, int]


@runtime_checkable
class Counting(Protocol):
    """A backend that counts itself."""

    def counts(self) -> Counts:
        """What the archive holds, as far as this login may read it."""
        ...


def count(txn: Reader, stored_bytes: int) -> Counts:
    """The figures as the transaction sees them."""
    meta = log.load_meta(txn)
    agents: Counter[str] = Counter()
    workspaces: Counter[str] = Counter()
    projects: Counter[str] = Counter()
    for _, value in txn.items("summaries"):
        conversation = conversations.summary_of(unpack(value, SummaryRecord))
        agents[conversation.agent] += 1
        workspaces[conversation.workspace] += 1
        projects[conversation.place] += 1
    return Counts(
        conversations=sum(agents.values()),
        turns=0 if meta is None else meta.turns,
        sources=sum(1 for _ in txn.keys("sources")),
        raw_bytes=0 if meta is None else meta.raw_bytes,
        stored_bytes=stored_bytes,
        log_entries=sum(1 for _ in txn.keys("log")),
        by_agent=dict(agents.most_common()),
        by_workspace=dict(workspaces.most_common()),
        by_project=dict(projects.most_common()),
    )


class Totals(NamedTuple):
    """What the archive's own record counts; `changed_at` is Unix seconds of the last change."""

    begun: int
    turns: int
    raw_bytes: int
    changes: int
    changed_at: float | None


def totals(txn: Reader) -> Totals:
    """The totals as the transaction sees them; `begun` conversations may be pruned again."""
    meta = log.load_meta(txn)
    if meta is None:
        return Totals(0, 0, 0, 0, None)
    last = txn.get("log", number_key(meta.sequence))
    changed_at = None if last is None else unpack(last, Entry).at
    return Totals(meta.conversations, meta.turns, meta.raw_bytes, meta.sequence, changed_at)
