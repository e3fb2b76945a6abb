"""The values on disk: msgpack outside, the record's JSON inside, compressed where it pays.

`pack` and `unpack` are inverse. A value is one msgpack object. The text of a turn or head within
it is JSON, the language agents write, so that it repeats the raw bytes letter by letter and
compresses to a reference into them (benchmarks/archive/layout.py: 5 times smaller than msgpack
strings, whose unescaped line ends break every match). New fields need defaults; types never
change; anything else is a new format (migrations.py). Costs O(size of the value).

`compress` is Zstandard with or without a prefix; this is the one place that chooses the library. A
prefix is text both sides already have: what repeats it costs a few bytes, so a value can lean on raw
bytes that are stored anyway. Frames carry a checksum of their content (XXH64), which is what `verify`
counts on. Costs O(data + prefix), about 500 MB/s.
"""

import json
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec

from dejavu.model import Conversation, CorruptArchiveError, Span, Turn

FORMAT = 2
NEVER = (1 << 63) - 1

T = TypeVar("T")


class Meta(msgspec.Struct, kw_only=True):
    """The archive's own record. Restoring changes `incarnation`: nothing derived survives it."""

    format: int = FORMAT
    archive_id: bytes
    created_at: float
    conversations: int = 0  # the highest number given, not how many there are
    sources: int = 0
    sequence: int = 0
    turns: int = 0
    raw_bytes: int = 0


class SummaryRecord(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A conversation as kept: its number, its JSON without turns, its first prompt's JSON.

    `first` is the seq of the first turn held: above 0 where older ones were pruned.
    """

    number: int
    conversation: bytes
    prompt: bytes = b'""'
    first: int = 0


class PackedExtent(NamedTuple):
    """How far the raw of a source is packed: all before `offset` of `generation`, at `level`."""

    level: int = 0
    generation: int = 0
    offset: int = 0


class Source(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One source of raw bytes. `generation` rises each time the source was rewritten.

    Bytes of this generation before `pruned` were pruned; `NEVER` means none is kept any more.
    `name` is its key in UTF-8; paths that are no UTF-8 come as lone surrogates and stay so.
    `damaged` are generations of which a repair left out what could not be read. `packed`: see
    `maintenance/pack.py`; a program that does not know it drops it, and its raw is packed again.
    """

    number: int
    name: bytes
    generation: int = 0
    length: int = 0
    cursor: bytes | None = None
    pruned: int = 0
    damaged: list[int] = []
    packed: PackedExtent = PackedExtent()

    @property
    def key(self) -> str:
        """The key others know the source by."""
        return self.name.decode("utf-8", "surrogatepass")


class Chunk(msgspec.Struct, array_like=True):
    """Raw bytes: their length, the generation they lean on (-1: none), a frame."""

    length: int
    base: int
    frame: bytes


class Block(msgspec.Struct, array_like=True):
    """Turns: how many, how long their JSON is, and a frame of a msgpack array of it.

    The prefix of the frame is the bytes of `ranges` (offset, length) in `source`, `generation`;
    `source` 0 means no prefix.
    """

    count: int
    size: int
    source: int
    generation: int
    ranges: list[tuple[int, int]]
    frame: bytes


class Entry(msgspec.Struct, array_like=True):
    """One line of the log. `was` is where the conversation ended before."""

    change: str
    conversation: str
    number: int
    start: int
    stop: int
    was: int
    at: float


class _Spans(msgspec.Struct):
    spans: tuple[Span, ...] = ()


_pack = msgspec.msgpack.Encoder()
_write = msgspec.json.Encoder()
_texts: msgspec.msgpack.Decoder[list[bytes]] = msgspec.msgpack.Decoder(list[bytes])
_views: "msgspec.msgpack.Decoder[list[memoryview[int]]]" = msgspec.msgpack.Decoder(list[memoryview])
_spans = msgspec.json.Decoder(_Spans)


def pack(value: Any) -> bytes:
    """`value` as one msgpack object."""
    return _pack.encode(value)


def unpack(data: bytes, kind: type[T]) -> T:
    """The record of `kind` in `data`.

    Raises:
        CorruptArchiveError: the bytes are not such a record.
    """
    try:
        return msgspec.msgpack.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise CorruptArchiveError(
            f"a stored {kind.__name__.removesuffix('Record').lower()} cannot be read ({error}); "
            "run `dejavu archive verify --repair`"
        ) from error


def packed_texts(texts: Sequence[bytes]) -> list[bytes]:
    """What `pack(texts)` gives, in parts, so that no long text is copied."""
    parts = [b"\xdd" + len(texts).to_bytes(4)]  # msgpack: array 32, and for each a bin 32
    for text in texts:
        parts += (b"\xc6" + len(text).to_bytes(4), text)
    return parts


def unpack_texts(data: bytes) -> list[bytes]:
    """The JSON texts of a block's turns."""
    return _texts.decode(data)


def unpack_views(data: bytes) -> "list[memoryview[int]]":
    """As `unpack_texts`, copying nothing: each keeps `data` alive."""
    return _views.decode(data)


def to_text(value: Turn | Conversation | str) -> bytes:
    """`value` as JSON, the same bytes each time.

    Lone surrogates (agents cut text in the middle of a character) go through `json`, which can
    write them as escapes; msgspec cannot.
    """
    try:
        return _write.encode(value)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(value), separators=(",", ":")).encode("ascii")


def from_text(text: bytes, kind: type[T]) -> T:
    """The record of `kind` in JSON `text`.

    Raises:
        CorruptArchiveError: the text is not such a record.
    """
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.MsgspecError:
        pass
    try:
        return msgspec.convert(json.loads(text), kind)
    except (ValueError, msgspec.MsgspecError) as error:
        raise CorruptArchiveError(
            f"the text of a stored {kind.__name__.lower()} cannot be read ({error}); "
            "run `dejavu archive verify`, then `dejavu archive reparse`"
        ) from error


def spans_of(text: bytes) -> tuple[Span, ...]:
    """The spans of a turn's JSON, without reading the rest of it."""
    try:
        return _spans.decode(text).spans
    except msgspec.MsgspecError:
        return ()


if sys.version_info >= (3, 14):
    from compression.zstd import (
        CompressionParameter,
        ZstdCompressor,
        ZstdDecompressor,
        ZstdDict,
        ZstdError,
    )
    from compression.zstd import compress as _compress
    from compression.zstd import decompress as _decompress
else:
    from backports.zstd import (
        CompressionParameter,
        ZstdCompressor,
        ZstdDecompressor,
        ZstdDict,
        ZstdError,
    )
    from backports.zstd import compress as _compress
    from backports.zstd import decompress as _decompress

# Below 8 bytes zstd takes no dictionary (ZstdDict's own limit), and nothing would be gained.
SHORTEST_PREFIX = 8
# The widest window a stock decoder accepts (ZSTD_WINDOWLOG_LIMIT_DEFAULT, 128 MiB).
WIDEST_WINDOW = 27
_PLAIN: dict[int, int] = {
    CompressionParameter.compression_level: 1,
    CompressionParameter.checksum_flag: 1,
}
# For 16: tables that fit a processor's cache, 1.7 times as fast as level 17's own, and 1 % larger.
_TUNED: dict[int, dict[int, int]] = {
    3: {CompressionParameter.chain_log: 17},
    16: {
        CompressionParameter.chain_log: 18,
        CompressionParameter.hash_log: 17,
        CompressionParameter.search_log: 4,
    },
}
# Measured by benchmarks/archive/layout.py: long matches into the prefix are what pays, so a table
# wide enough to hold it (2**17) and a longer least match than level 1's own.
_LEANING: dict[int, int] = {
    **_PLAIN,
    CompressionParameter.hash_log: 17,
    CompressionParameter.min_match: 7,
}


def compress(data: bytes, prefix: bytes = b"", *, level: int = 1) -> bytes:
    """One zstd frame of `data`, leaning on `prefix` where it repeats it.

    Speed falls with `level`: 1 makes about 400 MB/s, 9 makes 85, 16 makes 12.
    """
    harder: dict[int, int] = {} if level == 1 else {CompressionParameter.compression_level: level}
    if len(prefix) < SHORTEST_PREFIX:
        return _compress(data, options={**_PLAIN, **harder, **_TUNED.get(level, {})})
    window = min(WIDEST_WINDOW, max(17, (len(prefix) + len(data)).bit_length()))
    tuned = {**_PLAIN, **harder} if harder else _LEANING
    options = {**tuned, CompressionParameter.window_log: window}
    return _compress(data, options=options, zstd_dict=ZstdDict(prefix, is_raw=True).as_prefix)


def compress_parts(parts: Sequence[bytes]) -> bytes:
    """One frame of the parts end to end, which are not joined: for values of many megabytes."""
    compressor = ZstdCompressor(options=_PLAIN)
    compressor.set_pledged_input_size(sum(map(len, parts)))
    return b"".join((*map(compressor.compress, parts), compressor.flush()))


def decompress(frame: bytes, prefix: bytes = b"", size: int = -1) -> bytes:
    """The data of a frame made by `compress` with the same prefix.

    size: bytes of its beginning that are wanted, without a look at its checksum; -1: all of it.

    Raises:
        CorruptArchiveError: the frame is damaged, or the prefix is not the one it was made with.
    """
    try:
        if size >= 0:
            leaning = len(prefix) >= SHORTEST_PREFIX
            base = ZstdDict(prefix, is_raw=True).as_prefix if leaning else None
            return ZstdDecompressor(zstd_dict=base).decompress(frame, size)
        if len(prefix) < SHORTEST_PREFIX:
            return _decompress(frame)
        return _decompress(frame, zstd_dict=ZstdDict(prefix, is_raw=True).as_prefix)
    except ZstdError as error:
        raise CorruptArchiveError(
            f"a stored value does not match its checksum ({error}); run `dejavu archive verify --repair`"
        ) from error
