"""Following a small file that its agent rewrites whole.

Returns the whole file when its content differs from what the cursor records. An unchanged file
costs one stat. Memory is O(file), at most `longest_line`: a document longer than that is kept in
pieces when it is first seen, and left alone where there is an earlier version of it.

The cursor is `[hash, size, mtime, inode, ctime]`. A JSON document caught half-written is left for the
next time, unless it has stood that way for a while: then it is damaged. It is kept as it is where
there is nothing better; it never takes the place of a version that was whole.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec

from dejavu.model import UnreadableSessionError
from dejavu.model.blake2 import blake2b
from dejavu.model.json_values import is_json

from ..formats.long_lines import longest_line
from ..protocol import Cursor, RawDelta
from .append import open_plain
from .stamp import is_unchanged, modified_at, stamp_of

_CHUNK = 1 << 20
_SETTLED = 10.0  # seconds after which a document that is no JSON is not being written any more


class FileCursor(msgspec.Struct, array_like=True, frozen=True):
    """The cursor of a document; without an inode it did not come from a file."""

    digest: bytes = b""
    size: int = -1
    mtime: int = 0
    inode: int = 0
    ctime: int = 0


def follow_whole(path: Path, since: Cursor | None = None) -> Iterator[RawDelta]:
    """The bytes of `path`, if they changed after the cursor.

    Raises:
        OSError, UnreadableSessionError: as `open_plain`.
    """
    mark = FileCursor() if since is None else msgspec.msgpack.decode(since, type=FileCursor)
    status = path.lstat()
    if is_unchanged(status, mark):
        return
    with os.fdopen(open_plain(path), "rb") as file:
        status = os.fstat(file.fileno())
        longest = longest_line()
        if status.st_size > longest:
            yield from _pieces(path, file, status, None if since is None else mark)
            return
        data = file.read(longest)
    digest = blake2b(data, digest_size=16).digest()
    cursor = _cursor(digest, status)
    if digest == mark.digest:
        yield RawDelta(len(data), b"", cursor)
    elif is_json(data):
        yield RawDelta(0, data, cursor, reset=since is not None)
    elif time.time() - modified_at(stamp_of(status)) / 1e9 > _SETTLED:
        if since is not None:
            raise UnreadableSessionError(
                f"{path} is not a whole JSON document; what was archived stays"
            )
        yield RawDelta(0, data, cursor)


def _pieces(
    path: Path, file: IO[bytes], status: os.stat_result, mark: FileCursor | None
) -> Iterator[RawDelta]:
    """A document that is too long, in pieces. Only the last one's cursor says that all was read."""
    digest, offset = blake2b(digest_size=16), 0
    for data in _chunks(file, status.st_size):
        digest.update(data)
        offset += len(data)
    whole = _cursor(digest.digest(), status)
    if mark is None or not mark.digest:
        offset, partial = 0, msgspec.msgpack.encode(FileCursor())
        file.seek(0)
        for data in _chunks(file, status.st_size):
            yield RawDelta(offset, data, partial, reset=offset == 0 and mark is not None)
            offset += len(data)
    elif digest.digest() != mark.digest:
        raise UnreadableSessionError(
            f"{path} has {status.st_size >> 20} MB now, more than `longest_line` under [sync] in "
            "config.toml; what was archived stays"
        )
    yield RawDelta(offset, b"", whole)


def _cursor(digest: bytes, status: os.stat_result) -> Cursor:
    size, modified, changed, inode = stamp_of(status)
    return msgspec.msgpack.encode(FileCursor(digest, size, modified, inode, changed))


def _chunks(file: IO[bytes], size: int) -> Iterator[bytes]:
    """The first `size` bytes of a file: it may grow faster than it is read."""
    while data := file.read(min(size, _CHUNK)):
        yield data
        size -= len(data)
