"""LMDB's transactions as ours: keys of all tables in one tree. Costs are LMDB's.

Tested in: tests/archive/backends/test_lmdb_backend.py
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..keys import TABLES
from .transaction import Reader, Writer

if TYPE_CHECKING:
    import lmdb


class LmdbReader(Reader):
    """A read transaction of LMDB's."""

    def __init__(self, txn: "lmdb.Transaction[bytes]") -> None:
        """Read through `txn`."""
        self._txn = txn

    def stored(self, table: str, key: bytes) -> bytes | None:
        """Return what is stored at `key`."""
        return self._txn.get(TABLES[table] + key)

    def stored_items(
        self, table: str, start: bytes = b"", stop: bytes | None = None, *, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """Yield (key, what is stored) with start <= key < stop, in order or backwards."""
        prefix = TABLES[table]
        low = prefix + start
        high = bytes((prefix[0] + 1,)) if stop is None else prefix + stop
        with self._txn.cursor() as cursor:
            if reverse:
                positioned = cursor.set_range(high)
                positioned = cursor.prev() if positioned else cursor.last()
                while positioned and cursor.key() >= low:
                    yield cursor.key()[1:], cursor.value()
                    positioned = cursor.prev()
            else:
                positioned = cursor.set_range(low)
                while positioned and cursor.key() < high:
                    yield cursor.key()[1:], cursor.value()
                    positioned = cursor.next()

    def keys(self, table: str, prefix: bytes = b"") -> Iterator[bytes]:
        """The keys that begin with `prefix`, in order; the values are not touched."""
        whole = TABLES[table] + prefix
        with self._txn.cursor() as cursor:
            positioned = cursor.set_range(whole)
            while positioned and cursor.key().startswith(whole):
                yield cursor.key()[1:]
                positioned = cursor.next()


class LmdbWriter(LmdbReader, Writer):
    """A write transaction of LMDB's."""

    def put_stored(self, table: str, key: bytes, stored: bytes) -> None:
        """Set what is stored at `key`."""
        self._txn.put(TABLES[table] + key, stored)

    def delete(self, table: str, key: bytes) -> bool:
        """Remove `key`; True if it was there."""
        return self._txn.delete(TABLES[table] + key)
