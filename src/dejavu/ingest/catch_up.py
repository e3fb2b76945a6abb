"""Reading what agents wrote since the last time, within bounds, before a question is answered.

`catch_up` compares session files with the snapshot of the last look (`sources.record`): where nothing
changed it costs a stat a file and loads no provider. Else the changed sources are read, the newest
first, for at most `patience` seconds (and one batch); what is left is counted, kept in the archive
for `list` and `search` to say, and read by the next. A first call on a new machine is a first sync.

Nothing here may stand in the way of an answer: what fails is said in `problem`. A sync that runs is
left alone, another catching up is waited for. An archive on a server gets nothing unasked: what is
put there others may read.
"""

import os
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from dejavu.archive import Archive
from dejavu.archive.access import NoArchiveError, open_archive
from dejavu.archive.namespace import SyncExtent, unfinished_sync
from dejavu.config.files import open_lock, try_lock
from dejavu.config.paths import is_server

from .sources.record import Snapshot, load_snapshot

__all__ = ["CaughtUp", "catch_up", "open_current", "sync_runs"]

_LOCK = "catch_up.lock"
_POLL = 0.01  # seconds
_WAITS = 3  # times the patience that another who catches up may take: it began with as much


class CaughtUp(NamedTuple):
    """What is to be said of it: sources that are not read yet, and what went wrong."""

    extent: SyncExtent | None = None
    problem: str = ""


@contextmanager
def sync_runs(root: Path) -> Generator[None]:
    """A block that reads all sources of the archive in `root`; no other process catches up meanwhile."""
    descriptor = _opened(root)
    try:
        if descriptor is not None:
            try_lock(descriptor, shared=True)
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


@contextmanager
def open_current(
    note: Callable[[str], None], *, write: bool = False
) -> Generator[tuple[Archive, SyncExtent | None]]:
    """The archive with what agents wrote up to now, and how far that got where it is not all.

    It is made where there is none and an agent left something here. `note` takes a sentence on
    what went wrong. What is read within shares a view: for commands that answer once.

    Raises:
        NoArchiveError: there is none, and nothing to read either.
        ArchiveError: as `open_archive`.
    """
    with ExitStack() as stack:
        try:
            archive = stack.enter_context(open_archive(write=write))
        except NoArchiveError:
            if not _has_history():
                raise
            archive = stack.enter_context(open_archive(write=True))
        stack.enter_context(archive.views.shared())
        result = catch_up(archive)
        if result.problem:
            note(result.problem)
        yield archive, result.extent


def catch_up(
    archive: Archive,
    *,
    patience: float | None = None,
    clock: Callable[[], float] = time.time,
) -> CaughtUp:
    """Read what changed for as many seconds as the settings allow, `patience` at most.

    Never raises, but what the archive itself does. `clock` returns Unix seconds.
    """
    try:
        if not archive.readonly and not is_server(archive.name):
            return _catch_up(archive, patience, clock)
    except Exception as error:  # an answer without what is new is better than none
        return CaughtUp(_extent(archive), f"what agents wrote last may be missing: {error}")
    return CaughtUp(_extent(archive))


def _catch_up(archive: Archive, patience: float | None, clock: Callable[[], float]) -> CaughtUp:
    began = time.monotonic()
    if is_current(archive, load_snapshot(archive.root, os.environ)):
        return CaughtUp(_extent(archive))
    from dejavu.config.settings import load_config  # a file more, of no use but here

    allowed = load_config().sync.catch_up
    patience = allowed if patience is None else min(patience, allowed)
    if not patience:
        return CaughtUp(_extent(archive))
    descriptor = _opened(archive.root)
    if descriptor is None:
        return CaughtUp(_extent(archive))
    waited = False
    try:
        while not try_lock(descriptor):
            shared = try_lock(descriptor, shared=True)  # as those do who sync
            if shared and (extent := _extent(archive)) is not None:
                return CaughtUp(extent)
            if time.monotonic() - began > _WAITS * patience:
                return CaughtUp(_extent(archive), "another process is reading what agents wrote")
            time.sleep(_POLL)
            waited = True
        snapshot = load_snapshot(archive.root, os.environ)  # the one waited for wrote it
        if not (waited and is_current(archive, snapshot)):
            from .sources.read import read_changes  # it loads the providers

            read_changes(archive, snapshot, began + patience, clock)
    finally:
        os.close(descriptor)
    return CaughtUp(_extent(archive))


def is_current(archive: Archive, snapshot: Snapshot | None) -> bool:
    """Whether all that the snapshot knows looks as it did, and was read into this archive."""
    return snapshot is not None and snapshot.is_of(archive) and not snapshot.changes(time.time())


def _extent(archive: Archive) -> SyncExtent | None:
    return unfinished_sync(archive.backend)


def _has_history() -> bool:
    """Whether any agent left something in this home."""
    from dejavu.providers import Home  # loads every agent's folder, once in a home's life
    from dejavu.providers.registry import agents, may_be_in

    home = Home.own()
    return any(
        (agent.marks or agent.store is not None) and may_be_in(agent, home)
        for agent in agents().values()
    )


def _opened(root: Path) -> int | None:
    """The lock's file; None where it cannot be made."""
    try:
        return open_lock(root / _LOCK)
    except OSError:
        return None
