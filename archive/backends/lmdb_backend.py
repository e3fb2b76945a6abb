"""LMDB in one typed place: one environment a folder, short transactions, a map that grows.

`LmdbBackend` runs a function again from the start when the map had to grow. No iterator of ours
lives across a transaction's end: readers are short and never keep old pages alive. Must not be
opened before a fork: a child opens its own.

Opening the same folder again in one process shares the environment (LMDB forbids two). LMDB's
0.9 file format is pinned: the library also carries a 1.0 that writes another. Costs are LMDB's:
O(log n) for a key, O(1) for each next one.
"""

import os
import threading
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TypeVar

import lmdb

from dejavu.config import files
from dejavu.model import ArchiveError, CorruptArchiveError

from ..records import FORMAT
from . import atomic_swap, layout
from .lmdb_pages import PageReader
from .lock import WriterLock, wait_for_open
from .transaction import LmdbReader, LmdbWriter, Reader, Writer

T = TypeVar("T")

FIRST_MAP = 64 << 20
READERS = 510
_GROWTHS = 40  # doublings before we believe that something else is wrong
_NOTHING = (0, 0)
_DAMAGED = (
    lmdb.CorruptedError, lmdb.InvalidError, lmdb.PageNotFoundError, lmdb.VersionMismatchError,
)  # fmt: skip
_open: dict[tuple[int, int], "LmdbBackend"] = {}
_opening = threading.RLock()


class LmdbBackend:
    """One LMDB environment, shared by every `Archive` of this process on the same folder."""

    def __init__(self, root: Path, *, readonly: bool) -> None:
        """Open `root`; use `open_backend`, which shares."""
        self.name = str(root)
        self.root = root
        self.readonly = readonly
        self.far = self.answers = False
        self.users = 0
        self.identity = _NOTHING
        self._pid = os.getpid()
        self._active = 0
        self._idle = threading.Condition()
        self._lock = None if readonly else WriterLock(root)
        try:
            with self._translated():
                self._env = self._map(root)
                self._env.reader_check()
        except BaseException:
            self._close_lock()
            raise

    def _map(self, root: Path) -> lmdb.Environment:
        """Open the files at `root`, both of the same store.

        LMDB opens its lock file and its data file one after the other. If the folder was replaced
        between the two (restore, gc), the lock would speak of another store's transactions, and
        the data would be read by the wrong meta page.
        """
        for _ in range(_GROWTHS):
            before = _identity(root)
            size = (root / layout.DATA).stat().st_size if before != _NOTHING else 0
            if not self.readonly:
                layout.reserve_lock_file(root, READERS)
                wait_for_open(root / layout.LOCK)
            backend = lmdb.Environment(
                str(root),
                map_size=max(FIRST_MAP, 1 << (2 * size).bit_length()),
                readonly=self.readonly,
                lock=not self.readonly,
                create=not self.readonly,
                mode=0o600,
                max_readers=READERS,
                readahead=False,
                lib_version=0,
            )
            self.identity = _identity(root)
            if before in (_NOTHING, self.identity):
                return backend
            backend.close()
        raise ArchiveError(f"the archive {root} keeps being replaced; try again")

    def read(self, look: Callable[[Reader], T]) -> T:
        """Return the result of `look` in one read transaction.

        Raises:
            ArchiveError: closed, opened before a fork, or too many readers.
            CorruptArchiveError: LMDB found a broken page.
        """
        with self._translated():
            for _ in range(_GROWTHS):
                try:
                    with self._transaction(), self._env.begin() as txn:
                        return look(LmdbReader(txn))
                except lmdb.MapResizedError:
                    self._resize(0)
        raise ArchiveError(f"the map of {self.root} keeps changing; try again")

    @property
    def is_in_use(self) -> bool:
        """Whether a transaction is open."""
        return self._active > 0

    def view(self) -> AbstractContextManager[None]:
        """Nothing: each read has its own snapshot, and is local."""
        return nullcontext()

    def inspect(self, look: Callable[[Reader], T]) -> T:
        """As `read`, by reading the file's pages ourselves: slower, but no damage kills us.

        Raises:
            CorruptArchiveError: the file has no meta page that can be used.
        """
        with self._translated():
            for attempt in range(_GROWTHS):
                try:
                    with self._transaction(), self._env.begin() as txn, _data(self.root) as fd:
                        reader = _page_reader(fd, txn.id(), last=attempt == _GROWTHS - 1)
                        if reader is not None:
                            return look(reader)
                except lmdb.MapResizedError:
                    self._resize(0)
        raise ArchiveError(f"the map of {self.root} keeps changing; try again")

    def write(self, change: Callable[[Writer], T], *, patience: float | None = None) -> T:
        """What `change` gives, durable when this returns; nothing at all if it raises.

        Raises:
            ArchiveLockedError: another process kept the writer's place too long.
            ArchiveError: opened read-only, the disk is full, closed, or opened before a fork.
        """
        if self.readonly:
            raise ArchiveError(f"the archive {self.root} was opened read-only")
        with self._translated(), self._held(patience):
            for _ in range(_GROWTHS):
                try:
                    with self._transaction(), self._env.begin(write=True) as txn:
                        result = change(LmdbWriter(txn))
                except lmdb.MapFullError:
                    self._resize(self._env.info()["map_size"] * 2)
                except lmdb.MapResizedError:
                    self._resize(0)
                else:
                    layout.pad_data(self.root)
                    return result
        raise ArchiveError(f"the archive {self.root} outgrew {_GROWTHS} doublings of its map")

    @contextmanager
    def writer(self) -> Generator[None]:
        """Keep other writers out for the length of the block (reads stay free)."""
        with self._held():
            yield

    def copy(self, target: Path) -> None:
        """A compact copy of the whole store as it is now, into the empty folder `target`.

        Raises:
            lmdb.Error: `target` could not be written; what makes the folder names it.
        """
        with self._translated(keep=(lmdb.Error,)), self._transaction():
            self._env.copy(str(target), compact=True)
        atomic_swap.fsync_private(target / layout.DATA)

    def compact(self) -> int:
        """Rewrite the store without its free pages; return the number of bytes freed.

        What was pruned is gone from the disk after this, and so is the search index: it is made
        again. The whole folder is exchanged, for LMDB's lock file speaks of one data file alone.
        """
        before = self.size()
        with self.writer(), atomic_swap.staging_folder(self.root) as fresh:
            self.copy(fresh)
            layout.write_marker(fresh, FORMAT)
            atomic_swap.swap(fresh, self.root)
            files.fsync_folder(self.root.parent)
        return before - self.size()

    def rebuild(self, fill: Callable[[Writer], None]) -> Path:
        """Let `fill` write a new store in this one's place; return where the old one is now."""
        with self.writer():
            return replace_store(self.root, fill)

    def marked(self, newest: int) -> int | None:
        """The format `archive.json` names."""
        return layout.read_marker(self.root, newest)

    def mark(self, written: int) -> None:
        """Write the format into `archive.json`."""
        layout.write_marker(self.root, written)

    def hold_on(self, conversation: str) -> str | None:  # noqa: ARG002 - a folder has no holds
        """None: who may write the files may delete them."""
        return None

    def stale_readers(self) -> int:
        """How many dead readers' places were freed."""
        with self._translated():
            return int(self._env.reader_check())

    @property
    def forked(self) -> bool:
        """True in a child of the process that opened it, where it must not be used."""
        return os.getpid() != self._pid

    def size(self) -> int:
        """Bytes of `data.mdb` on disk."""
        return (self.root / layout.DATA).stat().st_size

    @contextmanager
    def _held(self, patience: float | None = None) -> Generator[None]:
        """Hold the writer's place of the store that is at `root` now."""
        if self._lock is None:
            raise ArchiveError(f"the archive {self.root} was opened read-only")
        for _ in range(_GROWTHS):
            self._renew(writing=True)
            with self._lock.hold(patience):
                if not self._is_stale(writing=True):
                    yield
                    return
        raise ArchiveError(f"the archive {self.root} keeps being replaced; try again")

    def _is_stale(self, *, writing: bool) -> bool:
        """Whether another store was put in this one's place, or we hold the lock of another.

        Lock and data are opened one after the other: the folder may be replaced in between.
        """
        if _identity(self.root) != self.identity:
            return True
        return writing and self._lock is not None and not self._lock.is_in(self.root)

    def _renew(self, *, writing: bool = False) -> None:
        """Open the store again where another was put in its place (restore, gc)."""
        if self.forked:
            raise self._fork_error()
        if not self._is_stale(writing=writing):
            return
        with _opening, self._idle:
            self._idle.wait_for(lambda: self._active == 0)
            if not self._is_stale(writing=writing) or self.users == 0:
                return
            layout.check_data(self.root, marked=True)
            _open.pop(self.identity, None)
            self._env.close()
            self._close_lock()
            self._lock = None if self.readonly else WriterLock(self.root)
            self._env = self._map(self.root)
            _open[self.identity] = self

    @contextmanager
    def _transaction(self) -> Generator[None]:
        self._renew()
        with self._idle:
            if self.users == 0:
                raise ArchiveError(f"the archive {self.root} is closed")
            self._active += 1
        try:
            yield
        finally:
            with self._idle:
                self._active -= 1
                self._idle.notify_all()

    def _resize(self, size: int) -> None:
        """Grow the map to `size` (0: to what another process made it), between transactions."""
        with self._idle:
            self._idle.wait_for(lambda: self._active == 0)
            self._env.set_mapsize(size)

    def _fork_error(self) -> ArchiveError:
        return ArchiveError(f"the archive {self.root} was opened before a fork; open it again here")

    @contextmanager
    def _translated(self, keep: tuple[type[Exception], ...] = ()) -> Generator[None]:
        """LMDB's errors as ours; each names the place and the cure. Of the general ones `keep` stay."""
        try:
            yield
        except _DAMAGED as error:
            raise CorruptArchiveError(
                f"the archive {self.root} is damaged ({error}); `dejavu archive verify --repair` saves what "
                "can be read and moves the damaged one aside, `dejavu archive restore` puts a backup there"
            ) from error
        except lmdb.ReadersFullError as error:
            raise ArchiveError(
                f"the archive {self.root} has {READERS} readers; end some, or run `dejavu archive compact`"
            ) from error
        except keep:
            raise
        except (lmdb.DiskError, lmdb.Error) as error:
            raise ArchiveError(
                f"the archive {self.root} could not be used ({error}); nothing of this change "
                "was kept, everything before it is there: free some space or repair the disk"
            ) from error

    def close(self) -> None:
        """Let go; the last user closes the environment."""
        with _opening:
            self.users -= 1
            if self.users > 0:
                return
            _open.pop(self.identity, None)
            with self._idle:
                self._idle.wait_for(lambda: self._active == 0)
            if not self.forked:
                self._env.close()
            self._close_lock()

    def _close_lock(self) -> None:
        if self._lock is not None:
            self._lock.close()


@contextmanager
def _data(root: Path) -> Generator[int]:
    fd = os.open(root / layout.DATA, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield fd
    finally:
        os.close(fd)


def _page_reader(fd: int, txn: int, *, last: bool) -> PageReader | None:
    """A reader of the snapshot; None where writers have overtaken it since it began."""
    try:
        return PageReader.of(fd, txn)
    except CorruptArchiveError:
        if last:
            raise
        return None


def open_backend(root: Path, *, readonly: bool) -> LmdbBackend:
    """The backend of `root`: the one this process has open, or a new one."""
    with _opening:
        backend = _open.get(_identity(root))
        if backend is None or backend.forked:
            backend = LmdbBackend(root, readonly=readonly)
            _open[backend.identity] = backend
        backend.users += 1
        return backend


def name_in_use() -> str | None:
    """The name of a backend that has a transaction open in this process; None where none has."""
    for backend in list(_open.values()):
        if backend.is_in_use:
            return backend.name
    return None


def replace_store(root: Path, fill: Callable[[Writer], None]) -> Path:
    """Let `fill` write a new store in the place of that in `root`; return where the old one is now.

    The caller keeps other writers out.
    """
    aside = root.with_name(f"{root.name}.replaced-{time.time_ns()}")
    with atomic_swap.staging_folder(root) as fresh:
        target = open_backend(fresh, readonly=False)
        try:
            target.write(fill)
        finally:
            target.close()
        atomic_swap.fsync_private(fresh / layout.DATA)
        layout.write_marker(fresh, FORMAT)
        atomic_swap.swap(fresh, root)
        fresh.rename(aside)
        files.fsync_folder(root.parent)
    return aside


def _identity(root: Path) -> tuple[int, int]:
    """What tells one store from another whatever its path; no file, no identity."""
    try:
        status = (root / layout.DATA).stat()
    except FileNotFoundError:
        return _NOTHING
    return (status.st_dev, status.st_ino)
