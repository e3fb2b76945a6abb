"""One transaction: keys and values by table, in order, both ways.

The protocol every store answers to, LMDB's (`lmdb_backend.py`) and PostgreSQL's
(`postgres_transaction.py`): the table's letter stands before every key, keys sort as bytes. Both
live as long as the function they were handed to. A key costs O(log n), each next one O(1).
"""

from collections.abc import Iterable, Iterator

from ..keys import after


class Reader:
    """A read transaction, of one moment. Valid inside the function it was given to, not after."""

    def get(self, table: str, key: bytes) -> bytes | None:
        """The value at `key`."""
        raise NotImplementedError

    def items(
        self, table: str, start: bytes = b"", stop: bytes | None = None, *, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """(key, value) with start <= key < stop, in order or backwards."""
        raise NotImplementedError

    def keys(self, table: str, prefix: bytes = b"") -> Iterator[bytes]:
        """The keys that begin with `prefix`, in order; the values are not touched."""
        raise NotImplementedError

    def under(self, table: str, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """(key, value) of every key that begins with `prefix`, in order."""
        return self.items(table, prefix, after(prefix))

    def expect(self, table: str, keys: Iterable[bytes]) -> None:
        """A hint that `keys` will be asked for: a store far away fetches them at once."""

    def expect_ends(self, table: str, prefixes: Iterable[bytes]) -> None:
        """A hint that the last record under each prefix, if there is any, will be asked for."""


class Writer(Reader):
    """A write transaction: all of it or nothing of it."""

    def put(self, table: str, key: bytes, value: bytes) -> None:
        """Set the value at `key`."""
        raise NotImplementedError

    def delete(self, table: str, key: bytes) -> bool:
        """Remove `key`; True if it was there."""
        raise NotImplementedError
