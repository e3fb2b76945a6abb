"""Bringing what is derived from the archive up to it: the search index, and the recall index.

`update_indexes` returns how many changes were new to recall. Called when no one waits: by the
observer once the wrapper has had its last word, and at the end of a `dejavu sync` of more than a
hook takes in. Without it the hook that puts history before a prompt has to index, or
stays silent. O(what is new); recall's part costs twice the sync. Turns are read once for recall and
exact text where both are at the same place of the log. tantivy tokenizes on the other cores.

One process at a time: when many sessions end together the first indexes for all of them, and
what comes too late for it waits for the next.
"""

from dejavu.archive import Archive
from dejavu.config.files import held_lock
from dejavu.config.paths import private_folder, state_home

from . import Recall


def update_indexes(archive: Archive, *, asked: bool = False) -> int:
    """Index what was archived since the last time; 0 if another process does it.

    asked: also where this machine has no index because a server answers in its place.
    """
    path = private_folder(state_home()) / "indexing.lock"
    with held_lock(path) as alone:
        if not alone:
            return 0
        recall = Recall(archive)
        if archive.views.searched_there:
            if asked or archive.search_engine.is_kept:
                archive.update_index()
            return recall.make_index() if asked else recall.catch_up()
        with archive.search_engine.exact_followers() as followers:
            applied = recall.catch_up(followers=followers)
        archive.update_index()  # what was not shared
        return applied
