"""Bringing what is derived from the archive up to it: the search index, and the recall index.

Takes an archive open for writing; gives how many turns were new to recall. Called when nobody
waits: after a sync, and by the observer once the wrapper has had its last word. Without it the
hook that puts history before a prompt has to index by itself, or stays silent. O(what is new).
"""

from dejavu.archive import Archive
from dejavu.recall import Recall


def bring_up_to_date(archive: Archive) -> int:
    """Index what was archived since the last time."""
    archive.update_index()
    return Recall(archive).catch_up()
