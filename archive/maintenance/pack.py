"""Packing: the raw bytes of old conversations in longer chunks, at a level that rises with age.

What is new is written fast (`raw.CHUNK`). What was not added to for a month is read seldom:
its chunks are joined to `CHUNK` and compressed harder, after a year once more. The bytes a source
gives are the same before and after, so turns, which lean on them, stay as they are; a packed chunk
is a chunk like any other.

Each step compresses outside of any write transaction, reads its own frame back and compares it,
then exchanges the chunks in one short transaction, and only if they still are what was read. A
crash leaves whole steps. A source's record says how far it is packed, so a run continues where
the last one ended. Nothing else of the archive is touched; a store on a server stays as it is.

Costs O(sources) to find the work, then O(bytes packed) at about 85 MB/s (level 16: 12 MB/s), at most
`budget` a run. Memory: one step (`_STEP`) and its compression.
"""

import time
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from dejavu.model import CorruptArchiveError

from .. import conversations, raw
from ..backends.backend import Backend
from ..backends.registry import is_url
from ..backends.transaction import Reader, Writer
from ..keys import chunk_key, chunk_of, number_key
from ..records import NEVER, Chunk, PackedExtent, Source, compress, decompress, pack, unpack

CHUNK = 768 << 10
"""Of generated sessions, as a share of raw, in whole pages: 0.202 before, at level 9 0.164, at level 16
0.159. A search hit unpacks the chunk under it, as far as it must."""
DAY = 86_400.0
AFTER = 30.0
"""Days without a change after which a conversation is packed."""
BUDGET = 1 << 30
"""Bytes of raw packed in one run, at level 9; a byte at level 16 counts as `_DEAR`."""
_LEVELS = ((365.0, 16), (0.0, 9))
"""Days without a change, level. 17 on 640 KiB, as it was, gave 0.157 for 1.7 times the CPU."""
_DEAR = 6
_STEP = 4 << 20  # bytes of raw in one transaction


class Packed(NamedTuple):
    """What a run did: sources and raw bytes packed, bytes they take less, bytes still to pack."""

    sources: int = 0
    raw_bytes: int = 0
    saved_bytes: int = 0
    pending_bytes: int = 0


class _Task(NamedTuple):
    """A source to pack to `level`, going on at `extent`; `left` bytes of it are not packed yet."""

    key: str
    extent: PackedExtent
    left: int


class _Exchange(NamedTuple):
    """Chunks as they were stored, and the one that takes their place (None: they stay)."""

    old: list[tuple[bytes, bytes]]
    new: bytes | None


def pack_old(
    backend: Backend, *, after: float = AFTER, budget: int = BUDGET, now: float | None = None
) -> Packed:
    """Pack what has not changed for `after` days, at most `budget` bytes of it; return what was done.

    Raises:
        CorruptArchiveError: a chunk does not match its checksum; what was packed before it stays.
    """
    if is_url(backend.name):
        return Packed()
    now = time.time() if now is None else now
    tasks = backend.read(partial(_tasks, after=after, now=now))
    sources = total = saved = 0
    pending = sum(task.left for task in tasks)
    for task in tasks:
        if budget <= 0:
            break
        packed, less = 0, 0
        extent: PackedExtent | None = task.extent
        while extent is not None and budget > 0:
            extent, size, freed = _step(backend, task.key, extent)
            packed, less = packed + size, less + freed
            budget -= size * (_DEAR if task.extent.level > _LEVELS[-1][1] else 1)
        sources, total, saved = sources + 1, total + packed, saved + less
        pending -= task.left if extent is None else min(packed, task.left)
    return Packed(sources, total, saved, max(0, pending))


def _tasks(txn: Reader, after: float, now: float) -> list[_Task]:
    """The sources with something to pack, in the order they were first read. O(sources)."""
    found: list[_Task] = []
    for _, value in txn.items("sources"):
        source = unpack(value, Source)
        done = source.packed
        if source.pruned == NEVER or source.damaged or not source.length:
            continue
        complete = (done.generation, done.offset) == (source.generation, source.length)
        if complete and done.level >= _LEVELS[0][1]:
            continue
        last = _last_change(txn, source)
        if last is None or (days := (now - last) / DAY) < after:
            continue
        level = next(level for beyond, level in _LEVELS if days >= beyond)
        if done.level >= level:
            if complete:
                continue
            extent = done
        else:
            extent = PackedExtent(level, 0, 0)
        begin = max(extent.offset if extent.generation == source.generation else 0, source.pruned)
        found.append(_Task(source.key, extent, max(1, source.length - begin)))
    return found


def _last_change(txn: Reader, source: Source) -> float | None:
    """When anything was last said in the conversations of a source; None where that is unknown."""
    moments: list[float] = []
    prefix = b"s" + number_key(source.number)
    for key in txn.keys("links", prefix):
        record = conversations.find(txn, key[len(prefix) :].decode())
        if record is None:
            continue
        one = conversations.summary_of(record)
        at = one.ended_at or one.started_at or one.captured_at
        if at is None:
            return None
        moments.append(at)
    return max(moments, default=None)


def _step(backend: Backend, key: str, extent: PackedExtent) -> tuple[PackedExtent | None, int, int]:
    """Pack the next `_STEP` of a source; (where to go on, or None; bytes packed; bytes saved)."""
    read = backend.read(partial(_exchanges, key=key, extent=extent))
    if read is None:
        return None, 0, 0
    exchanges, reached, size = read
    saved = backend.write(partial(_apply, key=key, exchanges=exchanges, reached=reached))
    if saved is None:
        return None, 0, 0  # it changed meanwhile: the next run looks at it again
    return reached, size, saved


def _exchanges(
    txn: Reader, key: str, extent: PackedExtent
) -> tuple[list[_Exchange], PackedExtent, int] | None:
    """Read and compress one step of a source; None where all of it is packed."""
    source = raw.find_source(txn, key)
    if source is None or source.pruned == NEVER:
        return None
    level, generation, offset = extent
    chunks, exchanges, size = raw.Chunks(), list[_Exchange](), 0
    while size < _STEP and generation <= source.generation:
        group = _group(txn, source.number, generation, offset)
        if not group:
            if generation == source.generation:
                break
            generation, offset = generation + 1, 0
            continue
        exchange, length = _compressed(txn, group, level, chunks)
        exchanges.append(exchange)
        offset = chunk_of(group[0][0])[2] + length
        size += length
    reached = PackedExtent(level, min(generation, source.generation), offset)
    return (exchanges, reached, size) if exchanges or reached != extent else None


def _group(txn: Reader, number: int, generation: int, offset: int) -> list[tuple[bytes, bytes]]:
    """The stored chunks from `offset` on that follow one another, up to `CHUNK` in all."""
    group: list[tuple[bytes, bytes]] = []
    end, size, base = -1, 0, -1
    low, high = chunk_key(number, generation, offset), chunk_key(number, generation + 1, 0)
    for key, value in txn.items("raw", low, high):
        chunk, start = unpack(value, Chunk), chunk_of(key)[2]
        follows = start == end and chunk.base == base and size + chunk.length <= CHUNK
        if group and not follows:
            break
        group.append((key, value))
        end, size, base = start + chunk.length, size + chunk.length, chunk.base
    return group


def _compressed(
    txn: Reader, group: list[tuple[bytes, bytes]], level: int, chunks: raw.Chunks
) -> tuple[_Exchange, int]:
    """One chunk in the place of several, if it is smaller; and its length.

    Raises:
        CorruptArchiveError: what was compressed does not come back as it was.
    """
    data = b"".join(raw.chunk_bytes(txn, key, chunks) for key, _ in group)
    number, _, offset = chunk_of(group[0][0])
    base = unpack(group[0][1], Chunk).base
    prefix = b""
    if base >= 0:
        prefix = raw.read(txn, number, base, offset, len(data), chunks)
    frame = compress(data, prefix, level=level)
    if decompress(frame, prefix) != data:
        raise CorruptArchiveError(
            f"raw chunk {group[0][0].hex()} was not packed: it did not come back as it was; "
            "run `dejavu archive verify`"
        )
    new = pack(Chunk(len(data), base, frame))
    if len(new) >= sum(len(value) for _, value in group):
        return _Exchange(group, None), len(data)
    return _Exchange(group, new), len(data)


def _apply(txn: Writer, key: str, exchanges: list[_Exchange], reached: PackedExtent) -> int | None:
    """Exchange the chunks and note how far the source is packed; bytes saved, None if it changed."""
    source = raw.find_source(txn, key)
    if source is None:
        return None
    for old_key, value in _old(exchanges):
        if txn.get("raw", old_key) != value:
            return None
    saved = 0
    for old, new in exchanges:
        if new is None:
            continue
        for old_key, value in old:
            txn.delete("raw", old_key)
            saved += len(value)
        txn.put("raw", old[0][0], new)
        saved -= len(new)
    source.packed = reached
    raw.save_source(txn, source)
    return saved


def _old(exchanges: list[_Exchange]) -> Iterator[tuple[bytes, bytes]]:
    for exchange in exchanges:
        yield from exchange.old
