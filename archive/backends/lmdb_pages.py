"""LMDB's file read page by page, without LMDB: damage becomes a sentence, never a signal.

LMDB trusts its file: a zeroed page makes it abort the process, a wrong page number makes it read
anything. `PageReader` answers as any reader does, but checks every field that LMDB would follow,
and `faults` walks the whole tree. What is below a damaged page is left out.

The caller holds a read transaction of LMDB's open meanwhile, so that no page of the snapshot is
written over. Costs O(log n) page reads for a key, `faults` one read of the tree; some ten times
slower than LMDB. Never writes.
"""

import os
import struct
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self

from dejavu.model import CorruptArchiveError

from ..keys import TABLES, is_key
from .lmdb_format import (
    BIG,
    BRANCH,
    HEADER,
    LEAF,
    NO_PAGE,
    NODE,
    OVERFLOW,
    PAGE,
    PageError,
    Root,
    child_at,
    count_of,
    find_key,
    flags_of,
    key_at,
    pointer_of,
    read_root,
)
from .transaction import Reader

_DEEPEST = 32  # CURSOR_STACK
_CACHED = 256  # pages


class PageReader(Reader):
    """The snapshot of one commit in an open data file."""

    def __init__(self, fd: int, root: Root, other_root: Root | None = None) -> None:
        """Read the tree of `root`; `other_root` is that of the other meta page, if it has one."""
        self._fd = fd
        self._size = os.fstat(fd).st_size
        self._cache: OrderedDict[int, bytes] = OrderedDict()
        self.root = root
        self.other_root = other_root

    @classmethod
    def of(cls, fd: int, txn: int) -> Self:
        """The snapshot of transaction `txn`.

        Raises:
            CorruptArchiveError: the file has no meta page of that transaction.
        """
        roots = [read_root(fd, page) for page in (0, 1)]
        root = roots[txn & 1]
        if root is None or root.txn != txn:
            raise CorruptArchiveError(f"the file has no meta page of transaction {txn}")
        return cls(fd, root, roots[1 - (txn & 1)])

    @classmethod
    def newest(cls, fd: int) -> Self:
        """The newest snapshot of a file that no process has open: nothing keeps it from changing.

        Raises:
            CorruptArchiveError: there is no meta page at all.
        """
        roots = [read_root(fd, page) for page in (0, 1)]
        return cls.of(fd, max((root.txn for root in roots if root is not None), default=0))

    def reread_root(self, txn: int) -> Root | None:
        """Read the meta page of a transaction again."""
        return read_root(self._fd, txn & 1)

    def stored(self, table: str, key: bytes) -> bytes | None:
        """Return what is stored at `key`.

        Raises:
            CorruptArchiveError: a page on the way to it is damaged.
        """
        whole = TABLES[table] + key
        number = self.root.root
        if number == NO_PAGE:
            return None
        try:
            for _ in range(_DEEPEST):
                page = self.page(number)
                index = find_key(page, whole)
                if flags_of(page) == LEAF:
                    if index < count_of(page) and key_at(page, index) == whole:
                        return self.value(page, index)
                    return None
                if index == count_of(page) or key_at(page, index) != whole:
                    index -= 1
                number = child_at(page, max(0, index))
        except (PageError, struct.error, IndexError) as error:
            raise CorruptArchiveError(
                f"a page of the archive is damaged ({error}); run `dejavu archive verify --repair`"
            ) from error
        raise CorruptArchiveError("the pages of the archive go in a circle")

    def stored_items(
        self, table: str, start: bytes = b"", stop: bytes | None = None, *, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """Yield (key, what is stored) of the sound pages, in order or backwards."""
        prefix = TABLES[table]
        low, high = prefix + start, bytes((prefix[0] + 1,)) if stop is None else prefix + stop
        for page, index in self._leaves(self.root.root, low, high, reverse=reverse):
            with suppress(PageError, struct.error):
                if is_key(key := key_at(page, index)):
                    yield key[1:], self.value(page, index)

    def keys(self, table: str, prefix: bytes = b"") -> Iterator[bytes]:
        """Yield the keys of the sound pages that begin with `prefix`."""
        whole = TABLES[table] + prefix
        high = bytes((whole[0] + 1,))
        for page, index in self._leaves(self.root.root, whole, high, reverse=False):
            key = key_at(page, index)
            if not key.startswith(whole):
                return
            if is_key(key):
                yield key[1:]

    def _leaves(
        self, number: int, low: bytes, high: bytes, *, reverse: bool, depth: int = 0
    ) -> Iterator[tuple[bytes, int]]:
        """Yield (leaf, index) of the nodes with low <= key < high; damaged pages are passed over."""
        try:
            page = self.page(number)
            keys = [key_at(page, index) for index in range(count_of(page))]
        except (PageError, struct.error):
            return
        order = range(len(keys) - 1, -1, -1) if reverse else range(len(keys))
        leaf = flags_of(page) == LEAF
        for index in order:
            if leaf:
                if low <= keys[index] < high:
                    yield page, index
                continue
            below = index and keys[index] >= high
            above = index + 1 < len(keys) and keys[index + 1] <= low
            if not below and not above and depth < _DEEPEST:
                yield from self._leaves(
                    child_at(page, index), low, high, reverse=reverse, depth=depth + 1
                )

    def leaf_numbers(self) -> set[int]:
        """Return the numbers of the leaf pages that the tree leads to."""
        leaves = self._leaves(self.root.root, b"", b"\xff", reverse=False)
        return {int(PAGE.unpack_from(page)[0]) for page, _ in leaves}

    def is_complete(self) -> bool:
        """Whether no page of the tree is lost; costs a walk through it."""
        from .lmdb_page_check import TreeCheck

        check = TreeCheck(self)
        check.faults()
        return check.complete

    def faults(self) -> list[str]:
        """Walk the whole tree; return what is wrong with it."""
        from .lmdb_page_check import TreeCheck  # for `verify` alone

        return TreeCheck(self).faults()

    def page(self, number: int) -> bytes:
        """Return a branch or leaf page whose header is sound.

        Raises:
            PageError: there is none of this number.
        """
        page = self._cache.get(number)
        if page is not None:
            self._cache.move_to_end(number)
            return page
        size = self.root.page_size
        page = self._bytes(number, size)
        own, _, flags, lower, upper = PAGE.unpack_from(page)
        if own != number:
            raise PageError(f"it says it is page {own}")
        if flags not in (BRANCH, LEAF):
            raise PageError("it is no page of a tree")
        count, odd = divmod(lower - HEADER, 2)
        if odd or count < (2 if flags == BRANCH else 1) or not lower <= upper <= size:
            raise PageError("its bounds are wrong")
        for (pointer,) in struct.iter_unpack("=H", page[HEADER:lower]):
            if not upper <= pointer <= size - NODE.size:
                raise PageError("a node is outside it")
            if pointer + NODE.size + NODE.unpack_from(page, pointer)[3] > size:
                raise PageError("a key reaches beyond its end")
        self._cache[number] = page
        if len(self._cache) > _CACHED:
            self._cache.popitem(last=False)
        return page

    def value(self, page: bytes, index: int) -> bytes:
        """Return the value of a leaf's node.

        Raises:
            PageError: it does not lie where its node says.
        """
        pointer = pointer_of(page, index)
        low, high, flags, key_size = NODE.unpack_from(page, pointer)
        length = low | high << 16
        start = pointer + NODE.size + key_size
        if flags == 0:
            if start + length > len(page):
                raise PageError("it reaches beyond the end of its page")
            return page[start : start + length]
        if flags != BIG or start + 8 > len(page):
            raise PageError("its node is of no kind of ours")
        number = int.from_bytes(page[start : start + 8], "little")
        size = self.root.page_size
        pages = -(-(HEADER + length) // size)
        data = self._bytes(number, HEADER + length)
        own, _, kind, low, high = PAGE.unpack_from(data)
        if own != number or kind != OVERFLOW or low | high << 16 != pages:
            raise PageError(f"page {number} does not begin a value of {pages} pages")
        return data[HEADER:]

    def _bytes(self, number: int, length: int) -> bytes:
        size = self.root.page_size
        if not 2 <= number <= self.root.last_page or number * size + length > self._size:
            raise PageError("it is outside the file")
        data = os.pread(self._fd, length, number * size)
        if len(data) != length:
            raise PageError("the file ends before it")
        return data


def is_whole(path: Path) -> bool:
    """Whether every page that the newest meta page of a data file leads to is there and sound."""
    with path.open("rb") as file:
        try:
            return not PageReader.newest(file.fileno()).faults()
        except CorruptArchiveError:
            return False
