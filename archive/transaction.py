"""One transaction: keys and values by table, in order, both ways.

Takes LMDB's own transaction; gives `Reader` and `Writer`, which put the table's letter before
every key. They live as long as the function they were handed to. Costs are LMDB's: O(log n) for
a key, O(1) for each next one.
"""

from collections.abc import Iterator

import lmdb

from .keys import TABLES, after


class Reader:
    """A read transaction. Valid inside the function it was given to, not after."""

    def __init__(self, txn: "lmdb.Transaction[bytes]") -> None:
        """Read through `txn`."""
        self._txn = txn

    def get(self, table: str, key: bytes) -> bytes | None:
        """The value at `key`."""
        return self._txn.get(TABLES[table] + key)

    def items(
        self, table: str, start: bytes = b"", stop: bytes | None = None, *, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """(key, value) with start <= key < stop, in order or backwards."""
        prefix = TABLES[table]
        low = prefix + start
        high = bytes((prefix[0] + 1,)) if stop is None else prefix + stop
        with self._txn.cursor() as cursor:
            if reverse:
                found = cursor.set_range(high)
                found = cursor.prev() if found else cursor.last()
                while found and cursor.key() >= low:
                    yield cursor.key()[1:], cursor.value()
                    found = cursor.prev()
            else:
                found = cursor.set_range(low)
                while found and cursor.key() < high:
                    yield cursor.key()[1:], cursor.value()
                    found = cursor.next()

    def keys(self, table: str, prefix: bytes = b"") -> Iterator[bytes]:
        """The keys that begin with `prefix`, in order; the values are not touched."""
        whole = TABLES[table] + prefix
        with self._txn.cursor() as cursor:
            found = cursor.set_range(whole)
            while found and cursor.key().startswith(whole):
                yield cursor.key()[1:]
                found = cursor.next()

    def under(self, table: str, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """(key, value) of every key that begins with `prefix`, in order."""
        return self.items(table, prefix, after(prefix))


class Writer(Reader):
    """A write transaction: all of it or nothing of it."""

    def put(self, table: str, key: bytes, value: bytes) -> None:
        """Set the value at `key`."""
        self._txn.put(TABLES[table] + key, value)

    def delete(self, table: str, key: bytes) -> bool:
        """Remove `key`; True if it was there."""
        return self._txn.delete(TABLES[table] + key)
