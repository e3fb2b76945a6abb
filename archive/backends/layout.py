"""The archive's folder: made private, checked before anything in it is mapped.

`make_private`, `read_marker` and `check_data` raise an ArchiveError where the folder cannot be
used. Does the I/O that must come before LMDB: owner, links, permission bits, kind of file system,
the marker `archive.json`, and the size of `data.mdb` against its own meta page, because reading
past the end of a mapped file kills the interpreter (SIGBUS). Costs a few system calls.
"""

import json
import os
import re
import stat
import struct
import sys
from pathlib import Path
from typing import Any

from dejavu.config import files
from dejavu.config.files import replace_file
from dejavu.model import (
    ArchiveError,
    ConfigError,
    CorruptArchiveError,
    NewerFormatError,
    NotFoundError,
)

from .lock import LOCK_FILES

DATA = "data.mdb"
MARKER = "archive.json"
SEARCH = "search"
LOCK = "lock.mdb"
_FILES = frozenset((DATA, LOCK, MARKER, f"{MARKER}.new", *LOCK_FILES))
_LOCK_HEAD, _LOCK_READER = 192, 64  # bytes of MDB_txninfo and of a reader's place in it
_OURS = _FILES | {SEARCH}

# statfs(2) f_type of file systems whose pages other machines change behind the mapping, or that
# map through a user process: lmdb.h says "do not use LMDB databases on remote filesystems".
_REMOTE = {
    0x6969: "NFS", 0xFF534D42: "CIFS", 0xFE534D42: "SMB2", 0x517B: "SMB", 0x65735546: "FUSE",
    0x01021997: "9P", 0x5346414F: "AFS", 0x73757245: "Coda", 0x00C36400: "Ceph",
    0x47504653: "GPFS", 0x0BD00BD0: "Lustre",
}  # fmt: skip
_ON_DEVICES = re.compile(rb" (?:fuseblk|gpfs) ")
"""Those of them that have a device, as a disk has."""

# LMDB 0.9 (mdb.c: MDB_page, MDB_meta, MDB_db), 64-bit: a 16-byte page header, then magic,
# version, address, map size, two 48-byte database records (the first begins with the page size),
# last page number, transaction id.
_META = struct.Struct("=16xII8x8xI44x48xQQ")
_MAGIC = 0xBEEFC0DE
_UNWRITTEN = 1 << 30  # bytes that LMDB may count at the end of a file and never have written
_PAGE_SIZES = frozenset(1 << n for n in range(8, 17))


def make_private(root: Path, *, create: bool) -> tuple[str, ...]:
    """Make `root` a folder only its owner can enter; return notes on what was repaired.

    Raises:
        NotFoundError: there is no such folder and `create` is false.
        ArchiveError: a link, someone else's, not a folder, or on a network file system.
        ConfigError: the folder holds other things.
    """
    try:
        status = root.lstat()
    except FileNotFoundError:
        if not create:
            raise NotFoundError(f"there is no archive at {root}; `dejavu sync` makes one") from None
        root.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        root.mkdir(mode=0o700, exist_ok=True)
        status = root.lstat()
    if stat.S_ISLNK(status.st_mode):
        raise ArchiveError(f"{root} is a symbolic link; name the folder it leads to")
    if not stat.S_ISDIR(status.st_mode):
        raise ArchiveError(f"{root} is not a folder; name a folder for the archive")
    _refuse_remote(root, status)
    names = set(os.listdir(root))  # noqa: PTH208 - names alone are wanted
    if not names & {MARKER, DATA} and names - _OURS:
        raise ConfigError(
            f"{root} holds other things and is no archive; name an empty or a new folder"
        )
    return tuple(
        note
        for path in (root, *(root / name for name in sorted(names & _OURS)))
        for note in _private(path, is_root=path is root)
    )


def check_regular(root: Path) -> None:
    """Refuse a folder whose own files are pipes, devices or folders: opening a pipe may never end.

    Raises:
        ArchiveError: one of them is.
    """
    for path in (root / name for name in _FILES):
        if path.exists():
            _expect_regular(path, path.stat())


def _expect_regular(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise ArchiveError(f"{path} is not a regular file, as an archive's own are; move it away")


def _private(path: Path, *, is_root: bool = False) -> list[str]:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return []  # gc or restore has put another in its place meanwhile, made private by them
    if stat.S_ISLNK(status.st_mode):
        raise ArchiveError(
            f"{path} is a symbolic link; the archive's own files never are: remove it"
        )
    if path.name in _FILES and not is_root:
        _expect_regular(path, status)
    if status.st_uid != os.geteuid():
        raise ArchiveError(
            f"{path} belongs to user {status.st_uid}, not to {os.geteuid()}; "
            "open it as its owner, or copy the archive with `dejavu archive backup`"
        )
    open_bits = status.st_mode & 0o077
    if not open_bits:
        return []
    try:
        path.chmod(stat.S_IMODE(status.st_mode) & 0o700)
    except OSError as error:
        return [f"{path} can be entered by others (mode {open_bits:03o}): {error.strerror}"]
    return [f"{path} could be entered by others (mode {open_bits:03o}); closed it"]


def _refuse_remote(root: Path, status: os.stat_result) -> None:
    if not sys.platform.startswith("linux"):
        return  # f_type has these meanings on Linux alone
    if os.major(status.st_dev) and not _ON_DEVICES.search(_mounts()):
        return  # a disk: only disks have a device number, and asking costs a prompt 2 ms
    import ctypes  # only where a folder is asked about

    buffer = ctypes.create_string_buffer(256)
    if ctypes.CDLL(None, use_errno=True).statfs(os.fsencode(root), buffer) != 0:
        return
    kind = ctypes.c_long.from_buffer(buffer).value & 0xFFFFFFFF
    if kind in _REMOTE:
        raise ArchiveError(
            f"{root} is on a network or user-space file system ({_REMOTE[kind]}), where a mapped "
            "database is not safe; set DEJAVU_ARCHIVE to a folder on a local disk"
        )


def _mounts() -> bytes:
    """What is mounted; where it is not told, what may be a file system in user space."""
    try:
        return Path("/proc/self/mounts").read_bytes()
    except OSError:
        return b" fuseblk "  # it has to be asked about


def writable(root: Path) -> bool:
    """False on read-only media, or where the files may not be written."""
    return all(os.access(path, os.W_OK) for path in (root, root / DATA) if path.exists())


def read_marker(root: Path, newest: int) -> int | None:
    """The format the marker names, None without a marker.

    Raises:
        NewerFormatError: it is above `newest`; nothing was touched.
        CorruptArchiveError: the marker cannot be read.
    """
    try:
        marker: Any = json.loads((root / MARKER).read_bytes())
        written = int(marker["format"])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise CorruptArchiveError(
            f"{root / MARKER} cannot be read ({error}); `dejavu archive verify --repair` writes it again"
        ) from error
    refuse_newer(root, written, newest)
    return written


def refuse_newer(root: Path | str, written: int, newest: int) -> None:
    """Raise NewerFormat where `written` is above `newest`."""
    if written > newest:
        raise NewerFormatError(
            f"the archive {root} has format {written}, this program knows up to {newest}; "
            "upgrade it with `dejavu init --upgrade` (nothing was touched)"
        )


def reserve_lock_file(root: Path, readers: int) -> None:
    """Give LMDB's lock file its blocks where there is none yet.

    LMDB maps it with holes: on a full disk the first touch of one would end us by SIGBUS. A file
    that is there is left alone, for closing it would drop LMDB's own locks on it.

    Raises:
        OSError: there is no room for it.
    """
    if not hasattr(os, "posix_fallocate"):  # macOS
        return
    path = root / LOCK
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return
    try:
        os.posix_fallocate(fd, 0, _LOCK_HEAD + (readers - 1) * _LOCK_READER)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(root)) from error
    finally:
        os.close(fd)


def is_partial(root: Path) -> bool:
    """Whether a backup holds only what a member of a team could read."""
    marker: Any = json.loads((root / MARKER).read_bytes())
    return bool(marker.get("partial"))


def write_marker(root: Path, written: int, *, partial: bool = False) -> None:
    """Put the marker in place, whole or not at all."""
    told = {"partial": True} if partial else {}
    text = json.dumps({"kind": "dejavu archive", "format": written, **told}) + "\n"
    replace_file(root / MARKER, text, durable=True)
    files.fsync_folder(root)


def check_data(root: Path, *, marked: bool) -> None:
    """Refuse a `data.mdb` that would be silently emptied, or would kill us when mapped.

    Raises:
        CorruptArchiveError: missing or empty although the marker says there was one; not LMDB's; cut short.
    """
    path = root / DATA
    cure = (
        "`dejavu archive verify --repair` saves what can be read and moves the damaged one aside, then "
        "`dejavu sync` reads your agents' files; `dejavu archive restore` puts a backup there"
    )
    try:
        size, wanted = data_size(root)
    except FileNotFoundError:
        if marked:
            raise CorruptArchiveError(f"{path} is gone; {cure}") from None
        return
    if not size:
        if marked:
            raise CorruptArchiveError(f"{path} is empty; {cure}")
        return
    if not wanted:
        raise CorruptArchiveError(f"{path} does not begin as an LMDB file; {cure}")
    if wanted > 2 * size + _UNWRITTEN:
        raise CorruptArchiveError(f"{path} counts {wanted} bytes and has {size}; {cure}")
    if size < wanted and not _readable(root):
        raise CorruptArchiveError(f"{path} was cut short: {size} of {wanted} bytes; {cure}")


def data_size(root: Path) -> tuple[int, int]:
    """(bytes of `data.mdb`, bytes its newest meta page counts; 0: it has no meta page)."""
    with (root / DATA).open("rb") as file:
        head = file.read(1 << 16 | _META.size)
        size = os.fstat(file.fileno()).st_size
    pages, page_size = _last_page(head)
    return size, (pages or 0) * page_size


def pad_data(root: Path) -> None:
    """Give `data.mdb` the length its meta page counts; the caller holds the writer's place."""
    size, wanted = data_size(root)
    if size < wanted:
        os.truncate(root / DATA, wanted)


def _last_page(head: bytes) -> tuple[int | None, int]:
    """(number of pages the newest meta page counts, page size); None if there is no meta page."""
    newest: tuple[int, int] | None = None
    size = 0
    for page in (0, 1):
        if len(head) < size * page + _META.size:
            break
        magic, version, page_size, last, txn = _META.unpack_from(head, size * page)
        if magic != _MAGIC or version & 0xFFFF != 1 or page_size not in _PAGE_SIZES:
            continue
        size = page_size
        newest = max(newest or (-1, 0), (txn, last))
    return (None, 0) if newest is None else (newest[1] + 1, size)


def _readable(root: Path) -> bool:
    """Whether every page in use is there: LMDB may count pages at the end that it never wrote."""
    from .lmdb_pages import is_whole  # for a case that hardly ever comes

    return is_whole(root / DATA)
