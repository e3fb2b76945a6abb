"""Following a file that we cannot read yet: all of it, whenever it changed.

A SQLite database is read as one consistent image, its write-ahead log included, and never locked;
anything else as it is there. Memory and time are O(file); one that is larger than `longest_line`
is refused, for it would have to be stored again at each change.

Tested in: tests/ingest/test_silent_stores.py
"""

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from dejavu.model import UnreadableSessionError
from dejavu.model.blake2 import blake2b

from ..formats.long_lines import longest_line
from ..protocol import Cursor, RawDelta
from .append import open_plain
from .sqlite import image, reading
from .stamp import database_stamp

_SQLITE = b"SQLite format 3\0"


class FileCursor(msgspec.Struct, array_like=True, frozen=True):
    """The cursor: the file's stamp and the hash of what was read."""

    stamp: tuple[int, ...] = ()
    digest: bytes = b""


def follow_opaque(
    path: Path,
    since: Cursor | None = None,
    *,
    longest: int | None = None,
    damaged: bool = False,
) -> Iterator[RawDelta]:
    """The bytes of `path`, at most `longest` (else `longest_line`), if they changed after the cursor.

    With `damaged` a database that cannot be read is taken as its file is, without its log.

    Raises:
        OSError, UnreadableSessionError: as `open_plain`; or it is too large, or a damaged database.
    """
    mark = FileCursor() if since is None else msgspec.msgpack.decode(since, type=FileCursor)
    now = database_stamp(path)
    if now == mark.stamp:
        return
    with os.fdopen(open_plain(path), "rb") as file:
        longest = longest or longest_line()
        if os.fstat(file.fileno()).st_size > longest:
            raise UnreadableSessionError(
                f"{path} has more than `longest_line` under [sync] in config.toml; it is not read "
                "by this version, and too large to be kept as it is"
            )
        data = file.read(longest)
    if data.startswith(_SQLITE):
        try:
            data = reading(path, lambda connection: image(connection, longest))
        except UnreadableSessionError:
            if not damaged:
                raise
    digest = blake2b(data, digest_size=16).digest()
    cursor = msgspec.msgpack.encode(FileCursor(now, digest))
    if digest == mark.digest:
        yield RawDelta(len(data), b"", cursor)
    else:
        yield RawDelta(0, data, cursor, reset=since is not None)
