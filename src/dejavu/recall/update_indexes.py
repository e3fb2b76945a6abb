"""Bringing what is derived from the archive up to it: the search index, and the recall index.

`update_indexes` returns how many changes were new to recall. Called when no one waits: by the
observer once the wrapper has had its last word, and at the end of a `dejavu sync` of more than a
hook takes in. Without it the hook that puts history before a prompt has to index, or
stays silent. O(what is new); recall's part costs twice the sync. Turns are read once for recall and
exact text where both are at the same place of the log. tantivy tokenizes on the other cores.

`beside_commits` does the same for what a long sync commits, while its turns are in memory.

One process at a time: when many sessions end together the first indexes for all of them, and
what comes too late for it waits for the next.
"""

from collections.abc import Generator, Sequence
from contextlib import ExitStack, closing, contextmanager

from dejavu.archive import Archive, derived
from dejavu.archive.commit import CommittedChange, OnCommit
from dejavu.config.files import held_lock
from dejavu.config.paths import private_folder, state_home
from dejavu.model import ArchiveError

from . import Recall
from .history.index import ExchangeIndex


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


@contextmanager
def beside_commits(archive: Archive) -> Generator[OnCommit]:
    """Index for recall and exact text what is committed in the block, as `Archive.also_fed` takes it.

    Where it cannot be done, or fails, `update_indexes` does it afterwards.
    """
    path = private_folder(state_home()) / "indexing.lock"
    with ExitStack() as stack:
        alone = stack.enter_context(held_lock(path))
        steps: Generator[int] | None = None
        committed = derived.CommittedWindows(archive.log, archive.turns)
        if alone and not archive.views.searched_there:
            followers = stack.enter_context(archive.search_engine.exact_followers(live=True))
            index = ExchangeIndex(archive)
            steps = stack.enter_context(
                closing(index.catching_up(followers=followers, committed=committed))
            )

        def on_commit(changes: Sequence[CommittedChange]) -> None:
            nonlocal steps
            committed.add(changes)
            try:
                while steps is not None and committed.waiting:
                    next(steps)
            except (StopIteration, ArchiveError, OSError, ValueError):
                steps = None

        yield on_commit
