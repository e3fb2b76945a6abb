"""How far a long sync got that has not ended: what the reading commands say with their answers.

One record a home and agent filter, removed when its sync ends. A sync that was killed leaves its
record; the next one of that home takes it away. Costs a look-up for readers.

Tested in: tests/ingest/test_sync_order.py
"""

from typing import NamedTuple

import msgspec

from .backends.backend import Backend
from .backends.transaction import Reader
from .keys import after
from .namespace import Namespace

__all__ = ["SyncExtent", "expect_unfinished_syncs", "finish_sync", "note_sync", "unfinished_sync"]

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
