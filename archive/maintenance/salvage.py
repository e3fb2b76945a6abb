"""What can be read of single conversations of a damaged archive.

A conversation whose blocks are damaged in part gives the turns of the others, with a turn of role
`system` where some are missing, so that it is not taken for whole. Costs O(turns) a conversation.

Tested in: tests/archive/maintenance/test_maintenance.py
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from dejavu.model import (
    ArchiveError,
    Conversation,
    CorruptArchiveError,
    Role,
    Text,
    Turn,
    TurnUpdate,
)

from .. import conversations, raw, turns
from ..backends.transaction import Reader, unwrap
from ..keys import TABLES, block_key, block_of, number_key, number_of
from ..records import Block, SummaryRecord, from_text, unpack
from .damaged_file import DamagedFile
from .verify import sound_items

DAMAGED = "damaged"
"""In the meta of a turn that replaces turns that were lost."""


UNKNOWN = "unknown"
"""The agent of a conversation of which only turns are left."""


class Salvaged(NamedTuple):
    """What is left of a conversation, with the turns from `first` on.

    `lost` turns are not in it; None where it is unknown how many.
    """

    conversation: Conversation
    first: int
    lost: int | None

    @property
    def update(self) -> TurnUpdate:
        """What puts it into an archive."""
        return TurnUpdate(self.conversation, self.first, self.conversation.turns)


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
    try:
        conversations.check_id(identity)
    except ArchiveError:  # a damaged key, which is no id
        return None
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
            return record, _own_number(txn, record, identity)
    key = identity.encode()
    if (number := _listed_number(txn, key)) is not None:
        return None, number
    for name, value in sound_items(txn, "order"):
        if value[conversations.ENTRY_ID :] == key:
            return None, number_of(name[-8:])
    return None, None


def _own_number(txn: Reader, record: SummaryRecord, identity: str) -> int | None:
    """The number in a record; where that is another conversation's, its own if that is known."""
    key = identity.encode()
    with suppress(CorruptArchiveError):
        if txn.get("numbers", number_key(record.number)) not in (None, key):
            return _listed_number(txn, key)
    return record.number


def _listed_number(txn: Reader, key: bytes) -> int | None:
    named = sound_items(txn, "numbers")
    return next((number_of(name) for name, value in named if value == key), None)


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
