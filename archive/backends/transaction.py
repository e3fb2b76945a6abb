"""One transaction: keys and values by table, in order, both ways, each value with its checksum.

The protocol of every backend, and its form over LMDB's own transactions (`LmdbReader`). Others read
LMDB's file page by page (`lmdb_pages.py`) or ask PostgreSQL (`postgres_transaction.py`). The table's
letter comes before every key, keys sort as bytes. A transaction lives as long as the function it was
handed to. A key costs O(log n), each next one O(1), a checksum O(value).

A backend stores bytes (`stored`, `put_stored`); around each value is a checksum, `[crc32, value]`, one
msgpack object, checked at each reading. The CRC-32 covers the whole key (its table's letter included)
and the value, so a value that was altered, or that is found under another key, is recognised. It
finds every single flipped bit and every burst of up to 32 bits; it is no protection against an
attacker. zlib's costs about 1 ns a byte, and values are compressed: below 1 % of a sync.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING
from zlib import crc32

import msgspec

from dejavu.model import CorruptArchiveError

from ..keys import TABLES, after

if TYPE_CHECKING:
    import lmdb

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(tuple[int, bytes]).decode


def wrap(key: bytes, value: bytes) -> bytes:
    """Return `value` with its checksum; `key` is the whole key, with its table's letter."""
    return _encode((crc32(value, crc32(key)), value))


def unwrap(key: bytes, stored: bytes) -> bytes:
    """Return the value in `stored`.

    Raises:
        CorruptArchiveError: it is not what was written under this key.
    """
    try:
        checksum, value = _decode(stored)
    except msgspec.MsgspecError as error:
        raise _damaged(key) from error
    if checksum != crc32(value, crc32(key)):
        raise _damaged(key)
    return value


def is_wrapped(stored: bytes) -> bool:
    """Whether `stored` has the shape of a wrapped value: format 1 had none."""
    return stored[:1] == b"\x92"


def _damaged(key: bytes) -> CorruptArchiveError:
    return CorruptArchiveError(
        f"the stored value {key[:1].decode('latin-1')} {key[1:].hex()} does not match its "
        "checksum; run `dejavu archive verify --repair`"
    )


Span = tuple[bytes, bytes, bytes]
"""A stretch of keys that is covered from the last record at or before its start on.

(the first key that such a record may have, start, stop); without the table's letter.
"""


class Reader:
    """A read transaction, of one moment. Valid inside the function it was given to, not after."""

    far = False
    """Whether each question costs a round trip, so that hints are worth making."""

    @property
    def partial(self) -> bool:
        """Whether records may be there that this login may not read."""
        return False

    def stored(self, table: str, key: bytes) -> bytes | None:
        """Return what is stored at `key`, checksum and all."""
        raise NotImplementedError

    def stored_items(
        self, table: str, start: bytes = b"", stop: bytes | None = None, *, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """Yield (key, what is stored) with start <= key < stop; nothing is checked."""
        raise NotImplementedError

    def keys(self, table: str, prefix: bytes = b"") -> Iterator[bytes]:
        """Yield the keys that begin with `prefix`, in order; the values are not touched."""
        raise NotImplementedError

    def get(self, table: str, key: bytes) -> bytes | None:
        """Return the value at `key`, None where there is none.

        Raises:
            CorruptArchiveError: it does not match its checksum.
        """
        stored = self.stored(table, key)
        return None if stored is None else unwrap(TABLES[table] + key, stored)

    def items(
        self, table: str, start: bytes = b"", stop: bytes | None = None, *, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """Yield (key, value) with start <= key < stop, in order or backwards.

        Raises:
            CorruptArchiveError: a value does not match its checksum.
        """
        prefix = TABLES[table]
        for key, stored in self.stored_items(table, start, stop, reverse=reverse):
            yield key, unwrap(prefix + key, stored)

    def under(self, table: str, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Yield (key, value) of every key that begins with `prefix`, in order."""
        return self.items(table, prefix, after(prefix))

    def hides(self, source: int) -> bool:  # noqa: ARG002 - a store of one person hides nothing
        """Whether this login may not read a source that may be there, by its number."""
        return False

    def shown_turns(self, conversation: int, start: int, stop: int) -> list[bytes]:  # noqa: ARG002 - `hides`
        """The texts of turns [start, stop) as the store shows them without raw; none where it cannot."""
        return []

    def expect(self, table: str, keys: Iterable[bytes]) -> None:
        """A hint that `keys` will be asked for: a store far away fetches them at once."""

    def expect_conversations(self, numbers: Iterable[int]) -> None:
        """A hint that ids and summaries of these numbers of conversations will be asked for."""

    def expect_spans(self, table: str, spans: Iterable[Span]) -> None:
        """A hint that what covers these spans will be asked for."""

    def expect_ends(self, table: str, prefixes: Iterable[bytes]) -> None:
        """A hint that the last record under each prefix, if there is any, will be asked for."""

    def expect_listing(self, low: bytes, high: bytes, most: int) -> None:
        """A hint that the last `most` entries of the orders below `high` will be asked for.

        With the summaries that they name.
        """

    def faults(self) -> list[str]:
        """Return what is wrong with the store beneath its records; only a reader of pages knows."""
        return []


class Writer(Reader):
    """A write transaction: all of it or nothing of it."""

    movable = False
    """Set by a change that looks at `moved` afterwards: its log entries may get later numbers."""

    moved: int = 0
    """Known after the commit: how much later the log's numbers are than the change thought."""

    def put(self, table: str, key: bytes, value: bytes) -> None:
        """Set the value at `key`."""
        self.put_stored(table, key, wrap(TABLES[table] + key, value))

    def put_stored(self, table: str, key: bytes, stored: bytes) -> None:
        """Set what is stored at `key` as it is: for copies of whole stores."""
        raise NotImplementedError

    def delete(self, table: str, key: bytes) -> bool:
        """Remove `key`; True if it was there."""
        raise NotImplementedError

    def set_aside(self, name: str) -> bool:
        """Start again empty, with the old records in a table `name`; False if there were none.

        Only a store on a server has this; a folder is renamed.
        """
        raise NotImplementedError


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
