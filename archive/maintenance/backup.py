"""Backup and restore: whole copies of the store, put in place at once.

Either the whole result is in the target afterwards, or what was there before. A backup is a
folder with an LMDB store, whatever it was taken from. Costs O(store).
"""

import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from dejavu.config import files
from dejavu.model import ArchiveError, NotFoundError

from .. import log
from ..backends import atomic_swap, layout, pages
from ..backends.audit import note_work
from ..backends.backend import Backend
from ..backends.lmdb_backend import open_backend
from ..backends.lock import WriterLock
from ..backends.registry import is_url, open_url
from ..backends.transaction import Reader, Writer
from ..records import FORMAT
from . import migrations


def backup(backend: Backend, target: Path) -> int:
    """Write a compact copy of the store to the new folder `target`; return its size in bytes.

    Writers go on meanwhile; the copy is of one moment. The search index is left out: it is
    rebuilt when the copy is searched.

    Raises:
        ArchiveError: `target` holds something already.
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ArchiveError(f"{target} is there already; name a new folder for the backup")
    with atomic_swap.staging_folder(target) as fresh:
        backend.copy(fresh)
        layout.write_marker(fresh, FORMAT, partial=backend.read(lambda txn: txn.partial))
        if target.exists():
            target.rmdir()
        fresh.rename(target)
        files.fsync_folder(target.parent)
    return (target / layout.DATA).stat().st_size


def restore(source: str | Path, root: str | Path) -> Path | str | None:
    """Put a backup in the place of the archive `root` (a folder or a URL).

    Return where the old one was moved: a folder, or a table on the server.

    Raises:
        NotFoundError: `source` is no backup.
        CorruptArchiveError, NewerFormatError: it cannot be used; nothing was touched.
        ArchiveLockedError, ArchiveError: the server refused; nothing was touched.
    """
    taken = Path(source).expanduser().absolute()
    _check(taken)
    if is_url(root):
        if layout.is_partial(taken):
            raise ArchiveError(
                f"{taken} holds what one member could read, not the whole archive; restore it into a folder, "
                "or put it on another server with `dejavu archive migrate`"
            )
        return _restore_to_server(taken, str(root))
    return _restore_folder(taken, Path(root).expanduser().absolute())


def _restore_folder(source: Path, root: Path) -> Path | None:
    root.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    old = root.with_name(f"{root.name}.replaced-{time.time_ns()}") if root.exists() else None
    with atomic_swap.staging_folder(root) as fresh:
        atomic_swap.copy_file(source / layout.DATA, fresh / layout.DATA)
        _begin_anew(fresh)
        layout.write_marker(fresh, FORMAT)
        if old is None:
            fresh.rename(root)
        else:
            with _alone(root):
                atomic_swap.swap(fresh, root)
            fresh.rename(old)
        files.fsync_folder(root.parent)
    return old


def _restore_to_server(source: Path, url: str) -> str | None:
    """In one transaction."""
    taken = open_backend(source, readonly=True)
    try:
        opened = open_url(url, create=True)
        try:
            old = opened.rebuild(partial(_fill, source=taken))
            migrations.migrate(opened)
            note_work(opened, "restore", str(source))
        finally:
            opened.close()
    finally:
        taken.close()
    return None if old is None else str(old)


def _fill(txn: Writer, source: Backend) -> None:
    def look(stored: Reader) -> None:
        for page in pages.pages(stored):
            pages.put(txn, page)

    source.read(look)
    _new_archive_id(txn)


def _check(source: Path) -> None:
    layout.check_regular(source)
    if layout.read_marker(source, FORMAT) is None:
        raise NotFoundError(f"{source} is not a backup of an archive: it has no {layout.MARKER}")
    layout.check_data(source, marked=True)


@contextmanager
def _alone(root: Path) -> Generator[None]:
    """No writer at the old store while it is moved aside."""
    lock = WriterLock(root)
    try:
        with lock.hold():
            yield
    finally:
        lock.close()


def _begin_anew(root: Path) -> None:
    """Bring the copy to today's format and give it its own incarnation."""
    backend = open_backend(root, readonly=False)
    try:
        migrations.migrate(backend)
        backend.write(_new_archive_id)
    finally:
        backend.close()


def _new_archive_id(txn: Writer) -> None:
    meta = log.load_meta(txn)
    if meta is not None:
        meta.archive_id = os.urandom(16)
        log.save_meta(txn, meta)
