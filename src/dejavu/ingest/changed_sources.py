"""The part of catching up that loads providers: look where something changed, read, and take note.

An agent whose folders changed is looked through anew, of the others the files that changed are
read. O(files of the agents that changed); folders are walked to `_FOLDERS` of them.
"""

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from dejavu.archive import Archive, derived
from dejavu.archive.log import last_sequence
from dejavu.archive.unfinished_syncs import SyncExtent, finish_sync, note_sync, unfinished_sync
from dejavu.config.instance import own_instance
from dejavu.config.settings import load_config
from dejavu.providers import PROVIDERS, Home, Kind, Provider, Source, search_roots
from dejavu.providers.registry import agents, moving_variables, places, providers_in

from .catch_up import is_of_archive
from .file_snapshot import (
    ABSENT,
    UNREAD,
    VERSION,
    KnownAgent,
    KnownSource,
    Snapshot,
    Stamp,
    change_time,
    is_read,
    is_settled,
    kept_stamp,
    save_snapshot,
    stamp,
)
from .importer import Importer
from .schema_drift import record_scan

_FOLDERS = 5_000  # of one agent that are watched for something new
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

    Reading goes on for as long as looking took, or in a home of 100,000 files nothing would be read.

    Raises:
        ArchiveError: it could not be stored (locked, disk full, damaged).
    """
    now, began = time.time(), time.monotonic()
    home = Home.own(own_instance(load_config()))
    if (
        snapshot is None
        or snapshot.instance != home.instance
        or not is_of_archive(archive, snapshot)
    ):
        snapshot = _empty(home, now)
    changes = snapshot.changes(now)
    with Importer(archive, (), clock=clock) as importer:
        _discover(importer, home, snapshot, changes, now)
    due = _newest_first(snapshot, changes)
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
        known = _known(source)
        known.stamp = kept_stamp(current, now)
        snapshot.agents.setdefault(source.agent, KnownAgent([], {})).sources.append(known)
    for provider in providers_in(home):
        known_agent = snapshot.agents.setdefault(provider.agent, KnownAgent([], {}))
        paths = [Path(os.fsdecode(one.path)) for one in known_agent.sources]
        known_agent.folders = _folders(provider, home, paths, now)
    snapshot.agents[ABSENT] = KnownAgent([], _absent(home, now))
    _save(archive, snapshot)


def source_stamp(source: Source) -> Stamp:
    """How a source looks now."""
    return stamp(_known(source))


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
        known = _known(source)
        known.stamp = stamps.get((known.path, known.name), UNREAD)
        sources.append(known)
    paths = [Path(os.fsdecode(one.path)) for one in sources]
    folders = _folders(provider, home, paths, now)
    snapshot.agents[provider.agent] = KnownAgent(sources, folders)


def _newest_first(snapshot: Snapshot, changes: dict[str, list[KnownSource] | None]) -> list[_Due]:
    """The sources that look different, the one written last first; forms of one stay in order."""
    due: list[_Due] = []
    newest: dict[tuple[str, bytes], int] = {}
    for agent, known_agent in snapshot.agents.items():
        known_changes = changes.get(agent)
        for known in known_agent.sources if known_changes is None else known_changes:
            current = stamp(known)
            if current != known.stamp:
                session = (agent, known.name or known.native_id or known.path)
                due.append(_Due(known, session, current))
                newest[session] = max(newest.get(session, 0), *current[1::4])
    due.sort(key=lambda one: (is_read(one.known, one.current), -newest[one.session]))
    return due


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


def _known(source: Source) -> KnownSource:
    native = None if source.native_id is None else os.fsencode(source.native_id)
    workspace = None if source.workspace is None else os.fsencode(source.workspace)
    return KnownSource(
        os.fsencode(source.path), str(source.kind), native, workspace, os.fsencode(source.name),
        source.variant,
    )  # fmt: skip


def _source(agent: str, known: KnownSource, home: Home) -> Source:
    native = None if known.native_id is None else os.fsdecode(known.native_id)
    workspace = None if known.workspace is None else os.fsdecode(known.workspace)
    path, name = Path(os.fsdecode(known.path)), os.fsdecode(known.name)
    kind = Kind(known.kind)
    return Source(agent, path, home.instance, kind, native, workspace, name, known.variant)


def _folders(provider: Provider, home: Home, paths: Iterable[Path], now: float) -> dict[bytes, int]:
    """The change times of folders in which a source of an agent may appear.

    Its roots, what stands in them, and all below a folder in them that holds sources.
    """
    roots = search_roots(provider, home)
    tops: set[Path] = set()
    folders: set[Path] = set(roots)
    for root in roots:
        folders.update(_inside(root))
    for parent in {path.parent for path in paths}:
        for root in roots:
            if root in parent.parents:
                tops.add(root / parent.relative_to(root).parts[0])
                break
        else:
            folders.add(parent)
    folders.update(_below(tops))
    return _times(folders, now)


def _absent(home: Home, now: float) -> dict[bytes, int]:
    """The places of agents that left nothing in this home yet."""
    present = {provider.agent for provider in providers_in(home)}
    marks = [
        Path(place)
        for agent in agents().values()
        if agent.name not in present
        for place in places(agent, home)
    ]
    inside = (folder for mark in marks for folder in _inside(mark))
    return _times({*marks, *inside}, now)


def _times(folders: Iterable[Path], now: float) -> dict[bytes, int]:
    """Change times; -1 of a folder that may be changing still, so that it is looked at again."""
    times: dict[bytes, int] = {}
    for folder in folders:
        path = os.fsencode(folder)
        changed = change_time(path)
        times[path] = changed if is_settled(changed, now) else -1
    return times


def _inside(folder: Path) -> list[Path]:
    """The folders in a folder, without links; none where it is missing or closed to us."""
    try:
        with os.scandir(folder) as entries:
            return [Path(one.path) for one in entries if one.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def _below(tops: Iterable[Path]) -> Iterator[Path]:
    """These folders and all below them, the upper ones first."""
    waiting = deque(tops)
    for _ in range(_FOLDERS):
        if not waiting:
            return
        folder = waiting.popleft()
        yield folder
        waiting.extend(_inside(folder))
