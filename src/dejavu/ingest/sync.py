"""Agents' session logs into the archive: every provider over every home.

When it returns, all that could be read is durable. Costs O(sources) stats when nothing changed,
and O(new bytes) otherwise. Writes nothing into an agent's folder. A source that fails is reported
and left for the next time; a source that vanished keeps all that was archived of it, and so do
turns that an agent took out of its own log.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable

from dejavu.archive import Archive
from dejavu.providers import Home, Provider, Source
from dejavu.providers.registry import providers_in

from .importer import Importer
from .report import Report
from .schema_drift import record_scan

__all__ = ["Report", "sync_homes", "sync_source"]


def sync_homes(
    archive: Archive,
    homes: Iterable[Home],
    *,
    agent: str | None = None,
    progress: Callable[[Source, Report], None] | None = None,
    clock: Callable[[], float] = time.time,
) -> Report:
    """Read every session log below `homes` (of one `agent` only, where named)."""
    sources: Counter[str] = Counter()
    with Importer(archive, clock=clock) as importer:
        for home in homes:
            for provider in providers_in(home):
                if agent is not None and provider.agent != agent:
                    continue
                for source in importer.discover(provider, home):
                    importer.read(provider, source)
                    sources[source.agent] += 1
                    if progress is not None:
                        progress(source, importer.report)
    record_scan(archive, sources, clock())
    return importer.report


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
