"""Following a file that grows at its end.

Takes a path and a cursor; gives the bytes from there on, whole lines only. Reads at most 8 KiB
beside what is new; an unchanged file costs one stat. A line of any length is one delta, read in
one allocation; memory is O(longest line), never O(file).

The cursor is `[offset, head, tail, size, mtime, inode]`: `head` is a hash of the file's first 4
KiB (as far as read), `tail` of the last 4 KiB before `offset`. If they differ, or the file is
shorter, it was rewritten and is read anew.
"""

import os
import stat
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

import msgspec

from dejavu.record import UnreadableSession

from .api import Cursor, Delta
from .records import is_object

PRINT = 4096  # bytes of the fingerprints, at the head and before the offset
_CHUNK = 1 << 20  # read at a time; a longer line is read at once, whole


class Mark(msgspec.Struct, array_like=True, frozen=True):
    """The cursor of a stream of lines; `size` is -1 where the file was not read to its end."""

    offset: int = 0
    head: bytes = b""
    tail: bytes = b""
    size: int = -1
    mtime: int = 0
    inode: int = 0


def open_plain(path: Path) -> int:
    """A file descriptor to read a regular file that is no symbolic link.

    Raises:
        OSError: it is missing, may not be read, or is a link (a restored home is not trusted).
        UnreadableSession: it is a pipe, a device or a folder.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UnreadableSession(f"{path} is not a regular file; move it out of the agent's folder")
    return descriptor


def follow_append(path: Path, since: Cursor | None = None, *, json: bool = True) -> Iterator[Delta]:
    """The lines of `path` after the cursor. Ends at the last newline.

    A last line without a newline waits for one, unless `json` is set and it is a whole object:
    then nothing can be missing of it.

    Raises:
        OSError, UnreadableSession: as `open_plain`.
    """
    mark = Mark() if since is None else msgspec.msgpack.decode(since, type=Mark)
    status = path.lstat()
    if (status.st_size, status.st_mtime_ns, status.st_ino) == (mark.size, mark.mtime, mark.inode):
        return
    descriptor = open_plain(path)
    try:
        status = os.fstat(descriptor)
        reset = since is not None and not _same(descriptor, mark, status.st_size)
        offset = 0 if reset else mark.offset
        while data := _whole_lines(descriptor, offset, status.st_size, json):
            offset += len(data)
            size = status.st_size if offset >= status.st_size else -1
            yield Delta(offset - len(data), data, _cursor(descriptor, offset, size, status), reset)
            reset = False
        if reset or offset < status.st_size or offset == mark.offset:
            # Nothing new, or a torn tail: remember how the file looked, to cost one stat next time.
            yield Delta(offset, b"", _cursor(descriptor, offset, status.st_size, status), reset)
    finally:
        os.close(descriptor)


def _cursor(descriptor: int, offset: int, size: int, status: os.stat_result) -> Cursor:
    head = _digest(descriptor, 0, min(offset, PRINT))
    tail = _digest(descriptor, max(0, offset - PRINT), min(offset, PRINT))
    mark = Mark(offset, head, tail, size, status.st_mtime_ns, status.st_ino)
    return msgspec.msgpack.encode(mark)


def _same(descriptor: int, mark: Mark, size: int) -> bool:
    """Whether what was read up to the mark still stands in the file."""
    if size < mark.offset:
        return False
    before = max(0, mark.offset - PRINT)
    return mark.offset == 0 or (
        _digest(descriptor, 0, min(mark.offset, PRINT)) == mark.head
        and _digest(descriptor, before, mark.offset - before) == mark.tail
    )


def _digest(descriptor: int, offset: int, length: int) -> bytes:
    return blake2b(os.pread(descriptor, length, offset), digest_size=16).digest()


def _whole_lines(descriptor: int, offset: int, size: int, json: bool) -> bytes:
    """Whole lines from `offset`, at least one if there is one; b"" if there is none."""
    data = os.pread(descriptor, min(_CHUNK, max(0, size - offset)), offset)
    end, place = data.rfind(b"\n") + 1, offset + len(data)
    if end and (end == len(data) or place < size):
        return data[:end]
    while not end and place < size:  # a long line: look for its end, then read it in one piece
        piece = os.pread(descriptor, min(_CHUNK, size - place), place)
        if not piece:
            break
        if found := piece.find(b"\n") + 1:
            return _read(descriptor, offset, place + found - offset)
        place += len(piece)
    if json and place > offset + end:  # the tail has no newline yet
        torn = _read(descriptor, offset + end, place - offset - end)
        if is_object(torn):
            return data[:end] + torn
    return data[:end]


def _read(descriptor: int, offset: int, length: int) -> bytes:
    """`length` bytes at `offset`; fewer only where the file ends."""
    data = os.pread(descriptor, length, offset)
    while len(data) < length and (
        more := os.pread(descriptor, length - len(data), offset + len(data))
    ):
        data += more
    return data
