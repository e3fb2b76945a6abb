"""What agents' session files looked like when they were last read: whether any changed since.

A file beside the store, made anew whenever it is missing, damaged, or of another archive,
environment or version; after `_VALID` seconds all folders are looked into again. Comparing costs a
stat a session file, a folder that may get one, and a mark of an agent that is not there; no
provider is loaded.

A stamp is size, modification time, change time and inode: the change time also moves where a file
is replaced by one of the same size or its modification time is set back. What changed in the last
`_SETTLED` seconds (or, by a wrong clock, later than now) is looked at again: a clock tick may hold
two writes, and half a document waits for its rest.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from dejavu.config.files import replace_file

FILE = "session_files"
VERSION = 1
_VALID = 3600.0  # seconds; for what is deeper than the folders recorded
_SETTLED = 15.0
_SIDE = (b"-wal", b"-journal")  # files beside a database that change in its place

Stamp = tuple[int, ...]
UNREAD: Stamp = ()
_MISSING: Stamp = (0, 0, 0, 0)
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

    def changes(self, now: float) -> "dict[str, list[KnownSource] | None]":
        """The known sources that look different, by agent; None where there may be others."""
        if not self.agents or not 0 <= now - self.at < _VALID:
            return dict.fromkeys([ABSENT, *self.agents])
        changes: dict[str, list[KnownSource] | None] = {}
        for agent, known in self.agents.items():
            if any(change_time(path) != changed for path, changed in known.folders.items()):
                changes[agent] = None
            elif changed := [one for one in known.sources if not _is_same(one)]:
                changes[agent] = changed
        return changes


def _is_same(source: KnownSource) -> bool:
    """Whether a source looks as it did. This is what 10,000 sources cost 10,000 times."""
    if source.kind == "database":
        return stamp(source) == source.stamp
    try:
        now = os.lstat(source.path)
    except OSError:
        return source.stamp == _MISSING
    return (now.st_size, now.st_mtime_ns, now.st_ctime_ns, now.st_ino) == source.stamp


def stamp(source: KnownSource) -> Stamp:
    """How a source looks now."""
    if source.kind != "database":
        return _stamp(source.path)
    return sum((_stamp(source.path + ending) for ending in (b"", *_SIDE)), UNREAD)


def kept_stamp(current: Stamp, now: float) -> Stamp:
    """The stamp to keep of a source that was read after `now`; longer if it may change still."""
    return current if is_settled(max(current[2::4], default=0), now) else (*current, 0)


def is_read(source: KnownSource, current: Stamp) -> bool:
    """Whether a source that looks like `current` was read as it is, as far as stamps can tell."""
    return source.stamp[: len(current)] == current


def is_settled(changed: int, now: float) -> bool:
    """Whether a change time (ns) is so long before `now` that nothing can follow under it."""
    return changed < (now - _SETTLED) * 1e9


def change_time(path: bytes) -> int:
    """When a folder last got, lost or renamed an entry (ns); 0 where there is none."""
    try:
        return os.stat(path).st_ctime_ns  # noqa: PTH116 - half the cost of a Path, 10,000 times
    except OSError:
        return 0


def _stamp(path: bytes) -> Stamp:
    try:
        status = os.lstat(path)
    except OSError:
        return _MISSING
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


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
