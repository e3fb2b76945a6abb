"""Verifying: every checksum, every count, every way from one record to another.

Prints nothing and changes nothing. The store is looked at as it is at one moment, through a reader
that no damage kills (`Backend.inspect`); writers go on meanwhile, and the pages they free wait until
the end. Costs O(archive), at the speed of decompression.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from dejavu.model import CorruptArchiveError, HiddenTurnsError, Turn

from .. import conversations, log, raw, turns
from ..backends.backend import Backend
from ..backends.transaction import Reader, Writer, unwrap
from ..keys import TABLES, block_of, chunk_key, chunk_of, number_key, number_of
from ..records import NEVER, Block, Source, SummaryRecord, from_text, unpack

_MOST = 1_000  # faults described; the rest are counted


@dataclass(slots=True)
class Report:
    """What was looked at, and each fault as a sentence with its place; `clean` without any.

    `damaged` names each conversation that cannot be read as it was written, and what brings it
    back: `reparse` (its raw is whole, `dejavu archive verify --repair` reads it again) or `restore`.
    `damaged_sources` are keys of sources whose raw is not whole. Where there are `damaged_pages`,
    records may be missing that nothing leads to any more.

    `partial`: the login may not read all of the archive. What depends on all of it was not looked at: its
    counters, and what nothing leads to. `hidden` are conversations whose raw it may not read.
    """

    conversations: int = 0
    turns: int = 0
    sources: int = 0
    chunks: int = 0
    raw_bytes: int = 0
    faults: list[str] = field(default_factory=list[str])
    uncounted: int = 0
    damaged: dict[str, str] = field(default_factory=dict[str, str])
    damaged_sources: list[str] = field(default_factory=list[str])
    damaged_pages: int = 0
    partial: bool = False
    hidden: list[str] = field(default_factory=list[str])

    @property
    def clean(self) -> bool:
        """True if nothing is wrong."""
        return not self.faults

    def fault(self, text: str) -> None:
        """Note a fault; beyond the first thousand they are only counted."""
        if len(self.faults) < _MOST:
            self.faults.append(text)
        else:
            self.uncounted += 1


def verify(backend: Backend) -> Report:
    """Return what is wrong with a store."""
    return backend.inspect(inspect)


def inspect(txn: Reader) -> Report:
    """Return what is wrong with the store behind a reader."""
    report = Report(partial=txn.partial)
    for fault in txn.faults():
        report.fault(fault)
        report.damaged_pages += 1
    _values(txn, report)
    broken: set[int] = set()  # numbers of sources whose raw cannot be read
    for source in sources(txn).values():
        before = len(report.faults) + report.uncounted
        _guarded(report, f"source {source.key}", partial(_source, txn, source, report))
        if len(report.faults) + report.uncounted > before:
            broken.add(source.number)
            report.damaged_sources.append(source.key)
    for identity in sorted(known_conversations(txn)):
        what = _conversation(txn, identity, report)
        if what is not None:
            linked = linked_sources(txn, identity)
            report.damaged[identity] = "reparse" if linked and not linked & broken else "restore"
            cure = (
                "`dejavu archive verify --repair` reads it again from its raw"
                if report.damaged[identity] == "reparse"
                else "`dejavu archive verify --repair` keeps what can be read of it, and reads its session "
                "file again if that is still there; a backup may have the rest (`dejavu archive restore`)"
            )
            report.fault(f"conversation {identity}: {what}; {cure}")
    _guarded(report, "reaching every record", partial(_reachable, txn, report))
    return report


def _guarded(report: Report, part: str, look: Callable[[], None]) -> None:
    try:
        look()
    except CorruptArchiveError as error:
        report.fault(f"{part}: {error}")


def _values(txn: Reader, report: Report) -> None:
    """Every value matches its checksum; those of turns and raw are looked at with their owners."""
    for table in TABLES:
        for key, _ in damaged_values(txn, table):
            fault = f"{table}: the value of {_shown(table, key)} does not match its checksum"
            fix = "; `dejavu archive verify --repair` writes it again, or says what to do"
            report.fault(fault + fix * (table == "namespaces"))


def damaged_values(txn: Reader, table: str) -> Iterator[tuple[bytes, bytes]]:
    """Yield (key, what is stored) of the values in a table that do not match their checksums."""
    prefix = TABLES[table]
    for key, stored in txn.stored_items(table):
        try:
            unwrap(prefix + key, stored)
        except CorruptArchiveError:
            yield key, stored


def sound_items(txn: Reader, table: str) -> Iterator[tuple[bytes, bytes]]:
    """Yield (key, value) of the values in a table that match their checksums."""
    prefix = TABLES[table]
    for key, stored in txn.stored_items(table):
        try:
            value = unwrap(prefix + key, stored)
        except CorruptArchiveError:
            continue
        yield key, value


def _shown(table: str, key: bytes) -> str:
    if table in ("summaries", "pruned", "namespaces"):
        return repr(key.decode(errors="replace"))
    return key.hex()


def sources(txn: Reader) -> dict[int, Source]:
    """Return the sources whose records are sound, by number."""
    by_number: dict[int, Source] = {}
    for _, value in sound_items(txn, "sources"):
        try:
            source = unpack(value, Source)
        except CorruptArchiveError:
            continue
        by_number[source.number] = source
    return by_number


def known_conversations(txn: Reader) -> set[str]:
    """Return the id of every conversation that any record speaks of, removed ones left out."""
    keys = set(txn.keys("summaries"))
    keys.update(value for _, value in sound_items(txn, "numbers"))
    keys.update(e[conversations.ENTRY_ID :] for _, e in sound_items(txn, "order"))
    return {key.decode(errors="replace") for key in keys}


def linked_sources(txn: Reader, conversation: str) -> set[int]:
    """Return the numbers of the sources a conversation was read from."""
    identity = conversation.encode()
    return {number_of(key[1:]) for key in txn.keys("links", b"s") if key[9:] == identity}


def _source(txn: Reader, source: Source, report: Report) -> None:
    """Each generation's chunks follow one another without a gap and give what they promise."""
    report.sources += 1
    chunks = raw.Chunks()
    for generation in range(source.generation + 1):
        latest = generation == source.generation
        offset = source.pruned if latest and source.pruned != NEVER else 0
        first = chunk_key(source.number, generation, 0)
        for key, _ in txn.stored_items("raw", first, chunk_key(source.number, generation + 1, 0)):
            if chunk_of(key)[2] != offset:
                if generation not in source.damaged:
                    report.fault(f"source {source.key}: raw is missing at {offset}")
                offset = chunk_of(key)[2]
            length = len(raw.chunk_bytes(txn, key, chunks))
            report.chunks += 1
            report.raw_bytes += length
            offset += length
        if latest and source.pruned != NEVER and offset < source.length:
            report.fault(f"source {source.key}: raw ends at {offset}, not at {source.length}")


def _conversation(txn: Reader, identity: str, report: Report) -> str | None:
    """Look at one conversation; return what is wrong with it, None where nothing is."""
    key = identity.encode()
    try:
        value = txn.get("summaries", key)
        if value is None:
            return "its summary is lost"
        record = unpack(value, SummaryRecord)
        summary = conversations.summary_of(record)
        for order_key, entry in conversations.places(summary, record.number).items():
            if txn.get("order", order_key) != entry:
                return f"not listed under {order_key[:1].decode()}"
        if txn.get("numbers", number_key(record.number)) != key:
            return "its number leads elsewhere"
        texts = turns.read_texts(txn, record.number, 0, None, raw.Chunks())
        report.conversations += 1
        report.turns += len(texts)
        if raw.hides_any(txn, record.number):
            report.hidden.append(identity)
        if len(texts) != summary.turn_count:
            return f"{len(texts)} turns, not {summary.turn_count}"
        for seq, text in enumerate(texts, record.first):
            if from_text(text, Turn).seq != seq:
                return f"turn {seq} says it is another"
    except HiddenTurnsError:
        report.hidden.append(identity)
    except CorruptArchiveError as error:
        return str(error)
    return None


def _reachable(txn: Reader, report: Report) -> None:
    """Nothing is left that no record leads to, the log is whole, and the counters are right."""
    for orphan in orphans(txn):
        report.fault(f"{orphan[0]}: a record that nothing leads to ({orphan[1].hex()})")
    meta = log.load_meta(txn)
    if meta is None:
        report.fault("meta: the archive lost its own record")
        return
    expected: int | None = None
    for key in txn.keys("log"):
        sequence = number_of(key)
        if sequence != (expected or sequence):
            report.fault(f"log: entries from {expected} to before {sequence} are missing")
        expected = sequence + 1
    if (expected or 1) != meta.sequence + 1:
        report.fault(f"log: ends at {(expected or 1) - 1}, not at {meta.sequence}")
    if txn.partial:
        return
    stored, length = totals(txn)
    if stored != meta.turns:
        report.fault(f"meta: counts {meta.turns} turns, holds {stored}")
    if length != meta.raw_bytes:
        report.fault(f"meta: counts {meta.raw_bytes} bytes of raw, holds {length}")


def totals(txn: Reader) -> tuple[int, int]:
    """Return (turns, bytes of raw) as the sound blocks and chunks have them."""
    stored = sum(unpack(value, Block).count for _, value in sound_items(txn, "turns"))
    return stored, sum(raw.chunk_length(value) for _, value in sound_items(txn, "raw"))


def recount(txn: Writer) -> None:
    """Set the counters to what is there."""
    meta = log.load_meta(txn)
    if meta is not None:
        meta.turns, meta.raw_bytes = totals(txn)
        log.save_meta(txn, meta)


def complete(txn: Writer) -> None:
    """Make a whole of a copy of what one login may read: drop what leans on the rest, and count again."""
    known = set(sources(txn))
    leaning = {
        block_of(key)[0] for key, value in sound_items(txn, "turns")
        if (source := unpack(value, Block).source) and source not in known
    }  # fmt: skip
    for number in leaning:
        identity = txn.get("numbers", number_key(number))
        if identity is not None and (record := conversations.find(txn, identity.decode())):
            conversations.remove(txn, record)
    for table, key in list(orphans(txn)):
        txn.delete(table, key)
    recount(txn)


def orphans(txn: Reader) -> Iterator[tuple[str, bytes]]:
    """Yield (table, key) of every record that nothing leads to; none where a part alone is seen."""
    if txn.partial:
        return
    numbers: set[int] = set()
    for _, value in sound_items(txn, "summaries"):
        numbers.add(unpack(value, SummaryRecord).number)
    identities = set(txn.keys("summaries"))
    # Of a damaged summary its number may still be known.
    named = sound_items(txn, "numbers")
    numbers.update(number_of(key) for key, identity in named if identity in identities)
    of_sources = set(sources(txn))
    damaged = any(True for _ in damaged_values(txn, "sources"))
    for key in txn.keys("turns"):
        if block_of(key)[0] not in numbers:
            yield "turns", key
    for key, identity in sound_items(txn, "numbers"):
        if identity not in identities:
            yield "numbers", key
    for key, entry in sound_items(txn, "order"):
        if entry[conversations.ENTRY_ID :] not in identities:
            yield "order", key
    if damaged:
        return  # which source what is left belongs to cannot be said
    for key in txn.keys("raw"):
        if chunk_of(key)[0] not in of_sources:
            yield "raw", key
    for key in txn.keys("states"):
        if number_of(key) not in of_sources:
            yield "states", key
    for key in txn.keys("links"):
        by_source = key[:1] == b"s"
        source = number_of(key[1:] if by_source else key[9:])
        there = key[9:] in identities if by_source else number_of(key[1:]) in numbers
        if source not in of_sources or not there:
            yield "links", key
