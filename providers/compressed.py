"""Following a file that grows and is then compressed whole by its agent (zstd).

Takes a path and a cursor; gives the uncompressed stream from there on, with the cursor that
`append` writes: a source may change its form without being read again. Costs O(file) whenever the
compressed file changed, and one stat otherwise; memory is O(longest line).
"""

import os
import sys
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import IO

import msgspec

from .api import Cursor, Delta
from .append import PRINT, Mark, open_plain
from .records import is_object

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_CHUNK = 1 << 20


def head_of(path: Path, length: int) -> bytes:
    """The first `length` bytes of a file, compressed or not; b"" if it cannot be read."""
    try:
        with os.fdopen(open_plain(path), "rb") as file:
            if path.suffix != ".zst":
                return file.read(length)
            with zstd.ZstdFile(file) as unpacked:
                return unpacked.read(length)
    except (OSError, EOFError, zstd.ZstdError):
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

    def mark(self, size: int, status: os.stat_result) -> Mark:
        head, tail = (blake2b(end, digest_size=16).digest() for end in (self._head, self._tail))
        return Mark(self.offset, head, tail, size, status.st_mtime_ns, status.st_ino)


def follow_compressed(path: Path, since: Cursor | None = None) -> Iterator[Delta]:
    """Whole lines of the uncompressed stream after the cursor; a damaged end is left out.

    Raises:
        OSError, UnreadableSession: as `open_plain`.
    """
    mark = Mark() if since is None else msgspec.msgpack.decode(since, type=Mark)
    status = path.lstat()
    if (status.st_size, status.st_mtime_ns, status.st_ino) == (mark.size, mark.mtime, mark.inode):
        return
    with os.fdopen(open_plain(path), "rb") as file:
        prints, stream = _Prints(), _unpacked(file)
        while prints.offset < mark.offset and (data := stream(mark.offset - prints.offset)):
            prints.feed(data)
        known = prints.mark(0, status)
        reset = (known.offset, known.head, known.tail) != (mark.offset, mark.head, mark.tail)
        if reset := reset and mark.offset > 0:
            file.seek(0)
            prints, stream = _Prints(), _unpacked(file)
        for data in _lines(stream):
            prints.feed(data)
            cursor = msgspec.msgpack.encode(prints.mark(-1, status))
            yield Delta(prints.offset - len(data), data, cursor, reset)
            reset = False
        cursor = msgspec.msgpack.encode(prints.mark(status.st_size, status))
        yield Delta(prints.offset, b"", cursor, reset)


def _unpacked(file: IO[bytes]) -> Callable[[int], bytes]:
    """Reads at most so many bytes of what is packed in `file`; b"" at its end or at damage."""
    unpacked = zstd.ZstdFile(file)

    def read(length: int) -> bytes:
        try:
            return unpacked.read(min(length, _CHUNK))
        except (EOFError, zstd.ZstdError):
            return b""

    return read


def _lines(stream: Callable[[int], bytes]) -> Iterator[bytes]:
    """Whole lines in pieces of about 1 MiB; the last line even without its newline."""
    pieces: list[bytes] = []
    while data := stream(_CHUNK):
        end = data.rfind(b"\n") + 1
        if end:
            yield b"".join((*pieces, data[:end]))
            pieces = [data[end:]] if end < len(data) else []
        else:
            pieces.append(data)
    if pieces and is_object(rest := b"".join(pieces)):
        yield rest
