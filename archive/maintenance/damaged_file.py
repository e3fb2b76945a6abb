"""A data file that LMDB refuses, that is cut short, or that has lost pages, as a store to be read.

It is read through its tree where that is whole, else page by page (`lmdb_scan`): two reads of the
file, and memory for each record. Never writes to it.

Tested in: tests/archive/maintenance/test_maintenance.py
"""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from dejavu.model import CorruptArchiveError

from .. import conversations, raw
from ..backends import layout
from ..backends.backend import Backend
from ..backends.lmdb_backend import replace_store
from ..backends.lmdb_pages import PageReader
from ..backends.lmdb_scan import PageScan
from ..backends.lock import WriterLock
from ..backends.registry import is_url
from ..backends.transaction import Reader, Writer
from ..records import Block, Meta, Source, SummaryRecord, unpack
from .verify import Report, inspect

T = TypeVar("T")


class DamagedFile:
    """A folder with a data file that LMDB refuses, that is cut short or has lost pages.

    It is read through its tree where that is whole, else page by page; no other process writes to it.
    """

    def __init__(self, root: Path) -> None:
        """Read the file in `root`."""
        self.name = str(root)
        self._root = root
        self._fd: int | None = None
        self._reader: Reader | None = None

    def inspect(self, look: Callable[[Reader], T]) -> T:
        """Return the result of `look`, of a reader of what is there.

        Raises:
            CorruptArchiveError: no record of it can be read.
        """
        if self._reader is None:
            self._reader = self._read()
        return look(self._reader)

    def _read(self) -> Reader:
        path = self._root / layout.DATA
        try:
            self._fd = fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise CorruptArchiveError(f"{path} cannot be read: {error.strerror}") from error
        tree: PageReader | None = None
        with suppress(CorruptArchiveError):
            tree = PageReader.newest(fd)
            if tree.is_complete():
                return tree
        return PageScan(fd, _version, tree)

    def rebuild(self, fill: Callable[[Writer], None]) -> Path:
        """Let `fill` write a new store in this one's place; return where the old one is now."""
        lock = WriterLock(self._root)
        try:
            with lock.hold():
                return replace_store(self._root, fill)
        finally:
            lock.close()

    def close(self) -> None:
        """Close the file."""
        self._reader = None
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def _version(table: str, value: bytes) -> int:
    """What tells a newer value of a key from an older one, where a record has such a thing."""
    with suppress(CorruptArchiveError):
        match table:
            case "meta":
                return unpack(value, Meta).sequence
            case "summaries":
                record = unpack(value, SummaryRecord)
                return record.first + conversations.summary_of(record).turn_count
            case "sources":
                source = unpack(value, Source)
                return source.generation << 48 | source.length
            case "turns":
                return unpack(value, Block).count
            case "raw":
                return raw.chunk_length(value)
            case _:
                pass
    return 0


def best_source(
    backend: Backend | DamagedFile, report: Report
) -> tuple[Backend | DamagedFile, Report]:
    """What to copy from: where pages are lost, the file's leaves if more can be read there."""
    if not report.damaged_pages or isinstance(backend, DamagedFile) or is_url(backend.name):
        return backend, report
    file = DamagedFile(Path(backend.name))
    try:
        found = file.inspect(inspect)
    except CorruptArchiveError:
        file.close()
        return backend, report
    if (found.conversations, found.turns, found.chunks) > (
        report.conversations, report.turns, report.chunks,
    ):  # fmt: skip
        return file, found
    file.close()
    return backend, report
