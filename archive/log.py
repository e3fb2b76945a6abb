"""The log: what changed, in order, for whatever is derived from the archive; and the archive's own record.

`entries` reads what came after a sequence. The sequence only rises and the log is whole from the
first change on, so an index can always be rebuilt from it. Costs O(entries read).
"""

import os
import time
from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import partial
from typing import Any, NamedTuple

import msgspec

from dejavu.model import ArchiveError, CorruptArchiveError

from .backends.transaction import Reader, Writer, is_wrapped, unwrap
from .keys import META, TABLES, number_key, number_of
from .records import Entry, Meta, pack, unpack

UNFINISHED = b"move"
"""Next to the archive's own record, which is not there yet: the position of a copy (`copy_store.py`)."""
PART = -1
"""The format of what holds `UNFINISHED`: no archive yet."""
_META = TABLES["meta"] + META
_PAGE = 256  # entries read in one transaction


class Change(StrEnum):
    """What happened to a conversation."""

    TURNS = "turns"
    SUMMARY = "head"
    REMOVED = "removed"


class LogEntry(NamedTuple):
    """One change. Turns `start`..`stop` are new or different; those from `stop` on are gone.

    `was` is where the conversation ended before: `start` < `was` means turns were replaced.
    `number` is the conversation's own for its life here; an id that comes back has another.
    """

    sequence: int
    change: Change
    conversation: str
    number: int
    start: int
    stop: int
    was: int
    at: float

    @property
    def replaced(self) -> bool:
        """True if something that stood there before is gone."""
        return self.start < self.was

    @property
    def is_summary_only(self) -> bool:
        """True if no turn was added, replaced or removed."""
        return self.change is not Change.REMOVED and self.start >= max(self.stop, self.was)


def load_meta(txn: Reader) -> Meta | None:
    """The archive's own record; None in a fresh store."""
    value = txn.get("meta", META)
    return None if value is None else unpack(value, Meta)


def last_sequence(txn: Reader) -> int:
    """The last change's number."""
    meta = load_meta(txn)
    return 0 if meta is None else meta.sequence


def require_meta(txn: Reader) -> Meta:
    """The archive's own record.

    Raises:
        CorruptArchiveError: it is lost.
    """
    meta = load_meta(txn)
    if meta is None:
        raise CorruptArchiveError(
            "the archive lost its own record; run `dejavu archive verify --repair`"
        )
    return meta


def begin(txn: Writer) -> None:
    """Begin a store; another process may have done so while we waited."""
    if load_meta(txn) is None:
        save_meta(txn, Meta(archive_id=os.urandom(16), created_at=time.time()))


def save_meta(txn: Writer, meta: Meta) -> None:
    """Keep the archive's own record."""
    txn.put("meta", META, pack(meta))


def written_format(txn: Reader) -> int | None:
    """Return the format the store says it has; None in a fresh one, `PART` in half a copy.

    Raises:
        CorruptArchiveError: its own record cannot be read.
    """
    if txn.stored("meta", META) is None:
        return None if txn.stored("meta", UNFINISHED) is None else PART
    try:
        return int(bare_meta(txn)["format"])
    except (msgspec.MsgspecError, KeyError, TypeError, ValueError) as error:
        raise CorruptArchiveError(
            f"the archive's own record cannot be read ({error}); run `dejavu archive verify --repair`"
        ) from error


def refuse_part(name: str, written: int | None) -> None:
    """Refuse half a copy, which would be taken for a fresh store.

    Raises:
        ArchiveError: it is one.
    """
    if written == PART:
        raise ArchiveError(
            f"{name} holds a part of an archive: the `dejavu archive migrate` into it has not ended; call it "
            "again, and it continues"
        )


def bare_meta(txn: Reader) -> dict[str, Any]:
    """The archive's own record without its schema; format 1 had no checksum around it."""
    value = txn.stored("meta", META) or b"\x80"
    meta: Any = msgspec.msgpack.decode(unwrap(_META, value) if is_wrapped(value) else value)
    return dict(meta)


def append(txn: Writer, meta: Meta, entry: Entry) -> None:
    """Append `entry`; `meta` counts it and is saved by the caller."""
    meta.sequence += 1
    txn.put("log", number_key(meta.sequence), pack(entry))


def log_entry(sequence: int, entry: Entry) -> LogEntry:
    """The entry as others see it."""
    change, *rest = msgspec.structs.astuple(entry)
    return LogEntry(sequence, Change(change), *rest)


def pages(
    read: Callable[[Callable[[Reader], list[LogEntry]]], list[LogEntry]], after: int
) -> Iterator[LogEntry]:
    """All entries with a sequence above `after`, in order, up to now; `read` runs a transaction."""
    while True:
        page = read(partial(entries, after=after, most=_PAGE))
        yield from page
        if len(page) < _PAGE:
            return
        after = page[-1].sequence


def entries(txn: Reader, after: int, most: int) -> list[LogEntry]:
    """Up to `most` entries with a sequence above `after`, in order."""
    log_entries: list[LogEntry] = []
    for key, value in txn.items("log", number_key(after + 1)):
        entry = unpack(value, Entry)
        log_entries.append(log_entry(number_of(key), entry))
        if len(log_entries) >= most:
            break
    return log_entries
