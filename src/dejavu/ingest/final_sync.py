"""The last sync before a home is thrown away: it waits for what is being written, within bounds.

Takes homes; gives a `Report` whose `unreadable` names all that was left behind and why: what may
not be read, half a record at the end of a log, a document that is only half there, a folder that
nobody may look into. When it returns, everything else is durable. Costs a sync, a read of each
log's last bytes, and a walk of the agents' folders.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator

import msgspec

from dejavu.archive import Archive
from dejavu.model import ProviderError
from dejavu.providers import PROVIDERS, Home, Kind, Provider, Source, search_roots
from dejavu.providers.follow.append import open_plain

from .importer import Importer, Report
from .sync import sync_homes

PATIENCE = 3.0
"""Seconds in which a torn tail or a busy database may still become whole."""

DOCUMENT = 11.0
"""Seconds for a document; providers take one as it stands after 10 s without a change."""

_NAP = 0.2
_TAIL = 1 << 20  # bytes of a log's end that are looked at


def sync_final(
    archive: Archive,
    homes: Iterable[Home],
    *,
    agent: str | None = None,
    progress: Callable[[Source, Report], None] | None = None,
) -> Report:
    """Read every trace below `homes`, and what is unfinished again, until it is whole."""
    given = list(homes)
    known: dict[str, list[Source]] = {}

    def note(source: Source, report: Report) -> None:
        known.setdefault(str(source.path), []).append(source)
        if progress is not None:
            progress(source, report)

    report = sync_homes(archive, given, agent=agent, progress=note)
    open_now = {path: why for path, one in known.items() if (why := unfinished(one[0]))}
    waiting = dict(report.unreadable) | open_now
    began = time.monotonic()
    while waiting and time.monotonic() - began < max(_bound(known[path][0]) for path in waiting):
        time.sleep(_NAP)
        waiting = _again(archive, report, [one for path in waiting for one in known[path]])
    report.unreadable = sorted(waiting.items())
    report.unreadable += _closed_folders(given, agent)
    return report


def _again(archive: Archive, report: Report, sources: list[Source]) -> dict[str, str]:
    """Read these sources once more; gives those that are still not whole."""
    with Importer(archive, [source.key for source in sources]) as importer:
        for source in sources:
            importer.read(_provider(source), source)
    importer.report.sources = 0  # they were counted
    left = dict(importer.report.unreadable)
    importer.report.unreadable = []
    report.merge(importer.report)
    return left | {str(one.path): why for one in sources if (why := unfinished(one))}


def unfinished(source: Source) -> str | None:
    """Why not all of a source can have been read yet; None if it can."""
    try:
        if source.kind is Kind.APPEND and source.path.suffix != ".zst":
            return _torn_tail(source)
        if source.kind is Kind.WHOLE and time.time() - source.path.stat().st_mtime < DOCUMENT:
            with os.fdopen(open_plain(source.path), "rb") as file:
                msgspec.json.decode(file.read(), type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return "it is half a document; what was archived of it before stays"
    except (OSError, ProviderError):
        return None  # the import says so itself
    return None


def _torn_tail(source: Source) -> str | None:
    with os.fdopen(open_plain(source.path), "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _TAIL))
        tail = file.read().rpartition(b"\n")[2]
    if not tail.strip():
        return None
    try:
        msgspec.json.decode(tail, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return f"its last {len(tail)} bytes are half a record; all before them is archived"
    return None


def _bound(source: Source) -> float:
    return DOCUMENT if source.kind is Kind.WHOLE else PATIENCE


def _provider(source: Source) -> Provider:
    return PROVIDERS[source.agent]


def _closed_folders(homes: list[Home], agent: str | None) -> Iterator[tuple[str, str]]:
    """The agents' folders that may not be looked into, and why."""
    closed: list[OSError] = []
    for home in homes:
        for provider in PROVIDERS.values():
            if agent in (None, provider.agent):
                for folder in sorted(search_roots(provider, home)):
                    for _ in os.walk(folder, onerror=closed.append):
                        pass
    for error in closed:
        if not isinstance(error, FileNotFoundError | NotADirectoryError):
            yield str(error.filename), str(error)
