"""Deleted conversations that can still come back: their records, kept until the store is compacted.

The namespace `deleted` has a head for each (`h` and its number) and its records (`r`, number, count).
They leave the tables in the transaction that puts them here, so that no listing, search or sync sees
them. `empty` forgets them for good: whatever compacts the store calls it first. A folder's store only:
on a server a deletion is for good at once.

Costs: `move` and `restore` O(records of the conversation), twice its size on disk meanwhile.
"""

from collections.abc import Iterator

import msgspec

from dejavu.model import CorruptArchiveError, NotFoundError, Turn, TurnUpdate

from .. import conversations, log, raw, turns
from ..backends.transaction import Reader, Writer
from ..commit import CommitApplier, CommittedChange, pruned_turns, set_pruned
from ..keys import block_key, block_of, chunk_key, number_key, text_hash
from ..namespace import NamespaceTxn
from ..records import Entry, Meta, Source, SummaryRecord, from_text, unpack
from . import prune

NAMESPACE = "deleted"
_PREFIX = NAMESPACE.encode() + b"\0"
_HEAD, _RECORD = b"h", b"r"
NOTES = ("rationale",)
"""Namespaces whose keys begin with the id of the conversation that they are about."""


class Deleted(msgspec.Struct, array_like=True, frozen=True):
    """A deleted conversation, as people and `erase_traces` know it; `at` is Unix seconds."""

    id: str
    native_id: str
    title: str
    agent: str
    at: float
    number: int
    turns: int
    raw_bytes: int
    pruned: int
    """How many of its first turns had been pruned before."""


class _Row(msgspec.Struct, array_like=True, frozen=True):
    table: str
    key: bytes
    value: bytes


def move(txn: Writer, conversation: str, meta: Meta, at: float) -> CommittedChange | None:
    """Delete a conversation and keep its records here; None where there is none of this id."""
    record = conversations.find(txn, conversation)
    if record is None:
        return None
    names = NamespaceTxn(txn, _PREFIX)
    summary, before = conversations.summary_of(record), pruned_turns(txn, conversation)
    for count, row in enumerate(list(_rows(txn, record, conversation))):
        key = _RECORD + number_key(record.number) + number_key(count)
        names.put(key, msgspec.msgpack.encode(row))
    change, freed = prune.remove(txn, conversation, meta)
    head = Deleted(
        conversation, summary.native_id, summary.title, summary.agent, at, record.number,
        summary.turn_count, freed, before,
    )  # fmt: skip
    names.put(_HEAD + number_key(record.number), msgspec.msgpack.encode(head))
    return change


def listed(txn: Reader) -> list[Deleted]:
    """The deleted conversations that can come back, the last deleted first."""
    names = NamespaceTxn(txn, _PREFIX)
    heads = [msgspec.msgpack.decode(value, type=Deleted) for _, value in names.items(_HEAD)]
    return sorted(heads, key=lambda head: (-head.at, -head.number))


def restore(txn: Writer, conversation: str, meta: Meta, now: float) -> list[CommittedChange]:
    """Bring back the conversation last deleted under this id, with what was said in it since.

    Raises:
        NotFoundError: none of this id can come back.
    """
    head = next((one for one in listed(txn) if one.id == conversation), None)
    if head is None:
        raise NotFoundError(f"no deleted conversation {conversation!r} can be brought back")
    applier = CommitApplier(txn, meta, now)
    record = conversations.find(txn, conversation)
    sources = [] if record is None else [source.key for source in prune.linked(txn, record)]
    later, gone = _take_later(txn, head, meta, now)
    applier.changes += gone
    rows = list(_stored(txn, head.number))
    meta.conversations += 1
    number = meta.conversations
    record = _put_rows(txn, head, rows, number)
    set_pruned(txn, conversation, head.pruned)
    meta.turns += head.turns
    meta.raw_bytes += head.raw_bytes
    summary = conversations.summary_of(record)
    conversations.save(txn, record, summary, None)
    start, stop = record.first, record.first + head.turns
    entry = Entry(log.Change.TURNS, conversation, number, start, stop, start, now)
    log.append(txn, meta, entry)
    noted = log.log_entry(meta.sequence, entry)
    applier.changes.append(CommittedChange(noted, summary, None))
    if later is not None:
        applier.update(later, never_truncate=False)
    for source in sources:
        applier.link(source, conversation)
    applier.finish()
    _forget(txn, head.number)
    return applier.changes


def empty(txn: Writer) -> list[Deleted]:
    """Forget all deleted conversations for good; return them."""
    heads = listed(txn)
    for head in heads:
        _forget(txn, head.number)
        if conversations.find(txn, head.id) is None:
            forget_notes(txn, head.id)
    names = NamespaceTxn(txn, _PREFIX)
    for key in [key for key, _ in names.items()]:
        names.delete(key)
    return heads


def forget_notes(txn: Writer, conversation: str) -> None:
    """Forget what was written about a conversation outside of it: it may quote its turns."""
    for namespace in NOTES:
        names = NamespaceTxn(txn, namespace.encode() + b"\0")
        for key in [key for key, _ in names.items(conversation.encode())]:
            names.delete(key)


def _rows(txn: Reader, record: SummaryRecord, conversation: str) -> Iterator[_Row]:
    """Every record that `prune.remove` would delete or change, but the orders and the number."""
    key, number = conversations.check_id(conversation), record.number
    yield _Row("summaries", key, txn.get("summaries", key) or b"")
    for name, value in txn.items("turns", block_key(number, 0), block_key(number + 1, 0)):
        yield _Row("turns", name, value)
    for source in prune.linked(txn, record):
        yield _Row("links", number_key(source.number), source.name)
        if not prune.alone(txn, source, conversation):
            continue
        name = text_hash(source.key, 16)
        yield _Row("sources", name, txn.get("sources", name) or b"")
        state = txn.get("states", number_key(source.number))
        if state is not None:
            yield _Row("states", number_key(source.number), state)
        first, after = chunk_key(source.number, 0, 0), chunk_key(source.number + 1, 0, 0)
        for name, value in txn.items("raw", first, after):
            yield _Row("raw", name, value)


def _stored(txn: Reader, number: int) -> Iterator[_Row]:
    for _, value in NamespaceTxn(txn, _PREFIX).items(_RECORD + number_key(number)):
        yield msgspec.msgpack.decode(value, type=_Row)


def _put_rows(txn: Writer, head: Deleted, rows: list[_Row], number: int) -> SummaryRecord:
    """Put the records back under a new number; the summary is left to the caller."""
    record: SummaryRecord | None = None
    resumed = {row.key for row in rows if row.table == "sources" and _put_source(txn, row)}
    by_number = {
        number_key(unpack(row.value, Source).number): row.key
        for row in rows
        if row.table == "sources"
    }
    for row in rows:
        if row.table == "summaries":
            record = msgspec.structs.replace(unpack(row.value, SummaryRecord), number=number)
        elif row.table == "turns":
            txn.put("turns", block_key(number, block_of(row.key)[1]), row.value)
        elif row.table == "links":
            txn.put("links", b"s" + row.key + head.id.encode(), b"")
            txn.put("links", b"c" + number_key(number) + row.key, row.value)
        elif row.table == "raw":
            txn.put("raw", row.key, row.value)
        elif row.table == "states" and by_number.get(row.key) in resumed:
            txn.put("states", row.key, row.value)
    if record is None:
        raise CorruptArchiveError(f"the deleted conversation {head.id} lost its summary")
    return record


def _put_source(txn: Writer, row: _Row) -> bool:
    """Put a source's record back; True where nothing was read from it since."""
    was = unpack(row.value, Source)
    now = raw.find_source(txn, was.key)
    if now is None or (now.generation, now.length) == (was.generation, was.length):
        raw.save_source(txn, was)
        return True
    if now.generation == was.generation:
        now.pruned = was.pruned
        raw.save_source(txn, now)
    return False


def _take_later(
    txn: Writer, head: Deleted, meta: Meta, now: float
) -> tuple[TurnUpdate | None, list[CommittedChange]]:
    """What was said since under the same id, taken out, to be put after what comes back."""
    record = conversations.find(txn, head.id)
    if record is None:
        return None, []
    summary = conversations.summary_of(record)
    texts = turns.read_texts(txn, record.number, 0, None, raw.Chunks())
    said = [from_text(text, Turn) for text in texts]
    first, after = block_key(record.number, 0), block_key(record.number + 1, 0)
    for key in [key for key, _ in txn.stored_items("turns", first, after)]:
        txn.delete("turns", key)
    for source in prune.linked(txn, record):
        txn.delete("links", b"s" + number_key(source.number) + head.id.encode())
        txn.delete("links", b"c" + number_key(record.number) + number_key(source.number))
    conversations.remove(txn, record)
    end = record.first + summary.turn_count
    entry = Entry(log.Change.REMOVED, head.id, record.number, 0, 0, end, now)
    log.append(txn, meta, entry)
    meta.turns -= summary.turn_count
    change = CommittedChange(log.log_entry(meta.sequence, entry), summary, ())
    return TurnUpdate(summary, record.first, said), [change]


def _forget(txn: Writer, number: int) -> None:
    names = NamespaceTxn(txn, _PREFIX)
    names.delete(_HEAD + number_key(number))
    for key in [key for key, _ in names.items(_RECORD + number_key(number))]:
        names.delete(key)
