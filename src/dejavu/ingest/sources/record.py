"""How agents' session files looked when they were last read: whether any changed since.

`Snapshot` is a file next to the archive. It is made again when it is missing, damaged, or of
another archive, environment or version; after `_VALID` seconds all folders are looked into again.
Comparing costs a stat a session file, a folder that may get one, and a mark of an agent that is not
there; no provider is loaded. `SeenSources` is the same for one process that follows one session.

What a stamp holds is `providers.follow.stamp`'s. What changed in the last `_SETTLED` seconds (or, by
a wrong clock, later than now) is looked at again: a clock tick may hold two writes, and half a
document waits for its rest.

Tested in: tests/ingest/sources/test_agreement.py
"""

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from dejavu.archive import Archive, Position, derived
from dejavu.config.files import replace_file
from dejavu.providers.follow.stamp import (
    Stamp,
    changed_at,
    modified_at,
    source_stamp,
    stamp_of,
)

if TYPE_CHECKING:
    from dejavu.providers import Source  # not loaded by a question that needs no provider

FILE = "session_files"
VERSION = 2
_VALID = 3600.0  # seconds; for what is deeper than the folders recorded
_SETTLED = 15.0
_FOLDERS = 5_000  # of one agent that are watched for something new
SLACK = 2.0  # seconds; of file systems with coarse clocks

UNREAD: Stamp = ()
ABSENT = ""  # in the place of an agent: where agents would be that are not there


class KnownSource(msgspec.Struct, array_like=True):
    """A source as its provider found it, and how it looked; `names` are of the file system."""

    path: bytes
    kind: str
    native_id: bytes | None
    workspace: bytes | None
    name: bytes
    variant: str
    stamp: Stamp = UNREAD
    extra_paths: list[bytes] = []


class KnownAgent(msgspec.Struct, array_like=True):
    """Sources of one agent, and the folders (and where they would be) with their change times."""

    sources: list[KnownSource] = []
    folders: dict[bytes, int] = {}


class Snapshot(msgspec.Struct, array_like=True):
    """All of a home. `log` is the archive's last change (number, time) that this belongs to."""

    version: int
    at: float
    instance: str
    environ: dict[str, str | None]
    log: tuple[int, float]
    agents: dict[str, KnownAgent]

    def is_of(self, archive: Archive) -> bool:
        """Whether an archive's log still holds the change after which this was taken."""
        return derived.holds(archive.log, Position(*self.log))

    def changes(self, now: float) -> "dict[str, list[KnownSource] | None]":
        """The known sources that look different, by agent; None where there may be others."""
        if not self.agents or not 0 <= now - self.at < _VALID:
            return dict.fromkeys([ABSENT, *self.agents])
        changes: dict[str, list[KnownSource] | None] = {}
        for agent, known in self.agents.items():
            if any(change_time(path) != changed for path, changed in known.folders.items()):
                changes[agent] = None
            elif changed := [one for one in known.sources if source_stamp(one) != one.stamp]:
                changes[agent] = changed
        return changes


def kept_stamp(current: Stamp, now: float) -> Stamp:
    """The stamp to keep of a source that was read after `now`; longer if it may change still."""
    return current if is_settled(changed_at(current), now) else (*current, 0)


def is_read(source: KnownSource, current: Stamp) -> bool:
    """Whether a source that looks like `current` was read as it is, as far as stamps can tell."""
    return source.stamp[: len(current)] == current


def is_settled(changed: int, now: float) -> bool:
    """Whether a change time (ns) is so long before `now` that nothing can follow under it."""
    return changed < (now - _SETTLED) * 1e9


def change_time(path: bytes) -> int:
    """When a folder last got, lost or renamed an entry (ns); 0 where there is none."""
    try:
        return changed_at(stamp_of(os.stat(path)))  # noqa: PTH116 - half the cost of a Path
    except OSError:
        return 0


def load_snapshot(root: Path, environ: Mapping[str, str]) -> Snapshot | None:
    """The snapshot in an archive's folder; None where it says nothing of this environment."""
    try:
        snapshot = msgspec.msgpack.decode((root / FILE).read_bytes(), type=Snapshot)
    except (OSError, ValueError):  # also msgspec's errors: of another version, or damaged
        return None
    current = all(environ.get(name) == value for name, value in snapshot.environ.items())
    return snapshot if current and snapshot.version == VERSION else None


def save_snapshot(root: Path, snapshot: Snapshot) -> None:
    """Keep it; without room for it the next look costs more, and nothing else."""
    with suppress(OSError):
        replace_file(root / FILE, msgspec.msgpack.encode(snapshot))


def folder_times(folders: Iterable[Path], now: float) -> dict[bytes, int]:
    """Change times; -1 of a folder that may be changing still, so that it is looked at again."""
    times: dict[bytes, int] = {}
    for folder in folders:
        path = os.fsencode(folder)
        changed = change_time(path)
        times[path] = changed if is_settled(changed, now) else -1
    return times


def folders_in(folder: Path) -> list[Path]:
    """The folders in a folder, without links; none where it is missing or closed to us."""
    try:
        with os.scandir(folder) as entries:
            return [Path(one.path) for one in entries if one.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def folders_below(tops: Iterable[Path]) -> Iterator[Path]:
    """These folders and all below them, the upper ones first, `_FOLDERS` at most."""
    waiting = deque(tops)
    for _ in range(_FOLDERS):
        if not waiting:
            return
        folder = waiting.popleft()
        yield folder
        waiting.extend(folders_in(folder))


class SeenSources:
    """How the sources of one session looked when this process last read them."""

    def __init__(self) -> None:
        self._stamps: dict[str, Stamp] = {}

    def changed(self, sources: "Iterable[Source]", since: float) -> "list[tuple[Source, Stamp]]":
        """Those written since `since` (Unix seconds) that look different, and how they look."""
        changed: list[tuple[Source, Stamp]] = []
        for source in sources:
            current = source_stamp(source)
            if was_written(current, since) and self._stamps.get(source.key) != current:
                changed.append((source, current))
        return changed

    def add(self, source: "Source", stamp: Stamp) -> None:
        """Note that a source that looked like `stamp` was read."""
        self._stamps[source.key] = stamp


def was_written(stamp: Stamp, since: float) -> bool:
    """Whether a file of a stamp was written since `since` (Unix seconds), as far as clocks tell."""
    return modified_at(stamp) >= (since - SLACK) * 1e9
