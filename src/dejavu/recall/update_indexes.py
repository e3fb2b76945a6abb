"""Bringing what is derived from the archive up to it: the search index, and the recall index.

`update_indexes` returns how many changes were new to recall. Called when nobody waits: by the
observer once the wrapper has had its last word, and at the end of a `dejavu sync` of more than a
hook takes in. Without it the hook that puts history before a prompt has to index by itself, or
stays silent. O(what is new); recall's part costs more than the sync.

One process at a time: when many sessions end together the first indexes for all of them, and
what comes too late for it waits for the next.
"""

import fcntl
import os

from dejavu.archive import Archive
from dejavu.config.paths import private_folder, state_home

from . import Recall


def update_indexes(archive: Archive) -> int:
    """Index what was archived since the last time; 0 if somebody else is at it."""
    path = private_folder(state_home()) / "indexing.lock"
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600), "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return 0
        archive.update_index()
        return Recall(archive).catch_up()
