"""Masking secrets in what was read from one source: its raw, and the turns that lean on it.

The bytes keep their length, so cursors, spans and lengths hold. Every generation is rewritten in
one transaction with the turns of its conversations, because both are compressed with raw that
changes. O(raw of the source + turns of its conversations), all of a generation in memory.

Tested in: tests/archive/maintenance/test_maintenance.py
"""

import time
from hashlib import sha256

import msgspec

from .. import conversations, log, raw, turns
from ..backends.transaction import Reader, Writer
from ..commit import CommittedChange
from ..keys import chunk_key, chunk_of, number_key
from ..namespace import NamespaceTxn
from ..records import NEVER, Entry, Meta, PackedExtent, Source, from_text, spans_of, to_text
from ..withheld import NAMESPACE, Mask, masked_conversation, masked_text, withhold

_PREFIX = NAMESPACE.encode() + b"\0"


def mask_source(txn: Writer, key: str, mask: Mask, meta: Meta) -> list[CommittedChange]:
    """Mask what a source holds; return the changes of its conversations."""
    source = raw.find_source(txn, key)
    if source is None:
        return []
    old = raw.Chunks()
    prefix = b"s" + number_key(source.number)
    linked = [name[len(prefix) :].decode() for name in txn.keys("links", prefix)]
    texts = {name: _texts(txn, name, old) for name in linked}
    digests = _mask_raw(txn, source, mask, old)
    source.packed = PackedExtent()
    raw.save_source(txn, source)
    state = txn.get("states", number_key(source.number))
    if state is not None:
        txn.put("states", number_key(source.number), mask.mask_known(state))
    changes = [
        change
        for name in linked
        if (change := _mask_turns(txn, name, texts[name], source, mask, meta)) is not None
    ]
    if mask.masked:
        withhold(NamespaceTxn(txn, _PREFIX), key, digests, mask, time.time())
    log.save_meta(txn, meta)
    return changes


def _texts(txn: Reader, conversation: str, chunks: raw.Chunks) -> list[bytes]:
    record = conversations.find(txn, conversation)
    return [] if record is None else turns.read_texts(txn, record.number, 0, None, chunks)


def _mask_raw(txn: Writer, source: Source, mask: Mask, old: raw.Chunks) -> list[str]:
    """Rewrite all raw of a source; return the SHA-256 of each generation as it was.

    It is written under a number that is not in use, because a generation leans on the bytes of an
    earlier one as they were, until all of them are read.
    """
    digests: list[str] = []
    if source.pruned == NEVER:
        return digests
    scratch = Source(number=(1 << 63) + source.number, name=source.name)
    new = raw.Chunks()
    for generation in range(source.generation + 1):
        first = chunk_key(source.number, generation, 0)
        stop = chunk_key(source.number, generation + 1, 0)
        start = next((chunk_of(key)[2] for key, _ in txn.stored_items("raw", first, stop)), 0)
        data = raw.read(txn, source.number, generation, start, 1 << 62, old)
        digests.append(sha256(data).hexdigest())
        scratch.generation, scratch.length = generation, start
        raw.append(txn, scratch, start, mask(data), new)
    for number in (source.number, scratch.number):
        keys = [
            key
            for key, _ in txn.stored_items(
                "raw", chunk_key(number, 0, 0), chunk_key(number + 1, 0, 0)
            )
        ]
        for key in keys:
            if number == scratch.number:
                value = txn.get("raw", key)
                if value is not None:
                    txn.put("raw", chunk_key(source.number, *chunk_of(key)[1:]), value)
            txn.delete("raw", key)
    return digests


def _mask_turns(
    txn: Writer, name: str, texts: list[bytes], source: Source, mask: Mask, meta: Meta
) -> CommittedChange | None:
    """Rewrite the turns of a conversation; return the change, where there is one."""
    record = conversations.find(txn, name)
    if record is None:
        return None
    conversations.check_number(txn, record, name)
    masked = [mask.turn(text) for text in texts]
    old = conversations.summary_of(record)
    summary = masked_conversation(old, mask)
    prompt = to_text(masked_text(from_text(record.prompt, str), mask))
    pieces = [turns.EncodedTurn(text, spans_of(text)) for text in masked]
    turns.replace(txn, record.number, record.first, pieces, source, raw.Chunks())
    pairs = enumerate(zip(texts, masked, strict=True))
    moved = next((number for number, (before, after) in pairs if before != after), None)
    if moved is None and summary == old and prompt == record.prompt:
        return None
    conversations.save(txn, msgspec.structs.replace(record, prompt=prompt), summary, old)
    end = record.first + len(texts)
    start = end if moved is None else record.first + moved
    kind = log.Change.SUMMARY if moved is None else log.Change.TURNS
    entry = Entry(kind, name, record.number, start, end, end, time.time())
    log.append(txn, meta, entry)
    return CommittedChange(log.log_entry(meta.sequence, entry), summary, None)
