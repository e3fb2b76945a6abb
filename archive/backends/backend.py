"""A store beneath an archive: what LMDB and PostgreSQL have in common.

`Backend.read(fn)` and `Backend.write(fn)` run `fn` in one transaction and may run it
again from the start (a map that had to grow, a connection that broke), so `fn` must change
nothing but the transaction. The variants are listed in `registry.py`.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, TypeVar

from .transaction import Reader, Writer

T = TypeVar("T")


class Backend(Protocol):
    """An ordered store of keys and values with transactions, one writer at a time."""

    name: str
    """Where it is, as messages say it: a path, or a URL without its password."""
    root: Path
    """The folder on this machine: of the store itself, or of what is derived from it."""
    readonly: bool
    far: bool
    """Whether each question costs a round trip, so that hints are worth making."""

    @property
    def answers(self) -> bool:
        """Whether it finds words, paths, marks and exchanges itself, so that no index is needed here."""
        ...

    def read(self, look: Callable[[Reader], T]) -> T:
        """Return the result of `look` in one read transaction.

        Raises:
            ArchiveError: closed, out of reach, or opened before a fork.
            CorruptArchiveError: the store is damaged.
        """
        ...

    def view(self) -> AbstractContextManager[None]:
        """A block whose reads in this thread a store far away answers from one snapshot.

        What one of them fetched the others know. Not for blocks that wait, or last long.
        """
        ...

    def inspect(self, look: Callable[[Reader], T]) -> T:
        """As `read`, but of a store that may be damaged: `Reader.faults` says how.

        Raises:
            CorruptArchiveError: nothing of it can be read.
        """
        ...

    def write(self, change: Callable[[Writer], T], *, patience: float | None = None) -> T:
        """Return the result of `change`, durable on return; nothing is written if it raises.

        patience: seconds to wait for other writers (None: the store's own limit).

        Raises:
            ArchiveLockedError: another writer kept the place too long.
            ArchiveUnavailableError: out of reach, or a store that only others may change now.
            ArchiveError: read-only, full, closed, or opened before a fork.
        """
        ...

    def writer(self) -> AbstractContextManager[None]:
        """Keep other writers out for the length of the block (reads stay free)."""
        ...

    def copy(self, target: Path) -> None:
        """A compact copy of the store at this moment, as LMDB, into the empty folder `target`."""
        ...

    def compact(self) -> int:
        """Release the space of removed records; return the number of bytes freed."""
        ...

    def rebuild(self, fill: Callable[[Writer], None]) -> Path | str | None:
        """Let `fill` write another store in this one's place; return where the old one is now.

        A folder, or a table on the server; None where the old one was empty.
        """
        ...

    def hold_on(self, conversation: str) -> str | None:
        """Why a conversation, by its whole id, may not be deleted (a legal hold); None where it may."""
        ...

    def stale_readers(self) -> int:
        """How many places of processes that died were freed."""
        ...

    def size(self) -> int:
        """Bytes the store takes on disk."""
        ...

    def marked(self, newest: int) -> int | None:
        """The format noted next to the store, which can be read by programs of any age.

        Raises:
            NewerFormatError: it is above `newest`.
        """
        ...

    def mark(self, written: int) -> None:
        """Note the format next to the store; the caller keeps other writers out."""
        ...

    def close(self) -> None:
        """Let go; the last user closes the store."""
        ...
