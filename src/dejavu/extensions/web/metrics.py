"""`GET /metrics`: figures of the archive and of the sessions as OpenMetrics 1.0 text, for Prometheus.

Names are of agents, states and kinds alone: no workspace, no title and no path leaves by this way.
An archive that cannot be read is `dejavu_archive_up 0`, never an error of the scrape. O(sessions +
spool + sources that failed); of the archive's size only the index's lag (O(changes it lacks)).
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from dejavu.archive import Archive
from dejavu.archive.access import NoArchiveError, open_archive
from dejavu.archive.counts import totals
from dejavu.archive.namespace import unfinished_sync
from dejavu.ingest.source_failures import source_failures
from dejavu.ingest.spool import spool_folder
from dejavu.model import DejavuError
from dejavu.services.daemon import instance_lock
from dejavu.services.daemon.spool import REFUSED
from dejavu.services.hook_protocol import SPOOL, folder
from dejavu.sessions import session_store as sessions

from .endpoint import ARCHIVE

CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
Labels = tuple[tuple[str, str], ...]


class Family(NamedTuple):
    """One metric: its values by their labels."""

    name: str
    kind: Literal["gauge", "counter", "info"]
    help: str
    values: list[tuple[Labels, float]]


def exposition(version: str) -> str:
    """All figures of this moment, as a scrape takes them."""
    families = [
        _one("dejavu", "info", "The program.", 1, (("version", version),)),
        *_archive(),
        *_spools(),
        *_sessions(),
    ]
    return "".join(line for family in families for line in _lines(family)) + "# EOF\n"


def _one(
    name: str, kind: Literal["gauge", "counter", "info"], said: str, value: float,
    labels: Labels = (),
) -> Family:  # fmt: skip
    return Family(name, kind, said, [(labels, value)])


def _archive() -> Iterator[Family]:
    figures: list[Family] = []
    up = 1
    try:
        with ARCHIVE, open_archive() as archive:
            figures += _figures(archive)
    except NoArchiveError:
        pass  # nothing was captured yet: that is no fault
    except DejavuError:
        up = 0
    yield _one("dejavu_archive_up", "gauge", "Whether the archive can be read.", up)
    yield from figures


def _figures(archive: Archive) -> Iterator[Family]:
    meta = archive.backend.read(totals)
    yield _one("dejavu_archive_conversations", "counter", "Conversations ever begun.", meta.begun)
    yield _one("dejavu_archive_turns", "gauge", "Turns held.", meta.turns)
    yield _one(
        "dejavu_archive_raw_bytes", "gauge", "Bytes captured, before compression.", meta.raw_bytes
    )
    yield _one(
        "dejavu_archive_stored_bytes",
        "gauge",
        "Bytes on disk, without indexes.",
        archive.backend.size(),
    )
    yield _one("dejavu_archive_changes", "counter", "Changes committed.", meta.changes)
    if meta.changed_at is not None:
        yield _one(
            "dejavu_archive_last_change_timestamp_seconds",
            "gauge",
            "When the last one was.",
            meta.changed_at,
        )
    yield _one(
        "dejavu_index_behind_conversations", "gauge", "Conversations with turns the search index lacks.",
        archive.search_engine.lag().conversations,
    )  # fmt: skip
    extent = unfinished_sync(archive.backend)
    yield Family(
        "dejavu_sync_sources", "gauge", "Session files of syncs that have not ended.",
        [((("state", "read"),), extent.read if extent else 0),
         ((("state", "all"),), extent.total if extent else 0)],
    )  # fmt: skip
    failed = Counter(failure.agent for failure in source_failures(archive))
    yield _by(
        "dejavu_sources_failing", "Sources that could not be read at the last try.", "agent", failed
    )


def _spools() -> Iterator[Family]:
    hooks = Path(folder())
    waiting = {"hooks": _times(hooks / SPOOL), "streams": _times(spool_folder())}
    yield Family(
        "dejavu_spool_entries", "gauge", "Entries that wait for the archive.",
        [((("spool", name),), len(times)) for name, times in waiting.items()],
    )  # fmt: skip
    yield Family(
        "dejavu_spool_oldest_timestamp_seconds", "gauge", "Since when the oldest waits.",
        [((("spool", name),), min(times)) for name, times in waiting.items() if times],
    )  # fmt: skip
    yield _one(
        "dejavu_spool_refused",
        "gauge",
        "Entries that cannot be parsed.",
        len(_times(hooks / REFUSED)),
    )
    yield _one(
        "dejavu_daemon_up", "gauge", "Whether the daemon runs; it goes when nothing is to be done.",
        instance_lock.running() is not None,
    )  # fmt: skip


def _sessions() -> Iterator[Family]:
    live = Counter((view.session.agent, view.state) for view in sessions.find_all() if view.live)
    yield Family(
        "dejavu_sessions", "gauge", "Live sessions.",
        [((("agent", agent), ("state", state)), count) for (agent, state), count in sorted(live.items())],
    )  # fmt: skip


def _by(name: str, said: str, label: str, counts: Counter[str]) -> Family:
    return Family(name, "gauge", said, [(((label, key),), n) for key, n in sorted(counts.items())])


def _times(place: Path) -> list[float]:
    """When each file of a folder was written; empty where there is no such folder."""
    try:
        return [path.stat().st_mtime for path in place.iterdir() if path.is_file()]
    except OSError:  # one that the daemon took away meanwhile, too: the next scrape tells
        return []


def _lines(family: Family) -> Iterable[str]:
    yield f"# TYPE {family.name} {family.kind}\n"
    yield f"# HELP {family.name} {family.help}\n"
    suffix = {"counter": "_total", "info": "_info"}.get(family.kind, "")
    for labels, value in family.values:
        named = ",".join(f'{name}="{_escaped(text)}"' for name, text in labels)
        yield (
            f"{family.name}{suffix}{{{named}}} {value:.15g}\n"
            if named
            else (f"{family.name}{suffix} {value:.15g}\n")
        )


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
