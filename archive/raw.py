"""Raw bytes: each source's exact bytes, in zstd chunks of at most 512 KiB, append-only.

They are read back by range. A source that was rewritten begins a new generation; the old one is
kept. Chunks of generation g lean on the same bytes of generation g & (g - 1) (skip deltas: at most
log2(g) steps back), so a small file rewritten at every turn costs its changes, not its size.

Small appends are merged into their neighbours while those are less than twice as long, so a byte
is rewritten O(log) times and a source has few chunks. Reading a range costs O(its chunks).
"""

from collections import OrderedDict
from collections.abc import Iterable
from contextlib import suppress

import msgspec

from dejavu.model import ArchiveError, CorruptArchiveError, HiddenTurnsError, Span

from .backends.transaction import Reader, Writer, unwrap
from .keys import TABLES, chunk_key, chunk_of, number_key, number_of, text_hash
from .records import NEVER, Chunk, Source, compress, decompress, pack, unpack

# A search hit reads the chunk under it. Of generated sessions the archive takes 0.267 of raw with
# 128 KiB at level 1, 0.243 with 256 KiB at level 2, 0.230 as it is.
CHUNK = 512 << 10
SHARED = (
    "its session log is shared with a project that is hidden from this login, so its raw bytes are not "
    "given out; an owner of that project gives the right with `dejavu team grant`"
)
"""Why raw is not given out though a conversation in it may be read."""
_LEVEL = 3  # of a chunk without a prefix: from 256 KiB on as fast as level 2 below it
_GAP = 4 << 10  # spans closer than this are read as one range
_CACHED = 8 << 20
_LASTING = 1 << 20


class Chunks:
    """Chunks lately read or written, uncompressed, at most 8 MiB; belongs to one transaction.

    Those of who reads on in one transaction after another are `lasting`: at most 1 MiB, and one
    counts only while the store has the very value it was read from. (A frame has a checksum of its
    content, so an equal frame is equal content, whatever it leans on.) Most chunks are under two
    blocks of turns, and would be unpacked for each. For `scattered` reads a chunk is unpacked only
    as far as it is needed.
    """

    def __init__(self, *, lasting: bool = False, scattered: bool = False) -> None:
        """Start empty."""
        self.scattered = scattered
        self._held: OrderedDict[bytes, tuple[bytes, bytes]] = OrderedDict()
        self._size = 0
        self._lasting = lasting

    def get(self, txn: Reader, key: bytes, size: int = 0) -> bytes | None:
        """The chunk at `key`, at least `size` bytes of it, if it is still held."""
        data, stored = self._held.get(key, (None, b""))
        if data is None or len(data) < size or (self._lasting and stored != txn.stored("raw", key)):
            return None
        self._held.move_to_end(key)
        return data

    def keep(self, key: bytes, data: bytes, stored: bytes = b"") -> None:
        """Hold a chunk, letting go of the longest unused; `stored`: what it was read from."""
        self.drop(key)
        self._held[key] = data, stored
        self._size += len(data)
        while self._size > (_LASTING if self._lasting else _CACHED) and len(self._held) > 1:
            self.drop(next(iter(self._held)))

    def drop(self, key: bytes) -> None:
        """Forget a chunk that was replaced."""
        self._size -= len(self._held.pop(key, (b"", b""))[0])


def find_source(txn: Reader, key: str) -> Source | None:
    """The source kept under `key`."""
    value = txn.get("sources", text_hash(key, 16))
    return None if value is None else unpack(value, Source)


def save_source(txn: Writer, source: Source) -> None:
    """Keep what is known about a source."""
    txn.put("sources", text_hash(source.key, 16), pack(source))


def append(txn: Writer, source: Source, offset: int, data: bytes, chunks: Chunks) -> int:
    """Append `data`, found at `offset` of the source; return the number of new bytes.

    What is already there is skipped, so a retried append changes nothing. `source` is changed in
    place; the caller saves it.

    Raises:
        ArchiveError: `offset` is beyond what is held: bytes in between would be lost.
    """
    if offset > source.length:
        raise ArchiveError(
            f"raw of {source.key} holds {source.length} bytes, cannot go on at {offset}; "
            "read the source again from there"
        )
    data = data[source.length - offset :]
    if not data:
        return 0
    added, start = len(data), source.length
    source.length += added
    if source.pruned == NEVER:
        return 0
    while (tail := _tail(txn, source, start)) is not None:
        key, length = tail
        if length >= 2 * len(data) or length + len(data) > CHUNK:
            break
        data = chunk_bytes(txn, key, chunks) + data
        start -= length
        txn.delete("raw", key)
        chunks.drop(key)
    for position in range(0, len(data), CHUNK):
        _put(txn, source, start + position, data[position : position + CHUNK], chunks)
    return added


def _tail(txn: Reader, source: Source, end: int) -> tuple[bytes, int] | None:
    """(key, length) of the chunk that ends at `end`."""
    first = chunk_key(source.number, source.generation, 0)
    stop = chunk_key(source.number, source.generation, end)
    for key, _ in txn.stored_items("raw", first, stop, reverse=True):
        return key, end - chunk_of(key)[2]
    return None


def _put(txn: Writer, source: Source, offset: int, data: bytes, chunks: Chunks) -> None:
    base, prefix = -1, b""
    if source.generation:
        base = source.generation & (source.generation - 1)
        prefix = read(txn, source.number, base, offset, len(data), chunks)
    key = chunk_key(source.number, source.generation, offset)
    txn.put(
        "raw",
        key,
        pack(Chunk(len(data), base, compress(data, prefix, level=1 if prefix else _LEVEL))),
    )
    chunks.keep(key, data)


def chunk_bytes(txn: Reader, key: bytes, chunks: Chunks, size: int | None = None) -> bytes:
    """The bytes of the chunk at `key`; where `size` are enough, `scattered` reads get no more.

    Raises:
        CorruptArchiveError: it is missing, or does not match its checksum.
    """
    part = size if chunks.scattered else None
    cached = chunks.get(txn, key, part or 0)
    if cached is not None:
        return cached
    stored = txn.stored("raw", key)
    if stored is None:
        raise CorruptArchiveError(f"raw chunk {key.hex()} is missing; run `dejavu archive verify`")
    chunk = unpack(unwrap(TABLES["raw"] + key, stored), Chunk)
    source, _, offset = chunk_of(key)
    prefix = b""
    if chunk.base >= 0:
        prefix = read(txn, source, chunk.base, offset, chunk.length, chunks)
    expected = chunk.length if part is None else min(part, chunk.length)
    data = decompress(chunk.frame, prefix, expected if expected < chunk.length else -1)
    if len(data) != expected:
        raise CorruptArchiveError(f"raw chunk {key.hex()} has {len(data)} bytes, not {expected}")
    chunks.keep(key, data, stored)
    return data


def read(
    txn: Reader, source: int, generation: int, offset: int, length: int, chunks: Chunks
) -> bytes:
    """Bytes `[offset, offset + length)` of one generation, or what there is of them."""
    stop = offset + length
    keys: list[bytes] = []
    first = chunk_key(source, generation, 0)
    end = chunk_key(source, generation, stop)
    for key, _ in txn.stored_items("raw", first, end, reverse=True):
        keys.append(key)
        if chunk_of(key)[2] <= offset:
            break
    pieces: list[bytes] = []
    for key in reversed(keys):
        chunk_start = chunk_of(key)[2]
        if chunk_start > offset:
            break  # nothing is here: pruned, or a chunk is missing (`verify` tells)
        whole = chunk_bytes(txn, key, chunks, stop - chunk_start)
        piece = whole[offset - chunk_start : stop - chunk_start]
        pieces.append(piece)
        offset += len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def joined(spans: Iterable[Span], most: int) -> list[tuple[int, int]]:
    """The spans as ranges (offset, length) in order, near ones joined, at most `most` bytes in all."""
    edges: list[list[int]] = []  # [begin, end]
    for offset, length in sorted((span.offset, span.length) for span in spans):
        if offset < 0 or length <= 0:
            continue
        if edges and offset <= edges[-1][1] + _GAP:
            edges[-1][1] = max(edges[-1][1], offset + length)
        else:
            edges.append([offset, offset + length])
    ranges: list[tuple[int, int]] = []
    for begin, end in edges:
        ranges.append((begin, min(end - begin, most)))
        most -= end - begin
        if most <= 0:
            break
    return ranges


def refuse_hidden(txn: Reader, source: int) -> None:
    """Raise HiddenTurnsError where this login may not read the source of that number (0: none)."""
    if source and txn.hides(source):
        raise HiddenTurnsError(SHARED)


def hides_any(txn: Reader, conversation: int) -> bool:
    """Whether this login may not read one of the sources of the conversation of that number."""
    prefix = b"c" + number_key(conversation)
    return txn.partial and any(
        txn.hides(number_of(key[len(prefix) :])) for key in list(txn.keys("links", prefix))
    )


def expect(txn: Reader, wanted: Iterable[tuple[int, int, int, int]]) -> None:
    """A hint that ranges (source, generation, offset, length) will be read, with what they lean on.

    For a store far away: a round trip, and one more for each step of the skip deltas.
    """
    ranges = set(wanted)
    while ranges:
        spans = [
            (chunk_key(source, generation, 0), chunk_key(source, generation, offset),
             chunk_key(source, generation, offset + length))
            for source, generation, offset, length in ranges
        ]  # fmt: skip
        txn.expect_spans("raw", spans)
        leaning: set[tuple[int, int, int, int]] = set()
        for (source, generation, offset, _), (low, _, stop) in zip(ranges, spans, strict=True):
            if not generation:
                continue  # nothing is beneath the first
            for key, value in txn.stored_items("raw", low, stop, reverse=True):
                with suppress(CorruptArchiveError):
                    chunk = unpack(unwrap(TABLES["raw"] + key, value), Chunk)
                    if chunk.base >= 0:
                        leaning.add((source, chunk.base, chunk_of(key)[2], chunk.length))
                if chunk_of(key)[2] <= offset:
                    break
        ranges = leaning


def begin_generation(source: Source) -> None:
    """Start over: what follows is another writing of the same source."""
    if source.length:
        source.generation += 1
    source.length = 0
    if source.pruned:  # the new writing holds what was pruned, and it is unknown where
        source.pruned = NEVER


def lengths(txn: Reader, source: Source) -> dict[int, int]:
    """Bytes held of each generation of a source."""
    by_generation: dict[int, int] = {}
    for key, value in txn.under("raw", chunk_key(source.number, 0, 0)[:8]):
        generation = chunk_of(key)[1]
        by_generation[generation] = by_generation.get(generation, 0) + chunk_length(value)
    return by_generation


def chunk_length(value: bytes) -> int:
    """The length of a stored chunk's bytes, without unpacking them."""
    return unpack(value, _Length).length


class _Length(msgspec.Struct, array_like=True):
    """The first field of a `Chunk`, read without copying its frame."""

    length: int
