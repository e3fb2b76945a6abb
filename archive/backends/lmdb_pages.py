"""LMDB's file read page by page, without LMDB: damage becomes a sentence, never a signal.

LMDB trusts its file: a zeroed page makes it abort the process, a wrong page number makes it read
anything. `PageReader` answers as any reader does, but checks every field that LMDB would follow
(mdb.c 0.9: MDB_meta, MDB_db, MDB_page, MDB_node), and `faults` walks the whole tree. What lies
below a damaged page is left out, and named by the keys it stood between.

The caller holds a read transaction of LMDB's open meanwhile, so that no page of the snapshot is
written over. Costs O(log n) page reads for a key, `faults` one read of the tree; some ten times
slower than LMDB. Never writes.
"""

import os
import struct
from collections import OrderedDict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from dejavu.model import CorruptArchiveError

from ..keys import TABLES
from .transaction import Reader

# magic, version, address, map size, FREE's MDB_db (its first field is the page size, its last the
# root), MAIN's MDB_db (pad, flags, depth, branch, leaf and overflow pages, entries, root), last
# page, txn id.
_META = struct.Struct("=16xII8x8xI36xQIHHQQQQQQQ")
_PAGE = struct.Struct("=QHHHH")  # number, pad, flags, lower, upper
_NODE = struct.Struct("=HHHH")  # size or child (low, high), flags or child's top, key's size
_HEADER = 16
_BRANCH, _LEAF, _OVERFLOW = 1, 2, 4
_BIG = 1  # a node's value is the number of its first overflow page
_DEEPEST = 32  # CURSOR_STACK
_CACHED = 256  # pages
_NO_PAGE = (1 << 64) - 1
_MOST = 100  # faults described

Range = tuple[bytes, bytes | None]


class _Root(NamedTuple):
    page_size: int
    flags: int
    depth: int
    entries: int
    root: int
    last_page: int
    txn: int
    free_root: int


class _PageError(Exception):
    """A page that cannot be read as what it should be."""


class PageReader(Reader):
    """The snapshot of transaction `txn` in an open data file."""

    def __init__(self, fd: int, txn: int) -> None:
        """Read its meta page.

        Raises:
            CorruptArchiveError: there is none of that transaction.
        """
        self._fd = fd
        self._size = os.fstat(fd).st_size
        self._cache: OrderedDict[int, bytes] = OrderedDict()
        roots = [_root(fd, page) for page in (0, 1)]
        root = roots[txn & 1]
        if root is None or root.txn != txn:
            raise CorruptArchiveError(f"the file has no meta page of transaction {txn}")
        self._root = root
        self._meta_faults: list[str] = []
        other = roots[1 - (txn & 1)]
        # A commit writes the meta page of its number's parity: a writer may be one or two ahead.
        if other is None or not -1 <= other.txn - txn <= 2 or (other.txn - txn) % 2 == 0:
            self._meta_faults.append("a meta page is damaged: the last commit may be lost")
        self.lost: list[Range] = []
        """After `faults`: the ranges of whole keys that no sound page leads to."""

    def stored(self, table: str, key: bytes) -> bytes | None:
        """Return what is stored at `key`.

        Raises:
            CorruptArchiveError: a page on the way to it is damaged.
        """
        whole = TABLES[table] + key
        number = self._root.root
        if number == _NO_PAGE:
            return None
        try:
            for _ in range(_DEEPEST):
                page = self._page(number)
                index = _search(page, whole)
                if _flags(page) == _LEAF:
                    if index < _count(page) and _key(page, index) == whole:
                        return self._value(page, index)
                    return None
                if index == _count(page) or _key(page, index) != whole:
                    index -= 1
                number = _child(page, max(0, index))
        except (_PageError, struct.error, IndexError) as error:
            raise CorruptArchiveError(
                f"a page of the archive is damaged ({error}); run `dejavu verify --repair`"
            ) from error
        raise CorruptArchiveError("the pages of the archive go in a circle")

    def stored_items(
        self, table: str, start: bytes = b"", stop: bytes | None = None, *, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """Yield (key, what is stored) of the sound pages, in order or backwards."""
        prefix = TABLES[table]
        low, high = prefix + start, bytes((prefix[0] + 1,)) if stop is None else prefix + stop
        for page, index in self._leaves(self._root.root, low, high, reverse=reverse):
            try:
                yield _key(page, index)[1:], self._value(page, index)
            except (_PageError, struct.error):
                continue

    def keys(self, table: str, prefix: bytes = b"") -> Iterator[bytes]:
        """Yield the keys of the sound pages that begin with `prefix`."""
        whole = TABLES[table] + prefix
        high = bytes((whole[0] + 1,))
        for page, index in self._leaves(self._root.root, whole, high, reverse=False):
            key = _key(page, index)
            if not key.startswith(whole):
                return
            yield key[1:]

    def _leaves(
        self, number: int, low: bytes, high: bytes, *, reverse: bool, depth: int = 0
    ) -> Iterator[tuple[bytes, int]]:
        """Yield (leaf, index) of the nodes with low <= key < high; damaged pages are passed over."""
        try:
            page = self._page(number)
            keys = [_key(page, index) for index in range(_count(page))]
        except (_PageError, struct.error):
            return
        order = range(len(keys) - 1, -1, -1) if reverse else range(len(keys))
        leaf = _flags(page) == _LEAF
        for index in order:
            if leaf:
                if low <= keys[index] < high:
                    yield page, index
                continue
            below = index and keys[index] >= high
            above = index + 1 < len(keys) and keys[index + 1] <= low
            if not below and not above and depth < _DEEPEST:
                yield from self._leaves(
                    _child(page, index), low, high, reverse=reverse, depth=depth + 1
                )

    def faults(self) -> list[str]:
        """Walk the whole tree; return what is wrong with it."""
        messages = list(self._meta_faults)
        root = self._root
        self.lost = []
        messages += self._free_faults()
        if root.flags:
            messages.append(f"pages: the tree says it is of a kind ({root.flags:#x}) it never was")
        if root.root == _NO_PAGE:
            return messages
        visited: set[int] = set()
        count, last, depths = 0, b"", set[int]()
        waiting: list[tuple[int, bytes, bytes | None, int]] = [(root.root, b"", None, 1)]
        while waiting:
            number, low, high, depth = waiting.pop()
            try:
                page = self._page(number)
                keys = [_key(page, index) for index in range(_count(page))]
                _check_order(page, keys, low, high)
                _check_new(number, visited)
            except (_PageError, struct.error) as error:
                messages.append(f"pages: page {number} cannot be read: {error}")
                self.lost.append((low, high))
                continue
            if _flags(page) == _BRANCH:
                bounds = [low, *keys[1:], high]
                for index in range(len(keys) - 1, -1, -1):
                    child = _child(page, index)
                    waiting.append((child, bounds[index] or b"", bounds[index + 1], depth + 1))
                continue
            depths.add(depth)
            for index, key in enumerate(keys):
                count += 1
                if key <= last and count > 1:
                    messages.append(f"pages: key {key.hex()} is out of order")
                last = key
                try:
                    self._value(page, index)
                except (_PageError, struct.error) as error:
                    messages.append(f"pages: the value of key {key.hex()} cannot be read: {error}")
                    self.lost.append((key, key + b"\0"))
        if not self.lost and count != root.entries:
            messages.append(f"pages: {count} records are there, {root.entries} are counted")
        if not self.lost and depths != {root.depth}:
            messages.append(f"pages: the tree is {sorted(depths)} deep, not {root.depth}")
        if len(messages) > _MOST:
            messages[_MOST:] = [f"pages: {len(messages) - _MOST} more"]
        return messages

    def _free_faults(self) -> list[str]:
        """Look at the list of free pages, which readers do not follow, but writers do."""
        waiting, visited = [self._root.free_root], set[int]()
        try:
            while waiting:
                number = waiting.pop()
                if number == _NO_PAGE:
                    continue
                page = self._page(number)
                _check_new(number, visited)
                for index in range(_count(page)):
                    if _flags(page) == _BRANCH:
                        waiting.append(_child(page, index))
                    else:
                        self._value(page, index)
        except (_PageError, struct.error) as error:
            return [f"pages: the list of free pages cannot be read: {error}"]
        return []

    def _page(self, number: int) -> bytes:
        """Return a branch or leaf page whose header is sound."""
        page = self._cache.get(number)
        if page is not None:
            self._cache.move_to_end(number)
            return page
        size = self._root.page_size
        page = self._bytes(number, size)
        own, _, flags, lower, upper = _PAGE.unpack_from(page)
        if own != number:
            raise _PageError(f"it says it is page {own}")
        if flags not in (_BRANCH, _LEAF):
            raise _PageError("it is no page of a tree")
        count, odd = divmod(lower - _HEADER, 2)
        if odd or count < (2 if flags == _BRANCH else 1) or not lower <= upper <= size:
            raise _PageError("its bounds are wrong")
        for (pointer,) in struct.iter_unpack("=H", page[_HEADER:lower]):
            if not upper <= pointer <= size - _NODE.size:
                raise _PageError("a node lies outside of it")
            if pointer + _NODE.size + _NODE.unpack_from(page, pointer)[3] > size:
                raise _PageError("a key reaches beyond its end")
        self._cache[number] = page
        if len(self._cache) > _CACHED:
            self._cache.popitem(last=False)
        return page

    def _value(self, page: bytes, index: int) -> bytes:
        pointer = _pointer(page, index)
        low, high, flags, key_size = _NODE.unpack_from(page, pointer)
        length = low | high << 16
        start = pointer + _NODE.size + key_size
        if flags == 0:
            if start + length > len(page):
                raise _PageError("it reaches beyond the end of its page")
            return page[start : start + length]
        if flags != _BIG or start + 8 > len(page):
            raise _PageError("its node is of no kind of ours")
        number = int.from_bytes(page[start : start + 8], "little")
        size = self._root.page_size
        pages = -(-(_HEADER + length) // size)
        data = self._bytes(number, _HEADER + length)
        own, _, kind, low, high = _PAGE.unpack_from(data)
        if own != number or kind != _OVERFLOW or low | high << 16 != pages:
            raise _PageError(f"page {number} does not begin a value of {pages} pages")
        return data[_HEADER:]

    def _bytes(self, number: int, length: int) -> bytes:
        size = self._root.page_size
        if not 2 <= number <= self._root.last_page or number * size + length > self._size:
            raise _PageError("it lies outside of the file")
        data = os.pread(self._fd, length, number * size)
        if len(data) != length:
            raise _PageError("the file ends before it")
        return data


def is_whole(path: Path) -> bool:
    """Whether every page that the newest meta page of a data file leads to is there and sound.

    For a file that nobody has open: it is not kept from changing meanwhile.
    """
    with path.open("rb") as file:
        roots = [_root(file.fileno(), page) for page in (0, 1)]
        newest = max((root.txn for root in roots if root is not None), default=0)
        try:
            return not PageReader(file.fileno(), newest).faults()
        except CorruptArchiveError:
            return False


def _check_new(number: int, visited: set[int]) -> None:
    if number in visited:
        raise _PageError("it is reached twice")
    visited.add(number)


def _check_order(page: bytes, keys: list[bytes], low: bytes, high: bytes | None) -> None:
    """Raise _PageError where keys are not in order, or not within what leads to the page."""
    # A branch's first key is not looked at.
    compared = keys[1:] if _flags(page) == _BRANCH else keys
    within = [low, *compared] if low else compared
    for previous, following in pairwise(within):
        if previous > following or (previous == following and previous != low):
            raise _PageError("its keys are not in order")
    if compared and high is not None and compared[-1] >= high:
        raise _PageError("its keys are not those its parent says")


def _root(fd: int, page: int) -> _Root | None:
    """The tree's root as a meta page has it; None where it is no meta page."""
    for size in (4096, *(1 << n for n in range(8, 17))):
        data = os.pread(fd, _META.size, page * size)
        if len(data) < _META.size:
            return None
        magic, version, page_size, free_root, *rest = _META.unpack(data)
        if magic == 0xBEEFC0DE and version & 0xFFFF == 1 and (not page or page_size == size):
            _, flags, depth, _, _, _, entries, root, last_page, txn = rest
            return _Root(page_size, flags, depth, entries, root, last_page, txn, free_root)
        if not page:
            return None
    return None


def _flags(page: bytes) -> int:
    return int(_PAGE.unpack_from(page)[2])


def _count(page: bytes) -> int:
    return (int(_PAGE.unpack_from(page)[3]) - _HEADER) // 2


def _pointer(page: bytes, index: int) -> int:
    return int.from_bytes(page[_HEADER + 2 * index : _HEADER + 2 * index + 2], "little")


def _key(page: bytes, index: int) -> bytes:
    start = _pointer(page, index) + _NODE.size
    return page[start : start + _NODE.unpack_from(page, start - _NODE.size)[3]]


def _child(page: bytes, index: int) -> int:
    low, high, top, _ = _NODE.unpack_from(page, _pointer(page, index))
    return int(low | high << 16 | top << 32)


def _search(page: bytes, whole: bytes) -> int:
    """The index of the first key that is not below `whole`; a branch's first key is below all."""
    low, high = int(_flags(page) == _BRANCH), _count(page)
    while low < high:
        middle = (low + high) // 2
        if _key(page, middle) < whole:
            low = middle + 1
        else:
            high = middle
    return low
