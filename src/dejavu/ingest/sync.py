"""Reading agents' own traces into the archive: providers on one side, the archive on the other.

Takes homes; gives a `Report`. When it returns, all that could be read is durable. Costs O(sources)
stats when nothing changed, and O(new bytes) otherwise. Writes nothing into an agent's folder. A
source that cannot be read is reported and left for the next time; a source that vanished keeps all
that was archived of it, and so do turns that an agent took out of its own trace.
"""

from collections import Counter
from collections.abc import Callable, Iterable

from dejavu.archive import Archive
from dejavu.config.clock import now as clock
from dejavu.providers import PROVIDERS, Home, Provider, Source

from .importer import Importer, Report
from .schema_drift import looked
from .source_registry import remembered

__all__ = ["Report", "remembered", "sync_homes", "sync_source"]


def sync_homes(
    archive: Archive,
    homes: Iterable[Home],
    *,
    agent: str | None = None,
    progress: Callable[[Source, Report], None] | None = None,
) -> Report:
    """Read every trace below `homes` (of one `agent` only, where named)."""
    sources: Counter[str] = Counter()
    with Importer(archive) as importer:
        for home in homes:
            for provider in PROVIDERS.values():
                if agent is not None and provider.agent != agent:
                    continue
                for source in provider.discover(home):
                    importer.read(provider, source)
                    sources[source.agent] += 1
                    if progress is not None:
                        progress(source, importer.report)
    looked(archive, sources, clock())
    return importer.report


def sync_source(archive: Archive, provider: Provider, source: Source) -> Report:
    """Read what is new in one source and commit it."""
    with Importer(archive, [source.key]) as importer:
        importer.read(provider, source)
    return importer.report
