"""The regular files of a tar stream that another machine sends, whatever it sends.

`tarfile` trusts its input: extension headers are read into memory at the size they claim, a sparse member
writes gigabytes out of nothing, and one damaged header ends the reading. Here only regular files are given,
at the bytes that were really sent; what cannot be used is passed to a callback by name, and reading
continues at the next header that is valid. Formats: ustar, GNU long names, pax `path`, `size` and `mtime`
(POSIX.1-2001; GNU tar's manual, "Basic Tar Format"). Memory is O(one chunk).
"""

import tarfile
from collections.abc import Callable, Iterator
from math import isfinite
from typing import IO, NamedTuple, Protocol

from dejavu.model import ProviderError

_BLOCK = 512
_CHUNK = 1 << 16
_MOST_STRAY = 16 << 20
"""Bytes in a row that are no file: damage is shorter, and the padding at the end is 10 KB."""
_LONGEST_EXTENSION = 1 << 20  # bytes of a long name or of pax records
_LATEST = 1 << 33  # seconds: what any file system here can hold as a time
_NAMES = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
_PAX = (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE)


class Readable(Protocol):
    """What gives the stream; fewer bytes than asked for only at its end."""

    def read(self, length: int, /) -> bytes:
        """The next bytes."""
        ...


class TarStreamError(ProviderError):
    """The stream is not a tar archive, is damaged for too long, or ended early."""


class Member(NamedTuple):
    """A regular file: its name as sent, bytes, and the time of change in whole seconds (0: unknown)."""

    name: str
    size: int
    changed: int


class TarStream:
    """Reads members one by one; `copy` takes the content of the last one."""

    def __init__(self, stream: Readable, refuse: Callable[[str, str], object]) -> None:
        """`refuse` is called with a name and why it was not taken; the name of a header is empty."""
        self._stream = stream
        self._refuse = refuse
        self._left = 0  # bytes of the member that were not read, and then its padding
        self._padding = 0
        self._stray = 0
        self._extended: dict[str, str] = {}

    def members(self) -> Iterator[Member]:
        """Each regular file.

        Raises:
            TarStreamError: it ended before the archive's end, or is no tar archive any more.
        """
        zeros, in_damage = 0, False
        while block := self._next_block(ended=zeros > 0):
            if not any(block):
                zeros += 1
                self._count_stray(_BLOCK)
                continue
            zeros = 0
            header = self._header(block)
            if header is None:
                self._count_stray(_BLOCK)
                if not in_damage:
                    self._refuse("", "a damaged header; what follows the next good one was read")
                in_damage, self._extended = True, {}
                continue
            in_damage = False
            member = self._member(header, block)
            if member is not None:
                self._stray = 0
                yield member

    def copy(self, target: IO[bytes]) -> None:
        """Write the last member's content.

        Raises:
            TarStreamError: the stream ended inside of it.
            OSError: it cannot be written.
        """
        while self._left:
            target.write(self._take(min(self._left, _CHUNK)))

    def _next_block(self, *, ended: bool) -> bytes:
        """The next header, behind what is left of the last member; empty after the archive's end."""
        while self._left or self._padding:
            if not self._left:
                self._left, self._padding = self._padding, 0
            self._take(min(self._left, _CHUNK))
        block = self._stream.read(_BLOCK)
        if len(block) < _BLOCK:
            if not ended:
                raise TarStreamError("what it sent ended early")
            return b""
        return block

    def _take(self, length: int) -> bytes:
        data = self._stream.read(length)
        if len(data) < length:
            raise TarStreamError("what it sent ended early")
        self._left -= length
        return data

    def _count_stray(self, length: int) -> None:
        self._stray += length
        if self._stray > _MOST_STRAY:
            raise TarStreamError(
                f"it sent {_MOST_STRAY >> 20} MB that are no file of a tar archive"
            )

    def _header(self, block: bytes) -> tarfile.TarInfo | None:
        try:
            header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        except (tarfile.HeaderError, ValueError):
            return None
        return header if 0 <= header.size < 1 << 60 else None

    def _member(self, header: tarfile.TarInfo, block: bytes) -> Member | None:
        """The file that a header begins; None for an extension, a folder, a link, a device."""
        if header.type in (*_NAMES, *_PAX):
            self._extend(header)
            return None
        if header.type == tarfile.XGLTYPE:  # about the archive
            self._pass_over(header.size)
            return None
        extended, self._extended = self._extended, {}
        sparse = header.type == tarfile.GNUTYPE_SPARSE
        if sparse:
            more = block[482]
            while more:
                self._count_stray(_BLOCK)
                more = (self._stream.read(_BLOCK) or bytes(_BLOCK))[504]
        has_data = header.isreg() or header.type not in tarfile.SUPPORTED_TYPES
        size = _number(extended.get("size"), header.size) if has_data else 0
        self._begin(size)
        name = extended.get("path", header.name)
        if sparse or any(key.startswith("GNU.sparse.") for key in extended):
            self._refuse(name, "it is sent as a sparse file, which no session is")
        elif header.isreg():
            changed = _number(extended.get("mtime"), int(header.mtime))
            return Member(name, size, changed if changed < _LATEST else 0)
        self._count_stray(_BLOCK)
        return None

    def _begin(self, size: int) -> None:
        self._left, self._padding = size, -size % _BLOCK

    def _pass_over(self, size: int) -> None:
        """Begin what is no file."""
        self._begin(size)
        self._count_stray(_BLOCK + size + self._padding)

    def _extend(self, header: tarfile.TarInfo) -> None:
        """Take what the next header cannot hold: a long name, pax records."""
        size = header.size
        self._pass_over(size)
        if size > _LONGEST_EXTENSION:
            self._refuse(
                "", f"an extension of {size:,} bytes; the file after it may have a wrong name"
            )
            return
        data = self._take(size) if size else b""
        if header.type in _PAX:
            self._extended |= _pax(data)
        elif header.type == tarfile.GNUTYPE_LONGNAME:
            self._extended["path"] = data.rstrip(b"\0").decode("utf-8", "surrogateescape")


def _pax(data: bytes) -> dict[str, str]:
    """The records `LENGTH KEY=VALUE` and a newline; those before the first damaged one."""
    records: dict[str, str] = {}
    while data:
        number, _, _ = data[:20].partition(b" ")
        if not number.isdigit() or not len(number) + 1 < int(number) <= len(data):
            break
        record, data = data[len(number) + 1 : int(number)], data[int(number) :]
        key, _, value = record.removesuffix(b"\n").partition(b"=")
        records[key.decode("utf-8", "replace")] = value.decode("utf-8", "surrogateescape")
    return records


def _number(text: str | None, otherwise: int) -> int:
    """A pax number without its fraction; what the header says where it is none."""
    try:
        value = float(text) if text is not None else float(otherwise)
    except ValueError:
        value = float(otherwise)
    return int(value) if isfinite(value) and value >= 0 else 0
