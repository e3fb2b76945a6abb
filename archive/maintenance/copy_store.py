"""One store made equal to another of any kind: a folder or a server, both ways, page by page.

`copy_store` can be ended at any moment and continues: its position is in the target, which no
program takes for an archive until all of it is there. Afterwards both are read in step until a
whole reading finds no record that differs; what was written to the source meanwhile is copied by
that. The source is only read. Costs O(store) for the copy and for each reading, 8 MiB of memory.
"""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from dejavu.config import files
from dejavu.model import ArchiveError, CorruptArchiveError
from dejavu.model.blake2 import blake2b

from .. import log
from ..backends import layout
from ..backends.backend import Backend
from ..backends.lock import WriterLock
from ..backends.registry import is_url, open_store, open_url
from ..backends.transaction import Reader, Writer, unwrap
from ..keys import META, TABLES
from ..records import FORMAT

_ORDER = (
    "summaries", "numbers", "sources", "raw", "states", "turns", "links", "order", "log", "pruned",
    "namespaces",
)  # fmt: skip
"""Tables as they are copied: turns refer to raw, and what a server makes of them to summaries."""
_PAGE = 8 << 20  # bytes of a page
_ROWS = 10_000
_READINGS = 5
Page = list[tuple[bytes, bytes]]


class Position(msgspec.Struct, kw_only=True):
    """How far a copy is: what `UNFINISHED` holds in the target."""

    archive_id: bytes
    """The source's."""
    table: int = 0
    key: bytes = b""
    """Everything of the tables before, and the keys of this one before it, are copied."""
    records: int = 0
    size: int = 0


class CopyReport(NamedTuple):
    """What both stores hold now; `damaged` records were copied as they are."""

    records: int
    size: int
    damaged: int
    changed: int
    """Records written after they were first read, because the source had changed."""
    continued: bool
    """Whether an earlier copy was gone on with."""
    checksum: str
    """BLAKE2b of all tables, keys and values in order, the same of both stores."""


Progress = Callable[[int, int], None]
"""Gets how many records and bytes are copied."""


def copy_store(source: Backend, target: Backend, progress: Progress) -> CopyReport:
    """Make `target`, empty or the target of a copy that was ended, equal to `source`.

    The target's own record is new: it is another archive from now on.

    Raises:
        ArchiveError: the target holds something else, or the source changed in every reading.
    """
    identity = source.read(archive_id)
    found = target.read(position_of)
    position = found or Position(archive_id=identity)
    if position.archive_id != identity:
        raise ArchiveError(
            f"{target.name} holds a part of another archive, of a copy that was ended; "
            "--replace sets it aside"
        )
    if found is None:
        _refuse_used(target)
        target.write(lambda txn: _note(txn, position))
    _copy(source, target, position, progress)
    report = _compare(source, target)
    _finish(source, target)
    return report._replace(continued=found is not None)


def set_aside(location: str, identity: bytes) -> str | None:
    """Move what is at `location` out of the way; return its name now, None where there was nothing.

    The beginning of a copy of the archive with that `archive_id` stays: it is gone on with.

    Raises:
        ArchiveError: it is no archive, or cannot be moved.
    """
    if not is_url(location) and not Path(location).exists():
        return None
    target = open_store(location, create=True, readonly=False).backend
    try:
        position = target.read(position_of)
        if position is not None and position.archive_id == identity:
            return None
        if is_url(location):
            server = open_url(location, create=True)
            aside = f"dejavu_records_replaced_{time.time_ns()}"
            try:
                return aside if server.write(lambda txn: txn.set_aside(aside)) else None
            finally:
                server.close()
    finally:
        target.close()
    return _rename(Path(location))


def _rename(root: Path) -> str | None:
    if not (root / layout.DATA).exists():
        return None
    aside = root.with_name(f"{root.name}.replaced-{time.time_ns()}")
    lock = WriterLock(root)
    try:
        with lock.hold():
            root.rename(aside)
            files.fsync_folder(root.parent)
    finally:
        lock.close()
    return str(aside)


def archive_id(txn: Reader) -> bytes:
    """What tells this archive from all others.

    Raises:
        ArchiveError: there is none: the store is empty. Or a part of it alone may be read here.
    """
    if txn.partial:
        raise ArchiveError(
            "this login may not read all of the archive, and what it may not read would be missing; "
            "`dejavu archive backup FOLDER` copies what it may read"
        )
    meta = log.load_meta(txn)
    if meta is None:
        raise ArchiveError("the archive to be copied is empty")
    return meta.archive_id


def position_of(txn: Reader) -> Position | None:
    """How far a copy into this store is; None where there is none."""
    value = txn.get("meta", log.UNFINISHED)
    return None if value is None else msgspec.msgpack.decode(value, type=Position)


def _refuse_used(target: Backend) -> None:
    def used(txn: Reader) -> bool:
        return any(next(txn.keys(table), None) is not None for table in TABLES)

    if target.read(used):
        raise ArchiveError(
            f"{target.name} is an archive already; name an empty place, or --replace sets it aside"
        )


def _note(txn: Writer, position: Position) -> None:
    txn.put("meta", log.UNFINISHED, msgspec.msgpack.encode(position))


def _copy(source: Backend, target: Backend, position: Position, progress: Progress) -> None:
    while position.table < len(_ORDER):
        table = _ORDER[position.table]
        page = source.read(lambda txn: _page(txn, table, position.key))  # noqa: B023 - read at once
        if page:
            position.key = page[-1][0] + b"\0"
            position.records += len(page)
            position.size += sum(len(key) + len(value) for key, value in page)
        else:
            position.table, position.key = position.table + 1, b""

        def put(txn: Writer) -> None:
            for key, value in page:  # noqa: B023 - as above
                txn.put_stored(table, key, value)  # noqa: B023 - called before the loop moves on
            _note(txn, position)

        target.write(put)
        progress(position.records, position.size)


def _page(txn: Reader, table: str, start: bytes, stop: bytes | None = None) -> Page:
    """The records from `start` on, about 8 MiB of them."""
    page: Page = []
    size = 0
    for key, value in txn.stored_items(table, start, stop):
        page.append((key, value))
        size += len(key) + len(value)
        if size >= _PAGE or len(page) >= _ROWS:
            break
    return page


def _compare(source: Backend, target: Backend) -> CopyReport:
    """Read both until a whole reading finds them equal, writing what is not."""
    changed = 0
    for _ in range(_READINGS):
        before = source.read(log.last_sequence)
        report = _read_in_step(source, target)
        changed += report.changed
        if not report.changed and source.read(log.last_sequence) == before:
            return report._replace(changed=changed)
    raise ArchiveError(
        f"{source.name} changes all the time; end what writes to it (`dejavu daemon stop`, syncs, "
        "wrapped agents) and call this again: it continues"
    )


def _read_in_step(source: Backend, target: Backend) -> CopyReport:
    """One reading: what differs is written; the checksum is that of the target."""
    digest = blake2b(digest_size=16)
    records = size = damaged = changed = 0
    for table, start, page, stop in _pages(source):
        there = dict(target.read(lambda txn: _all(txn, table, start, stop)))  # noqa: B023 - read at once
        wrong = [(key, value) for key, value in page if there.get(key) != value]
        gone = there.keys() - {key for key, _ in page}
        if wrong or gone:
            target.write(lambda txn: _mend(txn, table, wrong, gone))  # noqa: B023 - as above
        changed += len(wrong) + len(gone)
        for key, value in page:
            damaged += not _is_whole(table, key, value)
            for part in (TABLES[table], key, value):
                digest.update(len(part).to_bytes(8, "big") + part)
            records += 1
            size += len(key) + len(value)
    return CopyReport(records, size, damaged, changed, False, digest.hexdigest())


def _pages(source: Backend) -> Iterator[tuple[str, bytes, Page, bytes | None]]:
    """(table, start, records, stop): the pages of the source, that leave no key out."""
    for table in _ORDER:
        start = b""
        while True:
            page = source.read(lambda txn: _page(txn, table, start))  # noqa: B023 - read at once
            stop = page[-1][0] + b"\0" if page else None
            yield table, start, page, stop
            if stop is None:
                break
            start = stop


def _all(txn: Reader, table: str, start: bytes, stop: bytes | None) -> Page:
    return list(txn.stored_items(table, start, stop))


def _mend(txn: Writer, table: str, wrong: Page, gone: set[bytes]) -> None:
    for key, value in wrong:
        txn.put_stored(table, key, value)
    for key in gone:
        txn.delete(table, key)


def _is_whole(table: str, key: bytes, value: bytes) -> bool:
    try:
        unwrap(TABLES[table] + key, value)
    except CorruptArchiveError:
        return False
    return True


def _finish(source: Backend, target: Backend) -> None:
    """Make an archive of the target: its own record comes last."""
    meta = source.read(log.load_meta)
    if meta is None:
        raise ArchiveError(
            f"{source.name} lost its own record; run `dejavu archive verify --repair`"
        )

    def found(txn: Writer) -> None:
        log.save_meta(txn, msgspec.structs.replace(meta, archive_id=os.urandom(16)))
        txn.delete("meta", log.UNFINISHED)

    if target.read(lambda txn: txn.stored("meta", META)) is not None:
        raise ArchiveError(
            f"another program began an archive in {target.name}; --replace sets it aside"
        )
    target.write(found)
    with target.writer():
        target.mark(FORMAT)
