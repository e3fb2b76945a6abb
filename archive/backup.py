"""Backup, restore, and making small: whole copies of the store, put in place at once.

Takes folders; leaves either the whole result or what was there before. A copy is made beside,
made durable, and put in place in one step. Whoever has the store open notices (its file is
another) and opens it anew. Costs O(store).
"""

import ctypes
import os
import shutil
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import lmdb

from dejavu.record import ArchiveError, NotFound

from . import folder, log, migrations
from .environment import Environment, open_environment
from .lock import WriterLock
from .records import FORMAT
from .transaction import Writer


def backup(environment: Environment, target: Path) -> int:
    """A compact copy of the store as it is now, in the new folder `target`; gives its bytes.

    Writers go on meanwhile; the copy is of one moment. The search index is left out: it is
    made anew when the copy is searched.

    Raises:
        ArchiveError: `target` holds something already.
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ArchiveError(f"{target} is there already; name a new folder for the backup")
    with _beside(target) as fresh:
        copy(environment, fresh)
        folder.write_marker(fresh, FORMAT)
        if target.exists():
            target.rmdir()
        fresh.rename(target)
        folder.sync_folder(target.parent)
    return (target / folder.DATA).stat().st_size


def restore(source: Path, root: Path) -> Path | None:
    """Put the backup in `source` in the place of `root`; gives where the old one was moved.

    Raises:
        NotFound: `source` is no archive.
        Corrupt, NewerFormat: it cannot be used; nothing was touched.
    """
    if folder.read_marker(source, FORMAT) is None:
        raise NotFound(f"{source} is no backup of an archive: it has no {folder.MARKER}")
    folder.check_data(source, marked=True)
    root.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    old = root.with_name(f"{root.name}.replaced-{time.time_ns()}") if root.exists() else None
    with _beside(root) as fresh:
        _copy_file(source / folder.DATA, fresh / folder.DATA)
        _begin_anew(fresh)
        folder.write_marker(fresh, FORMAT)
        if old is None:
            fresh.rename(root)
        else:
            with _alone(root):
                exchange(fresh, root)
            fresh.rename(old)
        folder.sync_folder(root.parent)
    return old


def compact(environment: Environment) -> int:
    """Write the store anew without its free pages; gives the bytes that frees.

    What was pruned is gone from the disk after this, and so is the search index: it is made
    anew. The whole folder is exchanged, for LMDB's lock file speaks of one data file alone.
    """
    root = environment.root
    before = environment.size()
    with environment.writer(), _beside(root) as fresh:
        copy(environment, fresh)
        folder.write_marker(fresh, FORMAT)
        exchange(fresh, root)
        folder.sync_folder(root.parent)
    return before - environment.size()


def exchange(one: Path, other: Path) -> None:
    """Let two folders change places, in one step that is seen whole or not at all.

    Raises:
        OSError: the system or its file system cannot (renameat2 with RENAME_EXCHANGE).
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin":
        failed = libc.renamex_np(os.fsencode(one), os.fsencode(other), 2)  # RENAME_SWAP
    else:
        here = -100  # AT_FDCWD: the paths are as they stand
        failed = libc.renameat2(here, os.fsencode(one), here, os.fsencode(other), 2)
    if failed:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), str(other))


@contextmanager
def _alone(root: Path) -> Generator[None]:
    """No writer at the old store while it is moved aside."""
    lock = WriterLock(root)
    try:
        with lock.held():
            yield
    finally:
        lock.close()


def copy(environment: Environment, target: Path) -> None:
    """The store's data file, compact and durable, in the folder `target`."""
    environment.copy(target)
    data = target / folder.DATA
    data.chmod(0o600)
    fd = os.open(data, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
    folder.sync_folder(target)


def _copy_file(source: Path, target: Path) -> None:
    fd = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with source.open("rb") as taken, os.fdopen(fd, "wb") as given:
        shutil.copyfileobj(taken, given, 1 << 20)
        given.flush()
        os.fsync(given.fileno())


def _begin_anew(root: Path) -> None:
    """Bring the copy to today's format and give it an incarnation of its own."""
    environment = open_environment(root, readonly=False)
    try:
        migrations.climb(environment)
        environment.write(_incarnate)
    finally:
        environment.close()


def _incarnate(txn: Writer) -> None:
    meta = log.load_meta(txn)
    if meta is not None:
        meta.incarnation = os.urandom(16)
        log.save_meta(txn, meta)


@contextmanager
def _beside(target: Path) -> Generator[Path]:
    """A private folder next to `target`, gone at the end unless it was moved.

    Raises:
        ArchiveError: the copy could not be written (a full disk).
    """
    fresh = target.with_name(f".{target.name}.{os.getpid()}.new")
    fresh.mkdir(mode=0o700)
    try:
        yield fresh
    except (lmdb.Error, OSError) as error:
        raise ArchiveError(
            f"{target} could not be written ({error}); what was there before is untouched"
        ) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
