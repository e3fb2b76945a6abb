"""What can be read of a damaged archive: single conversations, and a file that LMDB cannot open.

A conversation whose blocks are damaged in part gives the turns of the others, with a turn of role
`system` where some are missing, so that nobody takes it for whole. Costs O(turns) a conversation.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from dejavu.model import Conversation, CorruptArchiveError, Role, Text, Turn, TurnUpdate

from .. import conversations, raw, turns
from ..backends import layout
from ..backends.lmdb_backend import replace_store
from ..backends.lmdb_pages import PageReader
from ..backends.lmdb_scan import PageScan
from ..backends.lock import WriterLock
from ..backends.transaction import Reader, Writer
from ..checksum import unwrap
from ..keys import TABLES, block_key, block_of, number_of
from ..records import Block, Meta, Source, SummaryRecord, from_text, unpack
from .verify import sound_items

T = TypeVar("T")


DAMAGED = "damaged"
"""In the meta of a turn that stands for turns that were lost."""


UNKNOWN = "unknown"
"""The agent of a conversation of which only turns are left."""


class Salvaged(NamedTuple):
    """What is left of a conversation, with the turns from `first` on.

    `lost` turns are not in it; None where nobody knows how many.
    """

    conversation: Conversation
    first: int
    lost: int | None

    @property
    def update(self) -> TurnUpdate:
        """What puts it into an archive."""
        return TurnUpdate(self.conversation, self.first, self.conversation.turns)


class DamagedFile:
    """A folder with a data file that LMDB refuses, that is cut short or has lost pages.

    It is read through its tree where that is whole, else page by page; nobody else writes to it.
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


def salvage_from(root: Path, wanted: Iterable[str]) -> Iterator[Salvaged]:
    """Yield what is left of these conversations in the archive that was moved to `root`."""
    file = DamagedFile(root)
    try:
        for identity in wanted:
            if (salvaged := file.inspect(partial(salvage, identity=identity))) is not None:
                yield salvaged
    finally:
        file.close()


def salvage(txn: Reader, identity: str) -> Salvaged | None:
    """Return what can be read of a damaged conversation; None where no turn can."""
    record, number = _record(txn, identity)
    summary = None if record is None else conversations.summary_of(record)
    if number is None:
        return None
    first = 0 if record is None else record.first
    end: int | None = first
    readable: list[Turn] = []
    gaps: list[int | None] = []

    def gap(count: int | None) -> None:
        if count != 0:
            gaps.append(count)
            readable.append(_gap(count))

    start, stop = block_key(number, 0), block_key(number + 1, 0)
    for key, stored in txn.stored_items("turns", start, stop):
        seq = block_of(key)[1]
        if end is not None and seq < end:
            continue  # an older block of what was just read, in a page that was given up
        gap(None if end is None else seq - end)
        count, texts = _read(txn, key, stored)
        if texts is None:
            gap(count)
        else:
            readable += texts
        end = None if count is None else seq + count
    if end is not None and summary is not None:
        gap(first + summary.turn_count - end)
    if len(gaps) == len(readable):
        return None
    bare = summary or Conversation(id=identity, agent=UNKNOWN)
    whole = bare.with_turns(tuple(msgspec.structs.replace(turn, spans=()) for turn in readable))
    lost = None if None in gaps else sum(count or 0 for count in gaps)
    return Salvaged(whole, first, lost if record is not None else None)


def _gap(count: int | None) -> Turn:
    what = "some turns" if count is None else f"{count} turn{'s' * (count != 1)}"
    text = f"[{what} could not be read: the archive was damaged]"
    return Turn(role=Role.SYSTEM, parts=(Text(text),), meta={DAMAGED: True})


def _record(txn: Reader, identity: str) -> tuple[SummaryRecord | None, int | None]:
    """The summary's record, if it is sound, and the conversation's number, if any record says it."""
    with suppress(CorruptArchiveError):
        record = conversations.find(txn, identity)
        if record is not None:
            conversations.summary_of(record)
            return record, record.number
    key = identity.encode()
    for name, value in sound_items(txn, "numbers"):
        if value == key:
            return None, number_of(name)
    for name, value in sound_items(txn, "order"):
        if value[conversations.ENTRY_ID :] == key:
            return None, number_of(name[-8:])
    return None, None


def _read(txn: Reader, key: bytes, stored: bytes) -> tuple[int | None, list[Turn] | None]:
    """(number of turns of a block if that is known, the turns if they can be read)."""
    count: int | None = None
    try:
        block = unpack(unwrap(TABLES["turns"] + key, stored), Block)
        count = block.count
        texts = turns.texts_of(txn, block, raw.Chunks())
        return count, [from_text(text, Turn) for text in texts]
    except CorruptArchiveError:
        return count, None
