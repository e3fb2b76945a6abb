"""What changed since the record was kept: look for it, read it, and note it. It loads the providers.

An agent whose folders changed is looked through again; of the others the files that changed are
read, the newest first, within patience. O(files of the agents that changed).

Tested in: tests/ingest/sources/test_agreement.py
"""

import os
import time
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import NamedTuple, TypeVar

from dejavu.archive import Archive, derived
from dejavu.archive.log import last_sequence
from dejavu.archive.namespace import SyncExtent, finish_sync, note_sync, unfinished_sync
from dejavu.config.settings import load_config, own_instance
from dejavu.providers import PROVIDERS, Home, Kind, Provider, Source, search_roots
from dejavu.providers.follow.stamp import Stamp, modified_at, source_stamp
from dejavu.providers.registry import agents, moving_variables, places, providers_in

from ..importer import Importer
from ..source_failures import record_scan
from .record import (
    ABSENT,
    UNREAD,
    VERSION,
    KnownAgent,
    KnownSource,
    Snapshot,
    folder_times,
    folders_below,
    folders_in,
    is_read,
    kept_stamp,
    save_snapshot,
)

T = TypeVar("T")

_LEAST = 0.25  # seconds for reading
_SHARE = 1.0  # of the seconds that looking took, where that is longer
_VARIABLES = ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "DEJAVU_INSTANCE")


class _Due(NamedTuple):
    """A source that is to be read."""

    known: KnownSource
    session: tuple[str, bytes]  # agent and id
    current: Stamp


def read_changes(
    archive: Archive, snapshot: Snapshot | None, deadline: float, clock: Callable[[], float]
) -> None:
    """Read what changed since `snapshot` until `deadline` (monotonic seconds), one at the least.

    Reading continues for as long as looking took, or in a home of 100,000 files nothing would be read.

    Raises:
        ArchiveError: it could not be stored (locked, disk full, damaged).
    """
    now, began = time.time(), time.monotonic()
    home = Home.own(own_instance(load_config()))
    if snapshot is None or snapshot.instance != home.instance or not snapshot.is_of(archive):
        snapshot = _empty(home, now)
    changes = snapshot.changes(now)
    with Importer(archive, (), clock=clock) as importer:
        _discover(importer, home, snapshot, changes, now)
    due = _due(snapshot, changes)
    looked = time.monotonic()
    deadline = max(deadline, looked + max(_LEAST, _SHARE * (looked - began)))
    with Importer(archive, (), clock=clock, stop=lambda: time.monotonic() > deadline) as importer:
        read: list[_Due] = []
        for one in due:
            agent = one.session[0]
            importer.read(PROVIDERS[agent], _source(agent, one.known, home))
            if not importer.stopped:
                read.append(one)
            if time.monotonic() > deadline:
                break
    for one in read:  # what they hold is durable now
        one.known.stamp = kept_stamp(one.current, now)
    _record_scans(archive, snapshot, set(changes), due, clock())
    _note_rest(archive, home, snapshot, sum(not is_read(one.known, one.current) for one in due))
    _save(archive, snapshot)


def _record_scans(
    archive: Archive, snapshot: Snapshot, looked_at: set[str], due: list[_Due], now: float
) -> None:
    """Note, for `dejavu doctor`, which agents were looked at and read to their end."""
    behind = {one.session[0] for one in due if not is_read(one.known, one.current)}
    counts = {agent: len(known.sources) for agent, known in snapshot.agents.items()}
    if ABSENT in looked_at:
        looked_at = set(counts)
    record_scan(archive, {one: counts[one] for one in looked_at - behind if counts.get(one)}, now)


def record_sources(
    archive: Archive, home: Home, stamps: Iterable[tuple[Source, Stamp]], now: float
) -> None:
    """Note that a sync read all of a home; `now` and then `stamps` are from before it looked."""
    snapshot = _empty(home, now)
    for source, current in stamps:
        known = known_source(source)
        known.stamp = kept_stamp(current, now)
        snapshot.agents.setdefault(source.agent, KnownAgent([], {})).sources.append(known)
    for provider in providers_in(home):
        known_agent = snapshot.agents.setdefault(provider.agent, KnownAgent([], {}))
        paths = [Path(os.fsdecode(one.path)) for one in known_agent.sources]
        known_agent.folders = _folders(provider, home, paths, now)
    snapshot.agents[ABSENT] = KnownAgent([], _absent(home, now))
    _save(archive, snapshot)


def _empty(home: Home, now: float) -> Snapshot:
    names = sorted({*_VARIABLES, *moving_variables()})
    environ = {name: os.environ.get(name) for name in names}
    return Snapshot(VERSION, now, home.instance, environ, (0, 0.0), {})


def _discover(
    importer: Importer,
    home: Home,
    snapshot: Snapshot,
    changes: dict[str, list[KnownSource] | None],
    now: float,
) -> None:
    """Look again for the sources of the agents in `changes` whose folders changed."""
    for agent in [agent for agent, changed in changes.items() if changed is None and agent]:
        _discover_agent(importer, home, snapshot, PROVIDERS[agent], now)
    if ABSENT in changes:
        for provider in providers_in(home):
            if provider.agent not in snapshot.agents:
                _discover_agent(importer, home, snapshot, provider, now)
        snapshot.agents[ABSENT] = KnownAgent([], _absent(home, now))
        snapshot.at = now if len(changes) >= len(snapshot.agents) else snapshot.at


def _discover_agent(
    importer: Importer, home: Home, snapshot: Snapshot, provider: Provider, now: float
) -> None:
    before = snapshot.agents.get(provider.agent, KnownAgent([], {}))
    stamps = {(one.path, one.name): one.stamp for one in before.sources}
    sources: list[KnownSource] = []
    for source in importer.discover(provider, home):
        known = known_source(source)
        known.stamp = stamps.get((known.path, known.name), UNREAD)
        sources.append(known)
    paths = [Path(os.fsdecode(one.path)) for one in sources]
    folders = _folders(provider, home, paths, now)
    snapshot.agents[provider.agent] = KnownAgent(sources, folders)


def newest_first(waiting: Iterable[T], look: Callable[[T], tuple[Hashable, Stamp]]) -> list[T]:
    """The session written last first; forms of one session stay in order. `look`: session, stamp."""
    waiting, newest = list(waiting), dict[Hashable, int]()
    for one in waiting:
        session, stamp = look(one)
        newest[session] = max(newest.get(session, 0), modified_at(stamp))
    return sorted(waiting, key=lambda one: -newest[look(one)[0]])


def _due(snapshot: Snapshot, changes: dict[str, list[KnownSource] | None]) -> list[_Due]:
    """The sources that look different, in order; those that only may change still come last."""
    due: list[_Due] = []
    for agent, known_agent in snapshot.agents.items():
        known_changes = changes.get(agent)
        for known in known_agent.sources if known_changes is None else known_changes:
            current = source_stamp(known)
            if current != known.stamp:
                session = (agent, known.name or known.native_id or known.path)
                due.append(_Due(known, session, current))
    due = newest_first(due, lambda one: (one.session, one.current))
    return sorted(due, key=lambda one: is_read(one.known, one.current))


def _note_rest(archive: Archive, home: Home, snapshot: Snapshot, left: int) -> None:
    """Let the reading commands say how much of it is missing."""
    name = f"{home.instance}\0"
    total = sum(len(known.sources) for known in snapshot.agents.values())
    if left:
        note_sync(archive.backend, name, SyncExtent(total - left, total))
    elif unfinished_sync(archive.backend) is not None:
        finish_sync(archive.backend, name)


def _save(archive: Archive, snapshot: Snapshot) -> None:
    snapshot.log = derived.end(archive.log, archive.backend.read(last_sequence)) or snapshot.log
    save_snapshot(archive.root, snapshot)


def known_source(source: Source) -> KnownSource:
    """A source as the record keeps it, not read yet."""
    native = None if source.native_id is None else os.fsencode(source.native_id)
    workspace = None if source.workspace is None else os.fsencode(source.workspace)
    return KnownSource(
        os.fsencode(source.path), str(source.kind), native, workspace, os.fsencode(source.name),
        source.variant, extra_paths=[os.fsencode(path) for path in source.extra_paths],
    )  # fmt: skip


def _source(agent: str, known: KnownSource, home: Home) -> Source:
    native = None if known.native_id is None else os.fsdecode(known.native_id)
    workspace = None if known.workspace is None else os.fsdecode(known.workspace)
    path, name = Path(os.fsdecode(known.path)), os.fsdecode(known.name)
    kind = Kind(known.kind)
    extra = tuple(Path(os.fsdecode(one)) for one in known.extra_paths)
    return Source(agent, path, home.instance, kind, native, workspace, name, known.variant, extra)


def _folders(provider: Provider, home: Home, paths: Iterable[Path], now: float) -> dict[bytes, int]:
    """The change times of folders in which a source of an agent may appear.

    Its roots, the folders in them, and all below a folder in them that holds sources.
    """
    roots = search_roots(provider, home)
    tops: set[Path] = set()
    folders: set[Path] = set(roots)
    for root in roots:
        folders.update(folders_in(root))
    for parent in {path.parent for path in paths}:
        for root in roots:
            if root in parent.parents:
                tops.add(root / parent.relative_to(root).parts[0])
                break
        else:
            folders.add(parent)
    folders.update(folders_below(tops))
    return folder_times(folders, now)


def _absent(home: Home, now: float) -> dict[bytes, int]:
    """The places of agents that left nothing in this home yet."""
    present = {provider.agent for provider in providers_in(home)}
    marks = [
        Path(place)
        for agent in agents().values()
        if agent.name not in present
        for place in places(agent, home)
    ]
    inside = (folder for mark in marks for folder in folders_in(mark))
    return folder_times({*marks, *inside}, now)
