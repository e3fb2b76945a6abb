"""The index of edits, as `doctor` reports it among the indexes made from the archive.

Tested in: tests/extensions/code/cli/test_blame.py
"""

from collections.abc import Generator
from contextlib import contextmanager

from dejavu.archive import Archive

from .index import FOLDER, EditIndex

NAME = "edit index"
CATCHES_UP = "the next `dejavu code blame` or `dejavu code fix` catches up"


@contextmanager
def existing(archive: Archive) -> Generator[EditIndex | None]:
    """The open index; None where none was made yet."""
    if not (archive.root / FOLDER).is_dir():
        yield None
        return
    with EditIndex(archive) as index:
        yield index
