"""Reading for a screen: one snapshot, and what it takes fetched at once where the store is far away.

Within `view` a store on a server is asked once for what several reads have in common, and the hints
(`expect_...`) for many records in one round trip. For a store on this machine all of it is nothing.

Tested in: tests/archive/test_store.py
"""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager

from . import turns
from .backends.backend import ArchiveBase


class Views(ArchiveBase):
    """The part of `Archive` that saves round trips."""

    @property
    def far(self) -> bool:
        """Whether each question costs a round trip, so that hints are worth making."""
        return self.backend.far

    def view(self) -> AbstractContextManager[None]:
        """A block whose reads in this thread share what they fetch where the store is far away.

        They see one moment there. Not for blocks that wait for people.
        """
        return self.backend.view()

    def expect_turns(self, wanted: Sequence[tuple[int, int, int]]) -> None:
        """Within `view`: fetch turns (a conversation's number, start, stop) that will be read.

        With their summaries and raw; two or three round trips.
        """
        self.backend.read(lambda txn: turns.expect(txn, wanted))

    def expect_summaries(self, ids: Iterable[str]) -> None:
        """Within `view`: let the next read fetch the summaries of these ids, too."""
        keys = [name.encode("utf-8", "replace") for name in ids]
        self.backend.read(lambda txn: txn.expect("summaries", keys))
