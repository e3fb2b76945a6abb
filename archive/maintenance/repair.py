"""Repairing: a new store of everything in an old one that can be read.

Records are copied as they are where they match their checksums; what can be derived (listings,
numbers, links, the log, the counters) is rebuilt. Of a damaged conversation nothing is copied
where it can be read again, from its raw in the archive or from its agent's own file: that is for the
caller to do. Of any other, what can be read is kept (`salvage`). Raw that is damaged is left out, and
its source starts over, so that a sync reads it again. The old store is moved aside, never removed.

Afterwards the store has no fault. Costs O(store), twice.

Tested in: tests/archive/maintenance/test_maintenance.py
"""

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from dejavu.model import ArchiveError, Conversation, CorruptArchiveError

from .. import conversations, log, raw
from ..backends.audit import note_work
from ..backends.backend import Backend
from ..backends.lmdb_scan import PageScan
from ..backends.registry import is_url, open_store
from ..backends.transaction import Reader, Writer
from ..commit import CommitApplier, set_pruned
from ..keys import META, block_of, chunk_key, chunk_of, number_key, number_of
from ..records import FORMAT, NEVER, Entry, Meta, Source, SummaryRecord, pack, unpack
from .damaged_file import DamagedFile, best_source
from .salvage import salvage
from .verify import Report, damaged_values, inspect, linked_sources, sound_items, sources, totals


@dataclass(slots=True)
class Repaired:
    """What a repair did, and what is left for the caller to do.

    `report` is of the store before. `sources` are keys of sources to be parsed again, `rereadable`
    those that can be read again where they came from, `stateless` those whose parser's state is lost.
    `links` are the conversations that each source held of those left out, `summaries` what was known
    of these. `salvaged` says of each conversation kept in part how many turns are lost
    (None: unknown), `lost` names small records that are gone. `turns` is how many turns the store
    before said it held (None: unknown), `aside` where it was moved (None: it was whole).
    """

    report: Report
    turns: int | None = None
    sources: tuple[str, ...] = ()
    rereadable: tuple[str, ...] = ()
    stateless: tuple[str, ...] = ()
    links: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    summaries: list[Conversation] = field(default_factory=list[Conversation])
    salvaged: dict[str, int | None] = field(default_factory=dict[str, int | None])
    lost: list[str] = field(default_factory=list[str])
    aside: Path | str | None = None


def repair(
    path_or_url: str | Path, *, parseable: str, is_readable: Callable[[bytes], bool]
) -> Repaired:
    """Put a new store of what can be read in the place of a damaged one.

    parseable: the namespace that has a record for each source that can be parsed again;
    is_readable: whether the source of such a record can be read again where it came from.

    Raises:
        NotFoundError: there is none.
        ArchiveLockedError, ArchiveError: it cannot be written.
    """
    backend, marked = _open(path_or_url)
    try:
        written = _format(backend)
        if FORMAT not in (marked, written) and (marked, written) != (None, None):
            raise ArchiveError(
                f"the archive {backend.name} has an older format; open it once for writing first"
            )
        try:
            report = backend.inspect(inspect)
        except CorruptArchiveError as error:
            report = Report(faults=[str(error)])
            report.damaged_pages += 1
            return Repaired(report, aside=backend.rebuild(_begin))
        if isinstance(backend, DamagedFile):
            report.fault(f"{backend.name} could not be opened")
            report.damaged_pages += 1
        if report.clean:
            return Repaired(report)
        source, report = best_source(backend, report)
        try:
            done = Repaired(report, turns=source.inspect(_turns))
            plan = partial(_plan, done=done, parseable=parseable, is_readable=is_readable)
            logs = source.inspect(plan)
            done.aside = backend.rebuild(partial(_copy, source=source, done=done, logs=logs))
            if not isinstance(backend, DamagedFile):
                note_work(backend, "repair", str(done.aside), faults=len(report.faults))
        finally:
            if source is not backend:
                source.close()
        return done
    finally:
        backend.close()


def _open(path_or_url: str | Path) -> tuple[Backend | DamagedFile, int | None]:
    """The store, and the format noted next to it; its file alone where it cannot be opened."""
    try:
        opened = open_store(path_or_url, create=False, readonly=False)
    except CorruptArchiveError:
        if is_url(path_or_url):
            raise
        return DamagedFile(Path(path_or_url).expanduser().absolute()), None
    return opened.backend, opened.marked


def _format(backend: Backend | DamagedFile) -> int | None:
    with suppress(CorruptArchiveError):
        return backend.inspect(log.written_format)
    return None


def _turns(txn: Reader) -> int | None:
    """How many turns the archive held; None where its last commit cannot be told."""
    if not isinstance(txn, PageScan) or not txn.exact:
        return None  # a damaged tree may be an older commit's
    with suppress(CorruptArchiveError):
        if (meta := log.load_meta(txn)) is not None:
            return meta.turns
    return None


def _begin(txn: Writer) -> None:
    """Begin a store with nothing in it."""
    txn.put("meta", META, pack(Meta(archive_id=os.urandom(16), created_at=time.time())))


def _plan(
    txn: Reader, done: Repaired, parseable: str, is_readable: Callable[[bytes], bool]
) -> set[str]:
    """Decide for each damaged conversation whether it is read again, and from what.

    Return the keys of all sources that can be parsed again.
    """
    report = done.report
    prefix = parseable.encode() + b"\0"
    recorded = {key[len(prefix) :]: value for key, value in sound_items(txn, "namespaces")}
    by_number = _all_sources(txn)
    broken = {chunk_of(key)[0] for key, _ in damaged_values(txn, "raw")} & set(by_number)
    # A source whose own record is lost, too, was not looked at.
    report.damaged_sources += {by_number[n].key for n in broken} - set(report.damaged_sources)
    names = {n: s.key for n, s in by_number.items() if s.name in recorded}
    readable = {n for n, s in by_number.items() if n in names and is_readable(recorded[s.name])}
    again: set[int] = set()
    reread: set[int] = set()
    for identity, cure in report.damaged.items():
        linked = linked_sources(txn, identity)
        if cure == "reparse" and linked & set(names):
            again |= linked & set(names)
        elif linked & readable:
            report.damaged[identity] = "reread"
            reread |= linked & readable
        else:
            report.damaged[identity] = "restore"
            continue
        with suppress(CorruptArchiveError):
            if (record := conversations.find(txn, identity)) is not None:
                done.summaries.append(conversations.summary_of(record))
        for number in linked & set(by_number):
            done.links.setdefault(by_number[number].key, set()).add(identity)
    reread |= {n for n in readable if names[n] in report.damaged_sources}
    if report.damaged_pages:  # conversations may be missing that nothing leads to any more
        sound = set(txn.keys("summaries")) - {name.encode() for name in report.damaged}
        holding = {number_of(key[1:]) for key in txn.keys("links", b"s") if key[9:] in sound}
        reread |= readable - holding
        scattered = isinstance(txn, PageScan) and not txn.exact
        again |= set(names) - (set() if scattered else holding) - reread
    without_state = _without_state(txn)
    reread |= readable & without_state
    again = {n for n in again - reread if names[n] not in report.damaged_sources}
    done.sources = tuple(names[number] for number in sorted(again))
    done.stateless = tuple(names[number] for number in sorted(without_state & set(names)))
    done.rereadable = tuple(names[number] for number in sorted(reread))
    return set(names.values())


def _copy(txn: Writer, source: Backend | DamagedFile, done: Repaired, logs: set[str]) -> None:
    source.inspect(partial(_fill, txn, done=done, logs=logs))


def _fill(txn: Writer, old: Reader, done: Repaired, logs: set[str]) -> None:
    done.lost.clear()
    sources_by_number = _all_sources(old)
    _copy_sources(txn, old, sources_by_number, done, logs)
    numbers = _copy_summaries(txn, old, set(done.report.damaged))
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
    _copy_namespaces(txn, old, done)
    _copy_pruned(txn, old)
    _write_meta(txn, old, numbers, sources_by_number)
    _put_salvaged(txn, old, done, sources_by_number)


def _copy_namespaces(txn: Writer, old: Reader, done: Repaired) -> None:
    damaged = {key for key, _ in damaged_values(old, "namespaces")}
    for key, stored in old.stored_items("namespaces"):
        if key not in damaged:
            txn.put_stored("namespaces", key, stored)
    for key in sorted(damaged):
        name, _, rest = key.partition(b"\0")
        done.lost.append(f"{name.decode(errors='replace')}: {rest.decode(errors='replace')}")


def _copy_pruned(txn: Writer, old: Reader) -> None:
    """Copy what was pruned; where it is unknown how much, none of it comes back."""
    for key, stored in old.stored_items("pruned"):
        txn.put_stored("pruned", key, stored)
    for key, _ in damaged_values(old, "pruned"):
        with suppress(UnicodeDecodeError, ArchiveError):
            record = conversations.find(txn, key.decode())
            set_pruned(txn, key.decode(), NEVER if record is None else record.first)


def _put_salvaged(
    txn: Writer, old: Reader, done: Repaired, sources_by_number: Mapping[int, Source]
) -> None:
    """Keep what can be read of the conversations that nothing else brings back."""
    meta = log.load_meta(txn)
    if meta is None:
        return
    applier = CommitApplier(txn, meta, time.time())
    for identity, cure in done.report.damaged.items():
        if cure != "restore" or (salvaged := salvage(old, identity)) is None:
            continue
        applier.update(salvaged.update, never_truncate=False)
        done.salvaged[identity] = salvaged.lost
        for number in linked_sources(old, identity) & set(sources_by_number):
            applier.link(sources_by_number[number].key, identity)
    applier.finish()


def _without_state(old: Reader) -> set[int]:
    """The numbers of the sources that were read, and whose parser's state is lost."""
    sound = sources(old)
    read = {number for number, source in sound.items() if source.cursor is not None}
    read |= set(_all_sources(old)) - set(sound)  # these are unknown
    return read - {number_of(key) for key, _ in sound_items(old, "states")}


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
    for number in set(lengths) - set(sources_by_number):
        # Nothing names it any more, but turns lean on its raw.
        generation, length = lengths[number]
        sources_by_number[number] = Source(
            number=number, name=b"nameless-%d" % number, generation=generation, length=length
        )
    return sources_by_number


def _copy_sources(
    txn: Writer,
    old: Reader,
    sources_by_number: Mapping[int, Source],
    done: Repaired,
    logs: set[str],
) -> None:
    """Copy sources with their raw and their parsers' states.

    What is pushed to us cannot be read again: its parser continues where it was, over damaged raw.
    """
    states = {number_of(key): state for key, state in sound_items(old, "states")}
    without_state = _without_state(old)
    broken = set(done.report.damaged_sources)
    rereadable = set(done.rereadable)
    for number, source in sources_by_number.items():
        damaged = source.key in broken
        if damaged:
            _copy_readable_raw(txn, old, source)
        # What is read from somewhere has a cursor, and its record in the namespace of logs.
        if source.cursor is not None and (
            damaged or number in without_state or source.key in rereadable or source.key not in logs
        ):
            source.cursor = None  # the next sync reads it from its beginning
            states.pop(number, None)
        raw.save_source(txn, source)
        if number in states:
            txn.put("states", number_key(number), states[number])
    whole = {n for n, source in sources_by_number.items() if source.key not in broken}
    for key, stored in old.stored_items("raw"):
        if chunk_of(key)[0] in whole:
            txn.put_stored("raw", key, stored)


def _copy_readable_raw(txn: Writer, old: Reader, source: Source) -> None:
    """Copy the chunks that can be read, and let the source begin a new generation."""
    chunks = raw.Chunks()
    start, stop = chunk_key(source.number, 0, 0), chunk_key(source.number + 1, 0, 0)
    for key, stored in old.stored_items("raw", start, stop):
        with suppress(CorruptArchiveError):
            raw.chunk_bytes(old, key, chunks)
            txn.put_stored("raw", key, stored)
    source.damaged = list(range(source.generation + 1))
    source.generation += 1
    source.length = 0
    if source.pruned:
        source.pruned = NEVER


def _copy_summaries(txn: Writer, old: Reader, left_out: set[str]) -> dict[int, str]:
    """Copy the summaries and list them; return their ids by number."""
    numbers: dict[int, str] = {}
    for key, value in sound_items(old, "summaries"):
        identity = key.decode(errors="replace")
        if identity in left_out:
            continue
        with suppress(CorruptArchiveError):
            record = unpack(value, SummaryRecord)
            conversations.save(txn, record, conversations.summary_of(record), None)
            numbers[record.number] = identity
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
    if next(txn.keys("log"), None) is None:
        meta.sequence = 0
    meta.turns, meta.raw_bytes = totals(txn)
    txn.put("meta", META, pack(meta))
