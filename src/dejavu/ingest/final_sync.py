"""The last sync before a home is thrown away: it waits for what is being written, within bounds.

The report's `unreadable` names all that was left behind and why: what failed, half a record at the
end of a log, a document that is only half there, a folder that may not be read. When it
returns, everything else is durable. Costs a sync, a read of each log's last bytes, and a walk of
the agents' folders.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator

import msgspec

from dejavu.archive import Archive
from dejavu.providers import PROVIDERS, Home, Kind, Source, search_roots
from dejavu.providers.find_paths import folders_below
from dejavu.providers.follow.append import open_plain
from dejavu.providers.formats.long_lines import longest_line

from .importer import Importer
from .report import Report
from .silent_stores import keep_silent, silent_stores
from .sync import sync_homes

PATIENCE = 3.0
"""Seconds in which a torn tail or a busy database may still become whole."""

DOCUMENT = 11.0
"""Seconds for a document; providers take one as it is after 10 s without a change."""

_PAUSE = 0.2
_LINES = (".jsonl", ".ndjson")  # other logs are of frames, compressed or text: no tail tells
_TAIL = 1 << 20  # bytes of a log's end that are looked at


def sync_final(
    archive: Archive,
    homes: Iterable[Home],
    *,
    agent: str | None = None,
    progress: Callable[[Source, Report], None] | None = None,
    clock: Callable[[], float] = time.time,
    sleep: Callable[[float], None] = time.sleep,
) -> Report:
    """Read every session log below `homes`, and what is incomplete again, until it is whole.

    `clock` returns Unix seconds, `sleep` waits so many.
    """
    homes = list(homes)
    known: dict[str, list[Source]] = {}
    incomplete: dict[str, str] = {}

    def note(source: Source, report: Report) -> None:
        path = str(source.path)
        known.setdefault(path, []).append(source)
        # Asked at once: one that becomes whole after it was read is to be read again.
        if len(known[path]) == 1 and (reason := incomplete_reason(source, clock())):
            incomplete[path] = reason
        if progress is not None:
            progress(source, report)

    report = sync_homes(archive, homes, agent=agent, progress=note, clock=clock)
    failed = dict(report.unreadable)
    lasting = [(place, reason) for place, reason in failed.items() if place not in known]
    waiting = {path: reason for path, reason in failed.items() if path in known} | incomplete
    began = clock()
    while waiting and clock() - began < max(_bound(known[path][0]) for path in waiting):
        sleep(_PAUSE)
        again = [source for path in waiting for source in known[path]]
        waiting = _read_again(archive, report, again, clock)
    report.unreadable = sorted([*waiting.items(), *lasting])
    report.unreadable += _closed_folders(homes, agent)
    _add_silent(archive, report, homes, agent)
    return report


def _add_silent(archive: Archive, report: Report, homes: list[Home], agent: str | None) -> None:
    """Name what gave no conversation, so that no one believes that all is safe, and keep its bytes."""
    reasons = dict(report.unreadable)
    for home in homes:
        with archive.views.shared():
            found = list(silent_stores(archive, home, agent, synced=True))
        for one in keep_silent(archive, home, found):
            path = str(one.path)
            if path in reasons and one.outcome:
                reasons[path] = f"{reasons[path]}; {one.outcome}"
            else:
                reasons.setdefault(path, one.told)
    report.unreadable = list(reasons.items())


def _read_again(
    archive: Archive, report: Report, sources: list[Source], clock: Callable[[], float]
) -> dict[str, str]:
    """Read these sources once more; those that are still not whole, and why."""
    with Importer(archive, [source.key for source in sources], clock=clock) as importer:
        for source in sources:
            importer.read(PROVIDERS[source.agent], source)
    importer.report.sources = 0  # they were counted
    left = dict(importer.report.unreadable)
    importer.report.unreadable = []
    report.merge(importer.report)
    incomplete = {
        str(source.path): reason
        for source in sources
        if (reason := incomplete_reason(source, clock()))
    }
    return left | incomplete


def incomplete_reason(source: Source, now: float) -> str | None:
    """Why not all of a source can have been read yet; None if it can."""
    try:
        if source.kind is Kind.APPEND and source.path.suffix in _LINES:
            return _torn_tail(source)
        if source.kind is Kind.WHOLE and now - source.path.stat().st_mtime < DOCUMENT:
            with os.fdopen(open_plain(source.path), "rb") as file:
                if os.fstat(file.fileno()).st_size <= longest_line():
                    msgspec.json.decode(file.read(), type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return "it is half a document; what was archived of it before stays"
    except Exception:
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


def _closed_folders(homes: list[Home], agent: str | None) -> Iterator[tuple[str, str]]:
    """The agents' folders that may not be looked into, and why."""
    closed: list[OSError] = []
    for home in homes:
        for provider in PROVIDERS.values():
            if agent in (None, provider.agent):
                for folder in sorted(search_roots(provider, home)):
                    for _ in folders_below(folder, closed.append):
                        pass
    for error in closed:
        if not isinstance(error, FileNotFoundError | NotADirectoryError):
            yield str(error.filename), str(error)
