"""The values on disk: msgpack outside, the record's JSON inside.

`pack` and `unpack` are inverse. A value is one msgpack object. The text of a turn or head within
it is JSON, the language agents write, so that it repeats the raw bytes letter by letter and
compresses to a reference into them (benchmarks/archive/layout.py: 5 times smaller than msgpack
strings, whose unescaped line ends break every match). New fields need defaults; types never
change; anything else is a new format (migrations.py).

Costs O(size of the value).
"""

import json
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
