"""Following a file that grows at its end.

Returns the bytes of a file after a cursor, whole lines only. Reads at most 48 KiB besides what is
new; an unchanged file costs one stat. A line is one delta, read in one allocation, unless it is
longer than `longest_line`: then it comes in pieces of 1 MiB. Memory is O(longest line), at most that
limit, never O(file).

The cursor knows the file by fingerprints: of its first 4 KiB, of the last 4 KiB before where it was
read to, and of the 32 KiB before each power of two. What differs was rewritten and is read again. A
file that is only shorter was cut off: what was read of it stays, and what is appended to the rest
follows after it in the raw stream.
"""

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec.structs import replace

from dejavu.model import UnreadableSessionError
from dejavu.model.blake2 import blake2b

from ..formats.json_lines import is_object
from ..formats.long_lines import longest_line
from ..protocol import Cursor, RawDelta
from .stamp import is_unchanged, stamp_of

PRINT = 4096  # bytes of the fingerprints, at the head and before the offset
_SAMPLE = 1 << 15  # bytes of those before each power of two
_BESIDE = 64 << 20  # bytes of a file next to a trace
_CHUNK = 1 << 20  # read at a time; a longer line is read at once, whole
_HOLES = 1 << 30  # bytes of a file that may be missing on the disk


class FileCursor(msgspec.Struct, array_like=True, frozen=True):
    """The cursor of a stream of lines; `size` is -1 where the file was not read to its end."""

    offset: int = 0
    head: bytes = b""
    tail: bytes = b""
    size: int = -1
    mtime: int = 0
    inode: int = 0
    shift: int = 0  # how much further the raw stream is than the file, for what was cut off
    samples: dict[int, bytes] = {}  # fingerprints before the powers of two
    whole: tuple[int, int, bytes] = (0, 0, b"")  # offset, shift and tail before it was cut off
    ctime: int = 0


_NO_FILE = {
    errno.ELOOP: "it is a symbolic link, which is not followed here; put the file itself there",
    errno.ENXIO: "it is not a regular file; move it out of the agent's folder",  # a socket
}
"""What open(2) says of a link and of a socket, in words that help."""


def open_plain(path: Path) -> int:
    """A file descriptor to read a regular file that is no symbolic link.

    Raises:
        OSError: it is missing, may not be read, or is a link (a restored home is not trusted).
        UnreadableSessionError: it is a pipe, a device or a folder, or has gigabytes of holes.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if (why := _NO_FILE.get(error.errno or 0)) is not None:
            raise OSError(error.errno, why, str(path)) from error
        raise
    status = os.fstat(descriptor)
    refusal = ""
    if not stat.S_ISREG(status.st_mode):
        refusal = "is not a regular file; move it out of the agent's folder"
    elif _is_hollow(descriptor, status):
        refusal = (
            "is a sparse file: most of its gigabytes are holes; move it out of the agent's folder"
        )
    if refusal:
        os.close(descriptor)
        raise UnreadableSessionError(f"{path} {refusal}")
    return descriptor


def _is_hollow(descriptor: int, status: os.stat_result) -> bool:
    """Whether a file has more than `_HOLES` bytes of holes, which cost its author nothing."""
    if status.st_size - status.st_blocks * 512 <= _HOLES:
        return False
    # A file system that compresses also uses fewer blocks, but has no hole there.
    try:
        return os.lseek(descriptor, 0, os.SEEK_HOLE) < status.st_size
    except OSError:
        return True
    finally:
        os.lseek(descriptor, 0, os.SEEK_SET)


def read_plain(path: Path) -> bytes:
    """A small file next to a trace: at most 64 MiB of a regular file.

    Raises:
        OSError: it is missing, may not be read, is larger, or is no regular file.
    """
    try:
        descriptor = open_plain(path)
    except UnreadableSessionError as error:
        raise OSError(errno.EINVAL, str(error), str(path)) from error
    with os.fdopen(descriptor, "rb") as file:
        if os.fstat(descriptor).st_size > _BESIDE:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
        return file.read(_BESIDE)


def follow_append(
    path: Path, since: Cursor | None = None, *, json: bool = True
) -> Iterator[RawDelta]:
    """The lines of `path` after the cursor. Ends at the last newline, or inside a line too long.

    A last line without a newline waits for one, unless `json` is set and it is a whole object:
    then nothing can be missing of it.

    Raises:
        OSError, UnreadableSessionError: as `open_plain`.
    """
    mark = FileCursor() if since is None else msgspec.msgpack.decode(since, type=FileCursor)
    status = path.lstat()
    if is_unchanged(status, mark):
        return
    descriptor = open_plain(path)
    try:
        status = os.fstat(descriptor)
        size = status.st_size
        reset = since is not None and not _same(descriptor, mark, size)
        if reset and _is_cut_off(descriptor, mark, size):
            mark, reset = _cut_off(descriptor, mark, size), False
        elif _is_mended(descriptor, mark, size):
            mark = FileCursor(mark.whole[0], shift=mark.whole[1], samples=mark.samples)
        mark = FileCursor() if reset else mark
        offset, capped, in_long_line = mark.offset, False, False
        while data := (
            _piece(descriptor, offset, size)
            if in_long_line
            else _whole_lines(descriptor, offset, size, json)
        ):
            offset += len(data)
            in_long_line = not data.endswith(b"\n")
            sampled_size = size if offset >= size else -1
            mark = _marked(descriptor, FileCursor(offset, shift=mark.shift, samples=mark.samples))
            cursor = _cursor(mark, sampled_size, status)
            yield RawDelta(offset + mark.shift - len(data), data, cursor, reset)
            reset, capped = False, True
        if not capped or offset < size:
            # Nothing new, or a torn tail: remember how the file looked, to cost one stat next time.
            mark = _marked(descriptor, mark)
            yield RawDelta(offset + mark.shift, b"", _cursor(mark, size, status), reset)
    finally:
        os.close(descriptor)


def _cursor(mark: FileCursor, size: int, status: os.stat_result) -> Cursor:
    _, modified, changed, inode = stamp_of(status)
    cursor = replace(mark, size=size, mtime=modified, inode=inode, ctime=changed)
    return msgspec.msgpack.encode(cursor)


def _marked(descriptor: int, mark: FileCursor) -> FileCursor:
    """The mark with the fingerprints of the file as it is. O(powers of two that are new)."""
    samples = dict(mark.samples)
    power = 1
    while power <= mark.offset:
        if power not in samples:
            samples[power] = _before(descriptor, power, _SAMPLE)
        power *= 2
    head, tail = _digest(descriptor, 0, min(mark.offset, PRINT)), _before(descriptor, mark.offset)
    return replace(mark, head=head, tail=tail, samples=samples)


def _same(descriptor: int, mark: FileCursor, size: int) -> bool:
    """Whether what was read up to the mark is still in the file."""
    return mark.offset == 0 or (
        size >= mark.offset
        and _digest(descriptor, 0, min(mark.offset, PRINT)) == mark.head
        and _before(descriptor, mark.offset) == mark.tail
    )


def _is_cut_off(descriptor: int, mark: FileCursor, size: int) -> bool:
    """Whether the file is the beginning of what was read, as far as its fingerprints tell."""
    stand = [(end, digest) for end, digest in mark.samples.items() if end <= size]
    return size < mark.offset and all(
        _before(descriptor, end, _SAMPLE) == digest for end, digest in stand
    )


def _cut_off(descriptor: int, mark: FileCursor, size: int) -> FileCursor:
    """The mark at the end of the last whole line of what is left."""
    end = size
    while end > 0:
        start = max(0, end - _CHUNK)
        line_start = os.pread(descriptor, end - start, start).rfind(b"\n") + 1
        if line_start:
            end = start + line_start
            break
        end = start
    left = {power: digest for power, digest in mark.samples.items() if power <= end}
    whole = (mark.offset, mark.shift, mark.tail)
    return FileCursor(end, shift=mark.shift + mark.offset - end, samples=left, whole=whole)


def _is_mended(descriptor: int, mark: FileCursor, size: int) -> bool:
    """Whether what was cut off is back, before anything else was appended."""
    offset, _, tail = mark.whole
    return 0 < offset <= size and _before(descriptor, offset) == tail


def _before(descriptor: int, end: int, length: int = PRINT) -> bytes:
    """The fingerprint of so many bytes before `end`."""
    start = max(0, end - length)
    return _digest(descriptor, start, end - start)


def _digest(descriptor: int, offset: int, length: int) -> bytes:
    return blake2b(os.pread(descriptor, length, offset), digest_size=16).digest()


def _whole_lines(descriptor: int, offset: int, size: int, json: bool) -> bytes:
    """Whole lines from `offset`, at least one if there is one; b"" if there is none."""
    data = os.pread(descriptor, min(_CHUNK, max(0, size - offset)), offset)
    end, position = data.rfind(b"\n") + 1, offset + len(data)
    if end and (end == len(data) or position < size):
        return data[:end]
    longest = longest_line() if not end and position < size else 0
    while not end and position < size:  # a long line: look for its end, then read it in one piece
        if position - offset >= longest:
            return data
        piece = os.pread(descriptor, min(_CHUNK, size - position), position)
        if not piece:
            break
        if length := piece.find(b"\n") + 1:
            return _read(descriptor, offset, position + length - offset)
        position += len(piece)
    if json and position > offset + end:  # the tail has no newline yet
        torn = _read(descriptor, offset + end, position - offset - end)
        if is_object(torn):
            return data[:end] + torn
    return data[:end]


def _piece(descriptor: int, offset: int, size: int) -> bytes:
    """What follows of a line that is too long: up to its end, at most 1 MiB."""
    data = os.pread(descriptor, min(_CHUNK, max(0, size - offset)), offset)
    return data[: data.find(b"\n") + 1] or data


def _read(descriptor: int, offset: int, length: int) -> bytes:
    """`length` bytes at `offset`; fewer only where the file ends."""
    data = os.pread(descriptor, length, offset)
    while len(data) < length and (
        more := os.pread(descriptor, length - len(data), offset + len(data))
    ):
        data += more
    return data
