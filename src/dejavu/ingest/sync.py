"""Agents' session logs into the archive: every provider over every home, the newest sources first.

When it returns, all that could be read is durable. Costs O(sources) stats when nothing changed,
and O(new bytes) otherwise. Writes nothing into an agent's folder. A source that fails is reported
and left for the next time; a source that vanished keeps all that was archived of it, and so do
turns that an agent took out of its own log.

Each batch is searchable once it is committed. A sync of more than a batch keeps a record of how far
it got (`archive.unfinished_syncs`); whoever interrupts it loses a batch at most.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from dejavu.archive import Archive
from dejavu.archive.unfinished_syncs import SyncExtent, finish_sync, note_sync
from dejavu.providers import Home, Provider, Source
from dejavu.providers.registry import providers_in

from .importer import Importer
from .ingestor import BATCH
from .report import Report
from .schema_drift import record_scan

__all__ = ["Report", "sync_homes", "sync_source"]

_NOTED = 1.0  # seconds between two records of how far a sync got


@dataclass(slots=True)
class _Waiting:
    """A source that is to be looked at. `modified` is in ns, of the newest form of its session."""

    provider: Provider
    source: Source
    modified: int
    size: int


def sync_homes(
    archive: Archive,
    homes: Iterable[Home],
    *,
    agent: str | None = None,
    progress: Callable[[Source, Report], None] | None = None,
    clock: Callable[[], float] = time.time,
) -> Report:
    """Read every session log below `homes` (of one `agent` only, where named)."""
    with Importer(archive, clock=clock) as importer:
        homes = list(homes)
        waiting = _newest_first(importer, homes, agent)
        report = importer.report
        report.total = len(waiting)
        report.unread_bytes = sum(one.size for one in waiting if not importer.knows(one.source))
        name = f"{' '.join(sorted(home.instance for home in homes))}\0{agent or ''}"
        long = report.unread_bytes > BATCH
        if long:
            note_sync(archive.backend, name, SyncExtent(0, report.total))
        noted = time.monotonic()
        for one in waiting:
            unread = not importer.knows(one.source)
            importer.read(one.provider, one.source)
            report.passed_bytes += one.size if unread else 0
            if long and time.monotonic() - noted >= _NOTED:
                note_sync(archive.backend, name, SyncExtent(importer.committed, report.total))
                noted = time.monotonic()
            if progress is not None:
                progress(one.source, report)
    record_scan(archive, Counter(one.source.agent for one in waiting), clock())
    finish_sync(archive.backend, name)
    return report


def _newest_first(importer: Importer, homes: list[Home], agent: str | None) -> list[_Waiting]:
    """Every source, the one that was written last first; forms of one session stay in order."""
    waiting: list[_Waiting] = []
    newest: dict[str, int] = {}
    for home in homes:
        for provider in providers_in(home):
            if agent is not None and provider.agent != agent:
                continue
            for source in importer.discover(provider, home):
                modified, size = _stamp(source)
                waiting.append(_Waiting(provider, source, modified, size))
                newest[source.key] = max(modified, newest.get(source.key, 0))
    waiting.sort(key=lambda one: -newest[one.source.key])
    return waiting


def _stamp(source: Source) -> tuple[int, int]:
    """When a source was last written (ns), and its bytes; zeros where it cannot be told."""
    try:
        status = source.path.stat()
    except (OSError, ValueError):
        return 0, 0
    return status.st_mtime_ns, status.st_size


def sync_source(
    archive: Archive,
    provider: Provider,
    source: Source,
    *,
    clock: Callable[[], float] = time.time,
) -> Report:
    """Read what is new in one source and commit it."""
    with Importer(archive, [source.key], clock=clock) as importer:
        importer.read(provider, source)
    return importer.report
