"""The records of a data file whose tree cannot be followed: every sound leaf page, wherever it is.

For a file without meta pages, cut short, or with branch pages lost: what lay below those is still
in its leaves. Pages that the list of free pages names are left out, for they hold what older commits
had; where that list is lost, of several versions of a record the newest is taken, as the caller tells
them apart. Never writes. Costs one read of the file, and about 200 bytes of memory a record.

Tested in: tests/archive/maintenance/test_maintenance.py
"""

import os
import struct
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from dejavu.model import CorruptArchiveError

from ..keys import META, TABLES, after, is_key
from .lmdb_format import (
    BRANCH,
    LEAF,
    NO_PAGE,
    OVERFLOW,
    PAGE,
    PageError,
    Root,
    child_at,
    count_of,
    flags_of,
    key_at,
    read_root,
)
from .lmdb_page_check import free_pages
from .lmdb_pages import PageReader
from .transaction import Reader, is_wrapped, unwrap

Version = Callable[[str, bytes], int]
"""`(table, value)`: the higher, the newer, among values of one key."""

_TABLE = {letter[0]: table for table, letter in TABLES.items()}
_META = TABLES["meta"] + META
_SAMPLE = 256  # pages looked at to find out how long a page is
_REACHED = 1 << 64  # the version of what the last commit's tree leads to
_DAMAGED = -1  # the version of a value that does not match its checksum


class PageScan(Reader):
    """What is in the leaf pages of a data file, whatever leads to them.

    `exact`: these are the records of the last commit, as far as they are there; else some may be
    of older ones, and parsers' states, which must be of the same moment as all else, are left out.
    """

    def __init__(self, fd: int, version: Version, tree: PageReader | None = None) -> None:
        """Read the whole file; what `tree` still leads to is newer than all else.

        Raises:
            CorruptArchiveError: no page of it holds a record of ours.
        """
        size = _page_size(fd)
        last = os.fstat(fd).st_size // size - 1
        self._pages = PageReader(fd, Root(size, 0, 0, 0, NO_PAGE, last, 0, NO_PAGE))
        self._version = version
        self._reached = set[int]() if tree is None else tree.leaf_numbers()
        leaves, free = self._survey(fd, last)
        self.exact = free is not None
        self._places = self._records(leaves - (free or set()))
        if free is not None and (
            not self._places
            # The list is older than pages that it calls free.
            or self._sequence(self._records(leaves & free)) > self._sequence(self._places)
        ):
            self.exact = False
            self._places = self._records(leaves)
        if not self.exact:
            letter = TABLES["states"]
            self._places = {k: v for k, v in self._places.items() if k[:1] != letter}
        if not self._places:
            raise CorruptArchiveError("no page of the file holds a record that can be read")
        self._keys = sorted(self._places)

    def stored(self, table: str, key: bytes) -> bytes | None:
        """Return what is stored at `key`."""
        return self._value(TABLES[table] + key)

    def stored_items(
        self, table: str, start: bytes = b"", stop: bytes | None = None, *, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """Yield (key, what is stored), in order or backwards."""
        prefix = TABLES[table]
        high = bytes((prefix[0] + 1,)) if stop is None else prefix + stop
        keys = self._keys[bisect_left(self._keys, prefix + start) : bisect_left(self._keys, high)]
        for key in reversed(keys) if reverse else keys:
            if (value := self._value(key)) is not None:
                yield key[1:], value

    def keys(self, table: str, prefix: bytes = b"") -> Iterator[bytes]:
        """Yield the keys that begin with `prefix`."""
        whole = TABLES[table] + prefix
        end = bisect_left(self._keys, after(whole) or b"\xff")
        for key in self._keys[bisect_left(self._keys, whole) : end]:
            yield key[1:]

    def faults(self) -> list[str]:
        """Return that this is no tree: the reason for reading it so."""
        return [
            "pages: the tree cannot be followed, its leaves were searched for in the whole file"
        ]

    def _value(self, key: bytes) -> bytes | None:
        place = self._places.get(key)
        if place is None:
            return None
        with suppress(PageError, struct.error):
            return self._pages.value(self._pages.page(place[1]), place[2])
        return None

    def _survey(self, fd: int, last: int) -> tuple[set[int], set[int] | None]:
        """Return the leaf pages with records of ours, and the free pages, None if that is unknown."""
        leaves: set[int] = set()
        parents: dict[int, list[int]] = {}
        newest, root_of_free = -1, NO_PAGE
        cut = False
        for number in range(2, last + 1):
            try:
                page = self._pages.page(number)
                if flags_of(page) == BRANCH:
                    for child in (child_at(page, index) for index in range(count_of(page))):
                        parents.setdefault(child, []).append(number)
                        cut = cut or child > last
                elif (freed := self._freed_by(page)) is None:
                    leaves.add(number)
                elif freed > newest:
                    newest, root_of_free = freed, number
            except (PageError, struct.error):
                continue
        metas = [meta for meta in (read_root(fd, page) for page in (0, 1)) if meta is not None]
        if metas:
            meta = max(metas, key=lambda one: one.txn)
            cut = cut or meta.last_page > last
            roots = [meta.free_root]
        else:
            # The list's last leaf is of the last commit, and so is all that leads to it.
            roots = [root_of_free]
            while above := parents.get(roots[0]):
                roots = [max(above), *roots]
                if len(roots) > len(parents):
                    break
        if cut and not metas:
            return leaves, None
        for root in roots:
            with suppress(PageError, struct.error, OverflowError, MemoryError):
                free, last_freed = free_pages(self._pages, root)
                if free and (metas or last_freed == newest):
                    return leaves, free
        return leaves, None

    def _freed_by(self, page: bytes) -> int | None:
        """The last commit named by a leaf of the list of free pages; None of any other leaf."""
        newest = None
        for index in range(count_of(page)):
            key, value = key_at(page, index), b""
            if len(key) == 8:
                with suppress(PageError, struct.error):
                    value = self._pages.value(page, index)
            if len(value) < 8 or int.from_bytes(value[:8], "little") != len(value) / 8 - 1:
                return None
            newest = int.from_bytes(key, "little")
        return newest

    def _records(self, leaves: Iterable[int]) -> dict[bytes, tuple[int, int, int]]:
        """Return key -> (version, page, index) of the newest value of each key."""
        places: dict[bytes, tuple[int, int, int]] = {}
        for number in sorted(leaves):
            page = self._pages.page(number)
            for index in range(count_of(page)):
                key = key_at(page, index)
                with suppress(PageError, struct.error):
                    newness = self._newness(key, self._pages.value(page, index))
                    place = (_REACHED if number in self._reached else newness, number, index)
                    if is_key(key) and place > places.get(key, (-2, 0, 0)):
                        places[key] = place
        return places

    def _newness(self, key: bytes, stored: bytes) -> int:
        if not is_wrapped(stored):
            return _DAMAGED
        try:
            return self._version(_TABLE.get(key[0], ""), unwrap(key, stored))
        except CorruptArchiveError:
            return _DAMAGED

    def _sequence(self, places: dict[bytes, tuple[int, int, int]]) -> int:
        return places.get(_META, (_DAMAGED, 0, 0))[0]


def _page_size(fd: int) -> int:
    """The length of a page: as a meta page has it, else the one by which most pages are numbered."""
    for number in (0, 1):
        if (root := read_root(fd, number)) is not None:
            return root.page_size
    counts: dict[int, int] = {}
    for size in (1 << n for n in range(12, 17)):
        headers = [os.pread(fd, PAGE.size, number * size) for number in range(2, _SAMPLE)]
        counts[size] = sum(
            PAGE.unpack(data)[0] == number and PAGE.unpack(data)[2] in (BRANCH, LEAF, OVERFLOW)
            for number, data in enumerate(headers, 2)
            if len(data) == PAGE.size
        )
    return max(counts, key=lambda size: counts[size])
