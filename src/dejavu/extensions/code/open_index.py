"""The index of edits as interfaces open it: brought up to the archive first.

Where that takes its time, a note on stderr says so.

Tested in: tests/extensions/code/cli/test_blame.py
"""

import sys
from collections.abc import Generator
from contextlib import contextmanager

from dejavu.archive import Archive
from dejavu.archive.access import open_archive

from .index import EditIndex

_NOTED = 500  # changes to take in that are worth a note


@contextmanager
def open_edits() -> Generator[tuple[Archive, EditIndex]]:
    """The archive and its index of edits, up to date.

    Raises:
        NoArchiveError: nothing was captured yet.
    """
    with open_archive() as archive, EditIndex(archive) as index:
        brought_up(index)
        yield archive, index


def brought_up(index: EditIndex) -> None:
    """Bring an index up to its archive."""
    if sys.stderr.isatty() and index.lag().entries > _NOTED:
        print("reading what agents changed in the archive, once ...", file=sys.stderr)
    index.catch_up()
