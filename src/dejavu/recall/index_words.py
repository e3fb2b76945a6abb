"""The program that brings the index of words, and of exact text, up to an archive.

    python -m dejavu.recall.index_words FOLDER

`update_indexes` starts it where much is new: it runs next to recall's indexing, on another core. It
exits with 1 where it cannot; who started it then meets the same and says so. O(what is new).

Tested in: tests/recall/test_update_indexes.py
"""

import sys
from contextlib import suppress

from dejavu.archive import Archive
from dejavu.model import DejavuError


def main() -> int:
    """Index the archive in the folder that is named; the exit code."""
    with suppress(DejavuError, OSError, KeyboardInterrupt):
        with Archive.open(sys.argv[1], create=False) as archive:
            archive.update_index()
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
