"""Bringing what is derived from the archive up to it: the search index, and the recall index.

`update_indexes` returns how many changes were new to recall. Called when no one waits: by the
observer once the wrapper has had its last word, and at the end of a `dejavu sync` of more than a
hook takes in. Without it the hook that puts history before a prompt has to index, or
stays silent. O(what is new); recall's part costs twice the sync. Much is indexed on two cores: the
two indexes know nothing of each other, so that of words gets its own process.

One process at a time: when many sessions end together the first indexes for all of them, and
what comes too late for it waits for the next.
"""

import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager

from dejavu.archive import Archive
from dejavu.config.files import held_lock
from dejavu.config.own_program import own_program
from dejavu.config.paths import is_server, private_folder, state_home

from . import Recall

_PROGRAM = f"{__package__}.index_words"
_MUCH = 5_000  # turns; a separate process costs as much as a hundred


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
        if not _pays(archive, recall):
            archive.update_index()
            return recall.catch_up()
        with _words_indexed_apart(archive):
            return recall.catch_up()


def _pays(archive: Archive, recall: Recall) -> bool:
    """Whether a second process would be done sooner: on another core, over a store of this machine."""
    if is_server(archive.name) or recall.pending(_MUCH) <= _MUCH:
        return False
    if sys.platform == "linux":  # nothing else tells which cores are ours
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    return cores > 1


@contextmanager
def _words_indexed_apart(archive: Archive) -> Generator[None]:
    """A block during which another process indexes words; whatever it left is done at the end."""
    program = subprocess.Popen(
        own_program(_PROGRAM, str(archive.root)),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield
        failed = program.wait()
    except BaseException:
        program.terminate()
        program.wait()
        raise
    if failed:
        archive.update_index()
