"""A walk through all pages of one commit: what is damaged, and what is not what it says.

Besides each page alone it compares what a flipped bit leaves sound in itself: a page that is
reached twice, or that is listed as free (then it holds an older commit), counts that do not match,
and a meta page that makes LMDB open the commit before the last. Costs one read of the tree.

Tested in: tests/archive/backends/test_lmdb_pages.py
"""

import struct
from contextlib import suppress
from itertools import pairwise
from typing import Protocol

from ..keys import is_key
from .lmdb_format import (
    BRANCH,
    NO_PAGE,
    PageError,
    Root,
    child_at,
    count_of,
    flags_of,
    key_at,
    overflow_at,
)

_MOST = 100  # faults described


class Pages(Protocol):
    """The pages of one snapshot, as `lmdb_pages.PageReader` reads them."""

    root: Root
    other_root: Root | None

    def page(self, number: int) -> bytes:
        """Return a branch or leaf page; raise PageError where there is none."""
        ...

    def value(self, page: bytes, index: int) -> bytes:
        """Return the value of a leaf's node; raise PageError where it is damaged."""
        ...

    def reread_root(self, txn: int) -> Root | None:
        """Return the root of a meta page, read again."""
        ...


class TreeCheck:
    """The check of what one reader of pages sees."""

    def __init__(self, pages: Pages) -> None:
        """Check the snapshot of `pages`."""
        self._pages = pages
        self._free: set[int] = set()
        self._visited: set[int] = set()
        self._messages: list[str] = []
        self.complete = True

    def faults(self) -> list[str]:
        """Walk the tree; return what is wrong with it."""
        self._check_metas()
        self._check_free_list()
        root = self._pages.root
        if root.flags:
            self._messages.append(
                f"pages: the tree says it is of a kind ({root.flags:#x}) it never was"
            )
        if root.root != NO_PAGE:
            self._check_tree()
        if len(self._messages) > _MOST:
            self._messages[_MOST:] = [f"pages: {len(self._messages) - _MOST} more"]
        return self._messages

    def _check_metas(self) -> None:
        """The two meta pages are of the last two commits.

        A commit writes the meta page of its number's parity, so a writer may be one or two ahead.
        A flipped bit in the number of the last commit makes LMDB open the one before it: then its
        list of free pages is younger than its number. The pages of both stay as they are while the
        caller's transaction is open.
        """
        root, other = self._pages.root, self._pages.other_root
        if (
            other is None
            or not -1 <= other.txn - root.txn <= 2
            or (other.txn - root.txn) % 2 == 0
            or (other.txn < root.txn and self._is_younger(other))
        ):
            self._messages.append("a meta page is damaged: the last commit may be lost")

    def _is_younger(self, other: Root) -> bool:
        """Whether a meta page that looks older than ours was written after it."""
        if other.last_page > self._pages.root.last_page:
            return True  # a file's pages do not become fewer
        with suppress(PageError, struct.error):
            _, newest = free_pages(self._pages, other.free_root)
            return newest > other.txn and self._pages.reread_root(other.txn) == other
        return False

    def _check_free_list(self) -> None:
        """Look at the list of free pages, which readers do not follow, but writers do."""
        root = self._pages.root
        try:
            self._free, newest = free_pages(self._pages, root.free_root)
        except (PageError, struct.error) as error:
            self._messages.append(f"pages: the list of free pages cannot be read: {error}")
            return
        if newest > root.txn:
            self._messages.append(
                f"pages: the last commit says it is number {root.txn}, but pages were freed by "
                f"number {newest}"
            )

    def _check_tree(self) -> None:
        root = self._pages.root
        count, last, depths = 0, b"", set[int]()
        waiting: list[tuple[int, bytes, bytes | None, int]] = [(root.root, b"", None, 1)]
        while waiting:
            number, low, high, depth = waiting.pop()
            try:
                page = self._pages.page(number)
                keys = [key_at(page, index) for index in range(count_of(page))]
                _check_order(page, keys, low, high)
                self._reach(number)
            except (PageError, struct.error) as error:
                self._lose(f"page {number} cannot be read: {error}")
                continue
            if flags_of(page) == BRANCH:
                bounds = [low, *keys[1:], high]
                for index in range(len(keys) - 1, -1, -1):
                    child = child_at(page, index)
                    waiting.append((child, bounds[index] or b"", bounds[index + 1], depth + 1))
                continue
            depths.add(depth)
            for index, key in enumerate(keys):
                count += 1
                if key <= last and count > 1:
                    self._messages.append(f"pages: key {key.hex()} is out of order")
                last = key
                if not is_key(key):
                    self._lose(f"key {key.hex()} is of no record")
                self._check_value(page, index, key)
        if self.complete and count != root.entries:
            self._messages.append(f"pages: {count} records are there, {root.entries} are counted")
        if self.complete and depths != {root.depth}:
            self._messages.append(f"pages: the tree is {sorted(depths)} deep, not {root.depth}")

    def _check_value(self, page: bytes, index: int, key: bytes) -> None:
        try:
            self._pages.value(page, index)
            if (number := overflow_at(page, index)) is not None:
                self._reach(number)
        except (PageError, struct.error) as error:
            self._lose(f"the value of key {key.hex()} cannot be read: {error}")

    def _reach(self, number: int) -> None:
        """Raise PageError for a page reached before, or free: then what it holds is outdated."""
        if number in self._visited:
            raise PageError("it is reached twice")
        if number in self._free:
            raise PageError("it is listed as free")
        self._visited.add(number)

    def _lose(self, what: str) -> None:
        self.complete = False
        self._messages.append(f"pages: {what}")


def _check_order(page: bytes, keys: list[bytes], low: bytes, high: bytes | None) -> None:
    """Raise PageError where keys are not in order, or not within what leads to the page."""
    # A branch's first key is not looked at.
    compared = keys[1:] if flags_of(page) == BRANCH else keys
    within = [low, *compared] if low else compared
    for previous, following in pairwise(within):
        if previous > following or (previous == following and previous != low):
            raise PageError("its keys are not in order")
    if compared and high is not None and compared[-1] >= high:
        raise PageError("its keys are not those its parent says")


def free_pages(pages: Pages, root: int) -> tuple[set[int], int]:
    """Return the free pages in the list at `root`, and the number of the last commit that freed any.

    Raises:
        PageError, struct.error: it cannot be read.
    """
    waiting, visited = [root], set[int]()
    free, newest = set[int](), 0
    while waiting:
        number = waiting.pop()
        if number == NO_PAGE:
            continue
        page = pages.page(number)
        if number in visited:
            raise PageError("it is reached twice")
        visited.add(number)
        for index in range(count_of(page)):
            if flags_of(page) == BRANCH:
                waiting.append(child_at(page, index))
                continue
            value = pages.value(page, index)
            count = int.from_bytes(value[:8], "little")
            free.update(struct.unpack_from(f"={count}Q", value, 8))
            newest = max(newest, int.from_bytes(key_at(page, index), "little"))
    return free, newest
