"""The program that an observer becomes when its session is over: it indexes what was archived.

So is the next prompt answered from it at once. After a large import that takes a while (a quarter of
a CPU second for each MB, once), so it is done with the least of priorities. Memory: the index
writer's, some 60 MB and more after a large session.

Tested in: tests/sessions/observer/test_observer.py
"""

import os
import sys

from dejavu.archive.access import open_archive
from dejavu.model import DejavuError
from dejavu.recall.update_indexes import update_indexes


def main() -> None:
    """Bring the indexes up to the archive; a failure goes to the observer's log."""
    os.nice(19)
    try:
        with open_archive() as archive:
            update_indexes(archive)
    except (DejavuError, OSError) as error:
        print(f"not indexed: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
