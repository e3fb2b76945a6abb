"""Scrubbing: overwrite the free pages in which a forgotten text still is.

`forget` promises that the text is gone from the file; LMDB alone does not keep that promise, and
rewriting the whole store for each would cost O(store). LMDB frees pages without clearing them
and writes over the oldest first, so a few pages of nothing, written and removed again, take their
place. Bounded: at most 12 rounds, and a file beyond 1 GiB is not looked through after each of
them. Costs O(file + namespace) a round.
"""

import mmap
from pathlib import Path

from dejavu.archive import Namespace, NamespaceTxn

_ROUNDS = 12
_BLIND = 4  # rounds where the file is too large to be looked through
_PAGES = 64
_PAGE = b"\0" * 2_000  # two of them never share a page with a value
_LARGEST = 1 << 30
_SHORTEST = 8  # bytes of a text that can be told from chance


def overwrite_free_pages(namespace: Namespace, file: Path, text: str) -> bool:
    """Overwrite what is left of `text`; False where it may still stand in a free page."""
    needle = text.encode("utf-8", "replace")[:256]
    blind = len(needle) < _SHORTEST or file.stat().st_size > _LARGEST
    for _ in range(_BLIND if blind else _ROUNDS):
        if not blind and not _holds(file, needle):
            return True
        namespace.change(_copy_pages)
        namespace.change(_fill)
        namespace.change(_clear)
    return not blind and not _holds(file, needle)


def _holds(file: Path, needle: bytes) -> bool:
    with file.open("rb") as data, mmap.mmap(data.fileno(), 0, access=mmap.ACCESS_READ) as view:
        return view.find(needle) >= 0


def _copy_pages(txn: NamespaceTxn) -> None:
    """Write every record again as it is: its page is copied without what its gaps still hold.

    A record that was removed or grew leaves its bytes in the gap of a page in use, and LMDB copies
    the used parts of a page alone; the page copied from is free afterwards.
    """
    for key, value in list(txn.items()):
        txn.put(key, value)


def _fill(txn: NamespaceTxn) -> None:
    for number in range(_PAGES):
        txn.put(b"z%03d" % number, _PAGE)


def _clear(txn: NamespaceTxn) -> None:
    for number in range(_PAGES):
        txn.delete(b"z%03d" % number)
