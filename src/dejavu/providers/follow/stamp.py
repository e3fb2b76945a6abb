"""How a session's files look: the one test of whether any of them changed.

A stamp is size, modification time, change time and inode of each file. The change time also moves
where a file is replaced by one of the same size, or its modification time is set back. A database
is its file and its write-ahead log; an emptied log says the same as none, for an agent empties it
by merely looking. The cursors in the archive hold what these functions say, and every caller that
asks without the archive asks them too. Reads no content. No provider is loaded.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

Stamp = tuple[int, ...]
"""Four numbers a file: bytes, modification time (ns), change time (ns), inode."""

MISSING: Stamp = (0, 0, 0, 0)
SIDE_FILES = ("-wal", "-shm", "-journal")
"""What SQLite puts after a database's name for the files next to it."""

_LOG, _INDEX, _ = SIDE_FILES


class SourceFiles(Protocol):
    """The files of a source; `kind` is one of `protocol.Kind`."""

    @property
    def path(self) -> bytes | Path:
        """The file that it is known by."""
        ...

    @property
    def kind(self) -> str:
        """Each file of a "database" has a log."""
        ...

    @property
    def extra_paths(self) -> Sequence[bytes | Path]:
        """What else it consists of."""
        ...


class FileMark(Protocol):
    """What the cursor of a file keeps of how it looked."""

    @property
    def size(self) -> int:
        """Bytes; -1 if it was not read to its end."""
        ...

    @property
    def mtime(self) -> int:
        """Modification time, ns."""
        ...

    @property
    def inode(self) -> int:
        """0 if it did not come from a file."""
        ...

    @property
    def ctime(self) -> int:
        """Change time, ns; 0 in cursors of versions that did not keep it."""
        ...


def stamp_of(status: os.stat_result) -> Stamp:
    """The stamp of a file whose status is known."""
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def file_stamp(path: bytes | str | Path) -> Stamp:
    """How one file looks.

    Raises:
        OSError: there is none.
    """
    return stamp_of(os.lstat(path))


def database_stamp(path: bytes | str | Path) -> Stamp:
    """How a database looks: its file, then its log.

    Raises:
        OSError: there is none.
    """
    database = file_stamp(path)
    try:
        log = file_stamp(os.fsencode(path) + _LOG.encode())
    except OSError:
        log = MISSING
    return database + (log if log[0] else MISSING)


def source_stamp(source: SourceFiles) -> Stamp:
    """How all files of a source look; `MISSING` in the place of one that is not there."""
    database = source.kind == "database"
    look = database_stamp if database else file_stamp
    missing = MISSING * 2 if database else MISSING
    try:
        stamp = look(source.path)
    except (OSError, ValueError):  # ValueError: a NUL in the name
        stamp = missing
    for path in source.extra_paths:
        try:
            stamp += look(path)
        except (OSError, ValueError):
            stamp += missing
    return stamp


def is_unchanged(status: os.stat_result, mark: FileMark) -> bool:
    """Whether a file still looks as its cursor says."""
    size, modified, changed, inode = stamp_of(status)
    same = (size, modified, inode) == (mark.size, mark.mtime, mark.inode)
    return same and mark.ctime in (0, changed)


def bytes_of(stamp: Stamp) -> int:
    """Bytes of all files of a stamp."""
    return sum(stamp[0::4])


def modified_at(stamp: Stamp) -> int:
    """When the last of its files was written, as its time says (ns); 0 if all are gone."""
    return max(stamp[1::4], default=0)


def changed_at(stamp: Stamp) -> int:
    """When the last of its files changed in any way (ns), which no program can set; 0 if all are gone."""
    return max(stamp[2::4], default=0)


def log_of(path: Path) -> Path:
    """The write-ahead log of a database."""
    return side_file(path, _LOG)


def index_of(path: Path) -> Path:
    """The index (shared memory) of a database's log."""
    return side_file(path, _INDEX)


def side_file(path: Path, ending: str) -> Path:
    """The file next to a database whose name has this of `SIDE_FILES` at its end."""
    return path.with_name(path.name + ending)


def side_files(path: Path) -> tuple[Path, ...]:
    """Every file that SQLite may put next to a database."""
    return tuple(side_file(path, ending) for ending in SIDE_FILES)


def database_of(name: str) -> str:
    """The name of the database that a side file belongs to; any other name as it is."""
    for ending in SIDE_FILES:
        if name.endswith(ending):
            return name.removesuffix(ending)
    return name
