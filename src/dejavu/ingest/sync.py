"""Agents' session logs into the archive: every provider over every home, the newest sources first.

When it returns, all that could be read is durable. Costs O(sources) stats when nothing changed,
and O(new bytes) otherwise. Writes nothing into an agent's folder. A source that fails is reported
and left for the next time; a source that vanished keeps all that was archived of it, and so do
turns that an agent took from its own log.

Each batch is searchable once it is committed. A sync of more than a batch keeps a record of how far
it got (`archive.namespace`); an interrupted sync loses a batch at most.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import msgspec

from dejavu.archive import Archive, Batch
from dejavu.archive.namespace import SyncExtent, finish_sync, note_sync
from dejavu.config.paths import is_server
from dejavu.config.projects import ProjectNames
from dejavu.config.settings import load_config, own_instance
from dejavu.model import AT_END, TurnUpdate
from dejavu.providers import Home, Provider, Source
from dejavu.providers.follow.stamp import Stamp, source_stamp
from dejavu.providers.registry import providers_in

from .catch_up import sync_runs
from .importer import Importer
from .ingestor import BATCH
from .report import Report
from .source_failures import record_scan
from .sources.read import newest_first, record_sources

__all__ = ["Report", "sync_homes"]

_NAMESPACE, _DONE = "projects", b"named"
_TOGETHER = 200  # conversations of one commit
_NOTED = 1.0  # seconds between two records of how far a sync got


@dataclass(slots=True)
class _Waiting:
    """A source that is to be looked at."""

    provider: Provider
    source: Source
    stamp: Stamp
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
    homes, began = list(homes), time.time()
    projects = {home.instance: home.project for home in homes if home.project}
    with (
        sync_runs(archive.root),
        Importer(archive, clock=clock, projects=projects) as importer,
    ):
        waiting = _sources(importer, homes, agent)
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
    name_projects(archive)
    if agent is None and homes == [Home.own(own_instance(load_config()))]:
        record_sources(archive, homes[0], ((one.source, one.stamp) for one in waiting), began)
    return report


def _sources(importer: Importer, homes: list[Home], agent: str | None) -> list[_Waiting]:
    """Every source, the one that was written last first; forms of one session stay in order."""
    waiting: list[_Waiting] = []
    for home in homes:
        for provider in providers_in(home):
            if agent is not None and provider.agent != agent:
                continue
            for source in importer.discover(provider, home):
                stamp = source_stamp(source)
                waiting.append(_Waiting(provider, source, stamp, stamp[0]))
    return newest_first(waiting, lambda one: (one.source.key, one.stamp))


def name_projects(archive: Archive) -> int:
    """Name the projects of what was archived before projects had names; return how many changed.

    Once for an archive of this machine; O(conversations). Others, and what is named later, get the
    name with the conversation's next turns.
    """
    namespace = archive.namespace(_NAMESPACE)
    if archive.readonly or is_server(archive.name) or namespace.get(_DONE) is not None:
        return 0
    names, updates = ProjectNames(), list[TurnUpdate]()
    for summary in archive.scan(side=True):
        project = names.of(summary)
        if project != summary.project:
            named = msgspec.structs.replace(summary, project=project)
            updates.append(TurnUpdate(named, AT_END, ()))
    for first in range(0, len(updates), _TOGETHER):
        archive.commit(Batch(updates=updates[first : first + _TOGETHER]))
    namespace.put(_DONE, b"1")
    return len(updates)
