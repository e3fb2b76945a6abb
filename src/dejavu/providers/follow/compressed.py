"""Following a file that grows and is then compressed whole by its agent (zstd).

Returns the uncompressed stream after a cursor. The cursor is the one that `append` writes: a source
may change its form without being read again. Costs O(file) whenever the compressed file changed,
and one stat otherwise; memory is O(longest line), and a line longer than `longest_line` comes in
pieces. A stream that unpacks to more than 1,000 times its file is a trap and ends there; session logs
reach a fiftieth of that.
"""

import os
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import IO

import msgspec
from msgspec.structs import replace

from dejavu.model import UnreadableSessionError
from dejavu.model.blake2 import blake2b

from ..formats.json_lines import is_object
from ..formats.long_lines import longest_line
from ..protocol import Cursor, RawDelta
from .append import PRINT, FileCursor, open_plain
from .stamp import is_unchanged, stamp_of

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_CHUNK = 1 << 20
_RATIO, _SMALL = 1000, 64 << 20  # times its file, and bytes that any file may unpack to


def head_of(path: Path, length: int) -> bytes:
    """The first `length` bytes of a file, compressed or not; b"" if it cannot be read."""
    try:
        with os.fdopen(open_plain(path), "rb") as file:
            packed = path.suffix == ".zst"
            return next(_unpacked(file, path), b"")[:length] if packed else file.read(length)
    except (OSError, UnreadableSessionError):
        return b""


class _Prints:
    """Fingerprints of what was read so far, as `append` takes them of a plain file."""

    def __init__(self) -> None:
        self.offset = 0
        self._head = self._tail = b""

    def feed(self, data: bytes) -> None:
        self.offset += len(data)
        if len(self._head) < PRINT:
            self._head = (self._head + data)[:PRINT]
        self._tail = (self._tail + data[-PRINT:])[-PRINT:]

    def mark(self, size: int, status: os.stat_result) -> FileCursor:
        head, tail = (blake2b(end, digest_size=16).digest() for end in (self._head, self._tail))
        _, modified, changed, inode = stamp_of(status)
        return FileCursor(self.offset, head, tail, size, modified, inode, ctime=changed)


def follow_compressed(path: Path, since: Cursor | None = None) -> Iterator[RawDelta]:
    """Whole lines of the uncompressed stream after the cursor; a damaged end is left out.

    Raises:
        OSError, UnreadableSessionError: as `open_plain`.
    """
    mark = FileCursor() if since is None else msgspec.msgpack.decode(since, type=FileCursor)
    status = path.lstat()
    if is_unchanged(status, mark):
        return
    with os.fdopen(open_plain(path), "rb") as file:
        prints, pieces = _passed_over(file, path, mark.offset)
        new_cursor = prints.mark(0, status)
        same = (new_cursor.offset, new_cursor.head, new_cursor.tail) == (
            mark.offset,
            mark.head,
            mark.tail,
        )
        if reset := mark.offset > 0 and not same:
            file.seek(0)
            prints, pieces = _passed_over(file, path, 0)
        shift = 0 if reset else mark.shift
        for data in _lines(pieces):
            prints.feed(data)
            cursor = msgspec.msgpack.encode(replace(prints.mark(-1, status), shift=shift))
            yield RawDelta(prints.offset + shift - len(data), data, cursor, reset)
            reset = False
        cursor = msgspec.msgpack.encode(replace(prints.mark(status.st_size, status), shift=shift))
        yield RawDelta(prints.offset + shift, b"", cursor, reset)


def _passed_over(file: IO[bytes], path: Path, length: int) -> tuple[_Prints, Iterator[bytes]]:
    """Fingerprints of the stream's first `length` bytes, and the rest of it."""
    prints, pieces = _Prints(), _unpacked(file, path)
    while prints.offset < length and (piece := next(pieces, b"")):
        left = length - prints.offset
        prints.feed(piece[:left])
        pieces = chain([piece[left:]], pieces)
    return prints, pieces


def _unpacked(file: IO[bytes], path: Path) -> Iterator[bytes]:
    """What is packed in `file`, up to its end or to where it is damaged, 1 MiB at a time."""
    size = os.fstat(file.fileno()).st_size
    left = max(_SMALL, _RATIO * size)
    unpack = zstd.ZstdDecompressor()
    data = file.read(_CHUNK)
    while data or not unpack.needs_input:
        try:
            piece = unpack.decompress(data, _CHUNK)
        except zstd.ZstdError:
            return
        if piece:
            left -= len(piece)
            if left < 0:
                raise UnreadableSessionError(
                    f"{path}: {size:,} bytes unpack to more than {max(_SMALL, _RATIO * size):,}; "
                    "what came before is archived"
                )
            yield piece
        if unpack.eof:
            data = unpack.unused_data or file.read(_CHUNK)
            unpack = zstd.ZstdDecompressor()
        else:
            data = file.read(_CHUNK) if unpack.needs_input else b""


def _lines(stream: Iterator[bytes]) -> Iterator[bytes]:
    """Whole lines in pieces of about 1 MiB; the last line even without its newline."""
    pieces: list[bytes] = []
    longest = longest_line()
    in_long_line = False
    for data in stream:
        end = data.rfind(b"\n") + 1
        if end:
            yield b"".join((*pieces, data[:end]))
            pieces, in_long_line = [data[end:]] if end < len(data) else [], False
        elif in_long_line:
            yield data
        else:
            pieces.append(data)
            if sum(map(len, pieces)) > longest:
                yield from pieces
                pieces, in_long_line = [], True
    if pieces and is_object(rest := b"".join(pieces)):
        yield rest
