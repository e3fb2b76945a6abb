"""Repairing: a new store of everything in an old one that is sound.

Records are copied as they are where they match their checksums; what can be derived (listings,
numbers, links, the log, the counters) is made anew. A conversation that cannot be read, but whose
raw is whole, is left out, to be parsed again by the caller; one whose raw is not stays as it is, so
that reading it still says that it is damaged. The old store is moved aside, never removed.

Costs O(store), twice.
"""

import os
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from dejavu.model import ArchiveError, CorruptArchiveError

from .. import conversations, log, raw
from ..backends.backend import Backend
from ..backends.registry import open_store
from ..backends.transaction import Reader, Writer
from ..keys import META, block_of, chunk_of, number_key, number_of
from ..records import FORMAT, Entry, Meta, Source, SummaryRecord, pack, unpack
from . import migrations
from .verify import Report, inspect, linked_sources, sound_items, sources, totals


class Repaired(NamedTuple):
    """What a repair did: the report before it, and what is to be parsed again.

    `sources` are keys of sources, `aside` is where the old store was moved (None: it was whole).
    """

    report: Report
    sources: tuple[str, ...] = ()
    aside: Path | str | None = None


def repair(path_or_url: str | Path, *, parseable: str) -> Repaired:
    """Put a new store of what is sound in the place of a damaged one.

    parseable: the namespace that has a record for each source that can be parsed again.

    Raises:
        NotFoundError: there is none.
        CorruptArchiveError: nothing of it can be read: only a backup brings it back.
        ArchiveLockedError, ArchiveError: it cannot be written.
    """
    opened = open_store(path_or_url, create=False, readonly=False)
    backend = opened.backend
    try:
        if FORMAT not in (opened.marked, _format(backend)):
            raise ArchiveError(
                f"the archive {backend.name} has an older format; open it once for writing first"
            )
        report = backend.inspect(inspect)
        if report.clean:
            return Repaired(report)
        again = backend.inspect(partial(_sources_to_parse, report=report, parseable=parseable))
        aside = backend.rebuild(partial(_copy, source=backend, report=report))
        return Repaired(report, again, aside)
    finally:
        backend.close()


def _format(backend: Backend) -> int | None:
    with suppress(CorruptArchiveError):
        return backend.inspect(migrations.written_format)
    return None


def _sources_to_parse(txn: Reader, report: Report, parseable: str) -> tuple[str, ...]:
    """The keys of the sources to parse again; who has none of them is left to `restore`."""
    prefix = parseable.encode() + b"\0"
    recorded = {key[len(prefix) :] for key, _ in sound_items(txn, "namespaces")}
    names = {n: s.key for n, s in _all_sources(txn).items() if s.name in recorded}
    again: set[int] = set()
    for identity, cure in report.damaged.items():
        linked = linked_sources(txn, identity) & set(names)
        if cure == "reparse" and linked:
            again |= linked
        else:
            report.damaged[identity] = "restore"
    return tuple(names[number] for number in sorted(again))


def _copy(txn: Writer, source: Backend, report: Report) -> None:
    source.inspect(partial(_fill, txn, report=report))


def _fill(txn: Writer, old: Reader, report: Report) -> None:
    left_out = {name for name, cure in report.damaged.items() if cure == "reparse"}
    sources_by_number = _all_sources(old)
    _copy_sources(txn, old, sources_by_number)
    numbers = _copy_summaries(txn, old, left_out)
    for key, stored in old.stored_items("turns"):
        if block_of(key)[0] in numbers:
            txn.put_stored("turns", key, stored)
    for key in old.keys("links", b"s"):
        number, identity = number_of(key[1:]), key[9:]
        record = txn.stored("summaries", identity)
        if record is not None and number in sources_by_number:
            txn.put("links", key, b"")
    identities = {identity: number for number, identity in numbers.items()}
    for key in list(txn.keys("links", b"s")):
        source = number_of(key[1:])
        there = identities.get(key[9:].decode(errors="replace"))
        if there is not None:
            txn.put(
                "links",
                b"c" + number_key(there) + number_key(source),
                sources_by_number[source].name,
            )
    for table in ("pruned", "namespaces"):
        for key, stored in old.stored_items(table):
            txn.put_stored(table, key, stored)
    _write_meta(txn, old, numbers, sources_by_number)


def _all_sources(old: Reader) -> dict[int, Source]:
    """Every source by number; those whose record is damaged as their raw and links have them."""
    sources_by_number = sources(old)
    lengths: dict[int, tuple[int, int]] = {}  # (generation, end) of the newest chunk
    for key, value in sound_items(old, "raw"):
        number, generation, offset = chunk_of(key)
        lengths[number] = max(
            lengths.get(number, (0, 0)), (generation, offset + raw.chunk_length(value))
        )
    for key, name in sound_items(old, "links"):
        number = number_of(key[9:]) if key[:1] == b"c" else 0
        if number and number not in sources_by_number:
            generation, length = lengths.get(number, (0, 0))
            # Without a cursor: the next sync reads it from its beginning.
            sources_by_number[number] = Source(
                number=number, name=name, generation=generation, length=length
            )
    return sources_by_number


def _copy_sources(txn: Writer, old: Reader, sources_by_number: dict[int, Source]) -> None:
    states = {number_of(key): state for key, state in sound_items(old, "states")}
    lost = {number_of(key) for key in old.keys("states")} - set(states)
    for number, source in sources_by_number.items():
        if number in lost:
            source.cursor = None  # a cursor is worth nothing without the parser's state
        raw.save_source(txn, source)
        if number in states:
            txn.put("states", number_key(number), states[number])
    for key, stored in old.stored_items("raw"):
        if chunk_of(key)[0] in sources_by_number:
            txn.put_stored("raw", key, stored)


def _copy_summaries(txn: Writer, old: Reader, left_out: set[str]) -> dict[int, str]:
    """Copy the summaries and list them; return their ids by number."""
    numbers: dict[int, str] = {}
    named = {identity: key for key, identity in sound_items(old, "numbers")}
    for key, stored in old.stored_items("summaries"):
        identity = key.decode(errors="replace")
        if identity in left_out:
            continue
        try:
            record = unpack(old.get("summaries", key) or b"", SummaryRecord)
            conversations.save(txn, record, conversations.summary_of(record), None)
            numbers[record.number] = identity
        except CorruptArchiveError:
            txn.put_stored("summaries", key, stored)
            if key in named:
                txn.put("numbers", named[key], key)
                numbers[number_of(named[key])] = identity
    return numbers


def _write_meta(
    txn: Writer, old: Reader, numbers: dict[int, str], sources_by_number: dict[int, Source]
) -> None:
    """The archive's own record and a log that names every conversation once more."""
    before: Meta | None = None
    with suppress(CorruptArchiveError):
        before = log.load_meta(old)
    now = time.time()
    last = max((number_of(key) for key in old.keys("log")), default=0)
    highest = max((block_of(key)[0] for key in old.keys("turns")), default=0)
    meta = Meta(
        archive_id=os.urandom(16),
        created_at=now if before is None else before.created_at,
        conversations=max(highest, *numbers, before.conversations if before else 0, 0),
        sources=max(sources_by_number, default=0),
        sequence=max(last, before.sequence if before else 0),
    )
    for number, identity in numbers.items():
        with suppress(CorruptArchiveError):
            record = conversations.find(txn, identity)
            if record is not None:
                end = record.first + conversations.summary_of(record).turn_count
                change = log.Change.TURNS
                log.append(
                    txn, meta, Entry(change, identity, number, record.first, end, record.first, now)
                )
    meta.turns, meta.raw_bytes = totals(txn)
    txn.put("meta", META, pack(meta))
