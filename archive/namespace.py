"""A namespace: small named records of other parts (memories, capsule sessions), kept in the archive.

Keys and values are bytes; they are read in the order of the keys. They share the archive's writer,
durability, backup and permissions. A value is one msgpack object by convention; what is in it is
its owner's business. `change` reads and writes in one transaction.

One of them says how far a long sync got that has not ended, which reading commands tell with their
answers: a record a home and agent filter, removed when its sync ends. A sync that was killed leaves
its record; the next one of that home takes it away. Costs a look-up for readers.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import NamedTuple, TypeVar

import msgspec

from dejavu.model import ArchiveError, CorruptArchiveError

from .backends.backend import Backend
from .backends.transaction import Reader, Writer, unwrap
from .keys import TABLES, after

T = TypeVar("T")
_PAGE = 256


class NamespaceTxn:
    """A namespace inside one transaction: what `Namespace.change` hands to its function."""

    def __init__(self, txn: Reader, prefix: bytes) -> None:
        """The records of `txn` under `prefix`."""
        self._txn = txn
        self._prefix = prefix

    def get(self, key: bytes) -> bytes | None:
        """The value at `key`."""
        return self._txn.get("namespaces", self._prefix + key)

    def items(self, prefix: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """(key, value) of the keys that begin with `prefix`, in order."""
        for key, value in self._txn.under("namespaces", self._prefix + prefix):
            yield key[len(self._prefix) :], value

    def put(self, key: bytes, value: bytes) -> None:
        """Set the value at `key`; only inside `change`."""
        self._writer().put("namespaces", self._prefix + key, value)

    def delete(self, key: bytes) -> bool:
        """Remove `key`; True if it was there; only inside `change`."""
        return self._writer().delete("namespaces", self._prefix + key)

    def _writer(self) -> Writer:
        if not isinstance(self._txn, Writer):
            raise ArchiveError("a namespace is written inside `change` only")
        return self._txn


class Namespace:
    """The records of one part, under its name."""

    def __init__(self, backend: Backend, name: str) -> None:
        """The namespace called `name`: a word."""
        if not name.isidentifier() or len(name) > 30:
            raise ArchiveError(f"{name!r} cannot name a namespace: a word of at most 30 letters")
        self._backend = backend
        self._prefix = name.encode() + b"\0"

    def get(self, key: bytes) -> bytes | None:
        """The value at `key`."""
        return self._backend.read(lambda txn: txn.get("namespaces", self._prefix + key))

    def items(self, prefix: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """(key, value) of the keys that begin with `prefix`, in order, in short transactions."""
        low, high = self._prefix + prefix, after(self._prefix + prefix)
        while True:
            page = self._backend.read(partial(_page, low=low, high=high))
            for key, value in page:
                yield key[len(self._prefix) :], value
            if len(page) < _PAGE:
                return
            low = page[-1][0] + b"\0"

    def sound_items(self, prefix: bytes = b"") -> list[tuple[bytes, bytes]]:
        """(key, value) of those that match their checksum, in order, at once: for a few counters."""
        low, high = self._prefix + prefix, after(self._prefix + prefix)

        def sound(txn: Reader) -> Iterator[tuple[bytes, bytes]]:
            for key, stored in txn.stored_items("namespaces", low, high):
                with suppress(CorruptArchiveError):
                    yield key[len(self._prefix) :], unwrap(TABLES["namespaces"] + key, stored)

        return self._backend.read(lambda txn: list(sound(txn)))

    def expect(self, keys: Iterable[bytes] = (), prefixes: Iterable[bytes] = ()) -> None:
        """Within `Archive.view`: let the next read fetch these, and all under some prefixes, too."""
        whole = [self._prefix + key for key in keys]
        lows = [self._prefix + prefix for prefix in prefixes]

        def hint(txn: Reader) -> None:
            txn.expect("namespaces", whole)
            txn.expect_spans("namespaces", [(low, low, after(low) or b"") for low in lows])

        self._backend.read(hint)

    def put(self, key: bytes, value: bytes) -> None:
        """Set the value at `key`, durable when this returns."""
        self.change(lambda txn: txn.put(key, value))

    def delete(self, key: bytes) -> bool:
        """Remove `key`; True if it was there."""
        return self.change(lambda txn: txn.delete(key))

    def change(self, work: Callable[[NamespaceTxn], T], *, patience: float | None = None) -> T:
        """What `work` gives, all its changes at once; it may run twice: do nothing else in it.

        patience: seconds to wait for other writers (None: the store's own limit).
        """
        return self._backend.write(
            lambda txn: work(NamespaceTxn(txn, self._prefix)), patience=patience
        )


def _page(txn: Reader, low: bytes, high: bytes | None) -> list[tuple[bytes, bytes]]:
    items: list[tuple[bytes, bytes]] = []
    for item in txn.items("namespaces", low, high):
        items.append(item)
        if len(items) >= _PAGE:
            break
    return items


_NAMESPACE = "unfinished_syncs"


class SyncExtent(NamedTuple):
    """Sources that are in the archive, of those that there are."""

    read: int
    total: int

    def __str__(self) -> str:
        return (
            f"{self.read:,} of {self.total:,} read: a sync that runs, the next search or "
            "`dejavu sync` continues with the rest"
        )


def note_sync(backend: Backend, name: str, extent: SyncExtent) -> None:
    """Keep how far the sync called `name` got; durable when this returns."""
    Namespace(backend, _NAMESPACE).put(name.encode(), msgspec.msgpack.encode(extent))


def finish_sync(backend: Backend, name: str) -> None:
    """Forget the sync called `name`, which ended; a name that ends in NUL means all it begins."""
    namespace = Namespace(backend, _NAMESPACE)
    for key in [key for key, _ in namespace.items(name.encode())]:
        if name.endswith("\0") or key == name.encode():
            namespace.delete(key)


def expect_unfinished_syncs(txn: Reader) -> None:
    """A hint that `unfinished_sync` will be asked."""
    prefix = _NAMESPACE.encode() + b"\0"
    txn.expect_spans("namespaces", [(prefix, prefix, after(prefix) or b"")])


def unfinished_sync(backend: Backend) -> SyncExtent | None:
    """What all syncs together have read that have not ended; None where there is none."""
    values = [value for _, value in Namespace(backend, _NAMESPACE).items()]
    if not values:
        return None
    extents = [msgspec.msgpack.decode(value, type=SyncExtent) for value in values]
    return SyncExtent(sum(one.read for one in extents), sum(one.total for one in extents))
