"""Following a session whose records its agent keeps in its own store, as a stream of lines.

A record is a line, byte for byte as the store has it. What came after the records already read is
appended; where one of those changed or is gone, the stream starts over. Nothing is read while the
store's stamp is the same; else memory and time are O(the session's records).
"""

from collections.abc import Callable, Iterable, Iterator

import msgspec

from dejavu.model.blake2 import blake2b

from ..protocol import Cursor, RawDelta

_BATCH = 1 << 20


class _Mark(msgspec.Struct, array_like=True, frozen=True):
    """The cursor: the store's stamp, how many records were read, their digest, the offset."""

    stamp: tuple[int, ...] = ()
    count: int = 0
    digest: bytes = b""
    offset: int = 0


def follow_records(
    stamp: tuple[int, ...], read: Callable[[], Iterable[bytes]], since: Cursor | None
) -> Iterator[RawDelta]:
    """The records after the cursor. A record has no newline in it.

    Raises:
        whatever `read` does.
    """
    mark = _Mark() if since is None else msgspec.msgpack.decode(since, type=_Mark)
    if since is not None and stamp == mark.stamp:
        return
    records = list(read())
    digest = blake2b(digest_size=16)
    for record in records[: mark.count]:
        digest.update(record + b"\n")
    kept = mark.count if digest.digest() == mark.digest and len(records) >= mark.count else 0
    reset = mark.count > 0 and not kept
    if not kept:
        digest = blake2b(digest_size=16)
    offset, batch, size = (mark.offset if kept else 0), list[bytes](), 0
    for place, record in enumerate(records[kept:], kept + 1):
        line = record + b"\n"
        digest.update(line)
        batch.append(line)
        size += len(line)
        if size >= _BATCH:
            cursor = _Mark((), place, digest.digest(), offset + size)
            yield RawDelta(offset, b"".join(batch), msgspec.msgpack.encode(cursor), reset)
            offset, batch, size, reset = offset + size, [], 0, False
    cursor = _Mark(stamp, len(records), digest.digest(), offset + size)
    yield RawDelta(offset, b"".join(batch), msgspec.msgpack.encode(cursor), reset)
