"""Verifying: every checksum, every count, every way from one record to another.

Takes the store; gives a `Report`, prints nothing, changes nothing. Each conversation and each
stretch of raw is looked at in its own short transaction, so writers go on meanwhile; what they
remove under way is no fault. Costs O(archive), at the speed of decompression.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from dejavu.model import CorruptArchiveError, Turn

from .. import conversations, log, raw, turns
from ..backends.backend import Backend
from ..backends.transaction import Reader, Writer
from ..keys import block_of, chunk_key, chunk_of, number_key, number_of
from ..records import NEVER, Block, Source, SummaryRecord, from_text, unpack

T = TypeVar("T")
_MOST = 1_000  # faults described; the rest are counted


@dataclass(slots=True)
class Report:
    """What was looked at, and each fault as a sentence with its place; `clean` without any."""

    conversations: int = 0
    turns: int = 0
    sources: int = 0
    chunks: int = 0
    raw_bytes: int = 0
    faults: list[str] = field(default_factory=list[str])
    uncounted: int = 0

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
    """Look at everything."""
    report = Report()
    for source in backend.read(_sources):
        _guarded(report, f"source {source.key}", partial(_source, backend, source, report))
    for key in backend.read(lambda txn: list(txn.keys("heads"))):
        place = f"conversation {key.decode(errors='replace')}"
        _guarded(report, place, partial(_conversation, backend, key, report))
    look = partial(backend.read, partial(_reachable, report=report))
    _guarded(report, "reaching every record", look)
    return report


def _guarded(report: Report, place: str, look: Callable[[], None]) -> None:
    try:
        look()
    except CorruptArchiveError as error:
        report.fault(f"{place}: {error}")


def _sources(txn: Reader) -> list[Source]:
    return [unpack(value, Source) for _, value in txn.items("sources")]


def _source(backend: Backend, source: Source, report: Report) -> None:
    """Each generation's chunks follow one another without a gap and give what they promise."""
    report.sources += 1
    for generation in range(source.generation + 1):
        latest = generation == source.generation
        offset = source.pruned if latest and source.pruned != NEVER else 0
        while keys := backend.read(
            partial(_chunks, source=source.number, generation=generation, offset=offset)
        ):
            for key in keys:
                if chunk_of(key)[2] != offset:
                    report.fault(f"source {source.key}: raw is missing at {offset}")
                    offset = chunk_of(key)[2]
                length = backend.read(partial(_length, key=key))
                if length is None:  # merged into a longer chunk while we looked
                    break
                report.chunks += 1
                report.raw_bytes += length
                offset += length
        if latest and source.pruned != NEVER and offset < source.length:
            report.fault(f"source {source.key}: raw ends at {offset}, not at {source.length}")


def _chunks(txn: Reader, source: int, generation: int, offset: int) -> list[bytes]:
    found: list[bytes] = []
    stop = chunk_key(source, generation + 1, 0)
    for key, _ in txn.items("raw", chunk_key(source, generation, offset), stop):
        found.append(key)
        if len(found) >= 64:
            break
    return found


def _length(txn: Reader, key: bytes) -> int | None:
    if txn.get("raw", key) is None:
        return None
    return len(raw.chunk_bytes(txn, key, raw.Chunks()))


def _conversation(backend: Backend, key: bytes, report: Report) -> None:
    """The summary is listed where it should be, and its turns are all there, in order."""

    def look(txn: Reader) -> tuple[SummaryRecord, list[bytes]] | None:
        value = txn.get("heads", key)
        if value is None:
            return None
        record = unpack(value, SummaryRecord)
        for place, entry in conversations.places(
            conversations.summary_of(record), record.number
        ).items():
            if txn.get("order", place) != entry:
                report.fault(f"conversation {key.decode()}: not listed under {place[:1].decode()}")
        if txn.get("numbers", number_key(record.number)) != key:
            report.fault(f"conversation {key.decode()}: its number leads elsewhere")
        return record, turns.read_texts(txn, record.number, 0, None, raw.Chunks())

    found = backend.read(look)
    if found is None:
        return
    record, texts = found
    report.conversations += 1
    report.turns += len(texts)
    wanted = conversations.summary_of(record).turn_count
    if len(texts) != wanted:
        report.fault(f"conversation {key.decode()}: {len(texts)} turns, not {wanted}")
    for seq, text in enumerate(texts, record.first):
        if from_text(text, Turn).seq != seq:
            report.fault(f"conversation {key.decode()}: turn {seq} says it is another")
            break


def _reachable(txn: Reader, report: Report) -> None:
    """Nothing is left that no record leads to, and the counters are right."""
    for orphan in orphans(txn):
        report.fault(f"{orphan[0]}: a record that nothing leads to ({orphan[1].hex()})")
    meta = log.load_meta(txn)
    if meta is None:
        report.fault("meta: the archive lost its own record")
        return
    held, length = _totals(txn)
    if held != meta.turns:
        report.fault(f"meta: counts {meta.turns} turns, holds {held}")
    if length != meta.raw_bytes:
        report.fault(f"meta: counts {meta.raw_bytes} bytes of raw, holds {length}")


def _totals(txn: Reader) -> tuple[int, int]:
    """(turns, bytes of raw) as the blocks and chunks have them."""
    held = sum(unpack(value, Block).count for _, value in txn.items("turns"))
    return held, sum(raw.chunk_length(value) for _, value in txn.items("raw"))


def recount(txn: Writer) -> None:
    """Set the counters to what is there."""
    meta = log.load_meta(txn)
    if meta is not None:
        meta.turns, meta.raw_bytes = _totals(txn)
        log.save_meta(txn, meta)


def orphans(txn: Reader) -> Iterator[tuple[str, bytes]]:
    """(table, key) of every record that nothing leads to."""
    numbers = {unpack(value, SummaryRecord).number for _, value in txn.items("heads")}
    known = set(txn.keys("heads"))
    sources = {source.number for source in _sources(txn)}
    for key in txn.keys("turns"):
        if block_of(key)[0] not in numbers:
            yield "turns", key
    for key in txn.keys("numbers"):
        if number_of(key) not in numbers:
            yield "numbers", key
    for key, entry in txn.items("order"):
        if entry[conversations.ENTRY_ID :] not in known:
            yield "order", key
    for key in txn.keys("raw"):
        if chunk_of(key)[0] not in sources:
            yield "raw", key
    for key in txn.keys("states"):
        if number_of(key) not in sources:
            yield "states", key
    for key in txn.keys("links"):
        by_source = key[:1] == b"s"
        source = number_of(key[1:] if by_source else key[9:])
        there = key[9:] in known if by_source else number_of(key[1:]) in numbers
        if source not in sources or not there:
            yield "links", key
