"""The layout of the store: which tables there are and how their keys are made.

The bytes of a key sort as the things it names. Does no I/O. Every number is big-endian, every hash
8 bytes of BLAKE2b (a wrong match is caught: what is found by a hash is compared with the record
itself).

    meta     b"meta"                                   the archive's own record (format, counters)
    summaries  conversation id                         a conversation without its turns
    numbers  conversation number                       its id
    order    b"d" date number                          date -> instance, agent, id
             b"w" workspace date number                workspace -> date
             b"i" workspace instance date number       workspace -> instance -> date
    turns    conversation number, first seq            a block of turns
    sources  hash of the source's key (16 bytes)       a source: lengths, cursor
    states   source number                             a parser's state
    raw      source number, generation, offset         a chunk of the source's exact bytes
    links    b"s" source conversation id               source -> conversations
             b"c" conversation number source           conversation -> sources' keys
    log      sequence                                  what changed, in order
    pruned   conversation id                           how many of its turns were pruned
    namespaces name, NUL, key                          small records of other parts
"""

import struct
from math import isnan

from dejavu.model.blake2 import blake2b

# One B-tree holds them all, told apart by the first byte: LMDB's named databases could only be
# opened in a write transaction, and a reader would have to wait for the writer.
TABLES = {
    "meta": b"M", "summaries": b"H", "order": b"O", "turns": b"T", "sources": b"S", "states": b"P",
    "raw": b"R", "numbers": b"N", "links": b"L", "log": b"G", "pruned": b"X", "namespaces": b"V",
}  # fmt: skip
META = b"meta"
# LMDB's own limit is 511 bytes; the longest prefix of ours before an id is 9.
LONGEST_ID = 480

_U64 = struct.Struct(">Q")
_BLOCK = struct.Struct(">QI")
_CHUNK = struct.Struct(">QIQ")
_DOUBLE = struct.Struct(">d")
_SIGN = 1 << 63
_ALL = (1 << 64) - 1

# How long a table's keys are, where all are of one length.
_LENGTHS = {
    "meta": len(META), "numbers": 8, "turns": _BLOCK.size, "sources": 16, "states": 8,
    "raw": _CHUNK.size, "log": 8,
}  # fmt: skip
_LENGTH_OF = {TABLES[table]: length for table, length in _LENGTHS.items()}
_LETTERS = frozenset(TABLES.values())


def is_key(whole: bytes) -> bool:
    """Whether a key with its table's letter can be one of ours; a flipped bit may make it none."""
    letter, length = whole[:1], len(whole) - 1
    if letter == TABLES["links"]:
        return length == 17 if whole[1:2] == b"c" else length > 9
    if letter == TABLES["order"]:
        return length > 16
    return letter in _LETTERS and length == _LENGTH_OF.get(letter, length)


def number_key(number: int) -> bytes:
    """A number as 8 bytes that sort like it."""
    return _U64.pack(number)


def number_of(key: bytes) -> int:
    """The number `number_key` packed (its first 8 bytes)."""
    return int(_U64.unpack_from(key)[0])


def block_key(conversation: int, seq: int) -> bytes:
    """The key of the block of turns that begins at `seq`."""
    return _BLOCK.pack(conversation, seq)


def block_of(key: bytes) -> tuple[int, int]:
    """(conversation number, first seq) of a block's key."""
    conversation, seq = _BLOCK.unpack(key)
    return conversation, seq


def chunk_key(source: int, generation: int, offset: int) -> bytes:
    """The key of the chunk of raw bytes that begins at `offset`."""
    return _CHUNK.pack(source, generation, offset)


def chunk_of(key: bytes) -> tuple[int, int, int]:
    """(source number, generation, offset) of a chunk's key."""
    source, generation, offset = _CHUNK.unpack(key)
    return source, generation, offset


def text_hash(text: str, size: int = 8) -> bytes:
    """`size` bytes that stand for `text`."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).digest()


def timestamp_key(at: float | None) -> bytes:
    """8 bytes that sort as moments do; None sorts before every moment."""
    if at is None or isnan(at):
        return bytes(8)
    bits = number_of(_DOUBLE.pack(at + 0.0))  # -0.0 and 0.0 are one timestamp
    return _U64.pack(bits ^ (_ALL if bits & _SIGN else _SIGN))


def after(prefix: bytes) -> bytes | None:
    """The least key above every key that begins with `prefix`; None where there is none."""
    stripped = prefix.rstrip(b"\xff")
    return stripped[:-1] + bytes((stripped[-1] + 1,)) if stripped else None
