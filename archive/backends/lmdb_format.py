"""The format of LMDB's pages: what a page of bytes says, nothing more (mdb.c 0.9, 64-bit).

MDB_meta, MDB_db, MDB_page and MDB_node. Functions of a page's bytes; only `read_root` does I/O.
What a page says is believed here: `lmdb_pages.PageReader` has checked it before.

Tested in: tests/archive/backends/test_lmdb_pages.py
"""

import os
import struct
from typing import NamedTuple

# magic, version, address, map size, FREE's MDB_db (its first field is the page size, its last the
# root), MAIN's MDB_db (pad, flags, depth, branch, leaf and overflow pages, entries, root), last
# page, txn id.
META = struct.Struct("=16xII8x8xI36xQIHHQQQQQQQ")
PAGE = struct.Struct("=QHHHH")  # number, pad, flags, lower, upper
NODE = struct.Struct("=HHHH")  # size or child (low, high), flags or child's top, key's size
HEADER = 16
BRANCH, LEAF, OVERFLOW = 1, 2, 4
BIG = 1  # a node's value is the number of its first overflow page
NO_PAGE = (1 << 64) - 1


class Root(NamedTuple):
    """The trees of one commit, as a meta page has them."""

    page_size: int
    flags: int
    depth: int
    entries: int
    root: int
    last_page: int
    txn: int
    free_root: int


class PageError(Exception):
    """A page that cannot be read as what it should be."""


def read_root(fd: int, page: int) -> Root | None:
    """The tree's root as a meta page has it; None where it is no meta page."""
    for size in (4096, *(1 << n for n in range(8, 17))):
        data = os.pread(fd, META.size, page * size)
        if len(data) < META.size:
            return None
        magic, version, page_size, free_root, *rest = META.unpack(data)
        if magic == 0xBEEFC0DE and version & 0xFFFF == 1 and (not page or page_size == size):
            _, flags, depth, _, _, _, entries, root, last_page, txn = rest
            return Root(page_size, flags, depth, entries, root, last_page, txn, free_root)
        if not page:
            return None
    return None


def flags_of(page: bytes) -> int:
    """`BRANCH` or `LEAF`, of a page of a tree."""
    return int(PAGE.unpack_from(page)[2])


def count_of(page: bytes) -> int:
    """How many nodes a page has."""
    return (int(PAGE.unpack_from(page)[3]) - HEADER) // 2


def pointer_of(page: bytes, index: int) -> int:
    """Where in its page a node begins."""
    return int.from_bytes(page[HEADER + 2 * index : HEADER + 2 * index + 2], "little")


def key_at(page: bytes, index: int) -> bytes:
    """The key of a node."""
    start = pointer_of(page, index) + NODE.size
    return page[start : start + NODE.unpack_from(page, start - NODE.size)[3]]


def child_at(page: bytes, index: int) -> int:
    """The number of the page that a branch's node leads to."""
    low, high, top, _ = NODE.unpack_from(page, pointer_of(page, index))
    return int(low | high << 16 | top << 32)


def overflow_at(page: bytes, index: int) -> int | None:
    """The number of the first page of a value that is outside its node's page."""
    pointer = pointer_of(page, index)
    _, _, flags, key_size = NODE.unpack_from(page, pointer)
    start = pointer + NODE.size + key_size
    return int.from_bytes(page[start : start + 8], "little") if flags == BIG else None


def find_key(page: bytes, whole: bytes) -> int:
    """The index of the first key that is not below `whole`; a branch's first key is below all."""
    low, high = int(flags_of(page) == BRANCH), count_of(page)
    while low < high:
        middle = (low + high) // 2
        if key_at(page, middle) < whole:
            low = middle + 1
        else:
            high = middle
    return low
