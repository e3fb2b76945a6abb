import fcntl
from pathlib import Path

from dejavu.archive.access import open_archive
from dejavu.model import Conversation
from dejavu.recall import Recall
from dejavu.recall.update_indexes import update_indexes


def test_what_was_archived_can_be_recalled(archived: list[Conversation]) -> None:
    with open_archive(write=True) as archive:
        assert update_indexes(archive) > 0
        assert update_indexes(archive) == 0
        hits = Recall(archive).search("why does the retry budget run dry")
    assert hits[0].conversation == archived[1].id


def test_one_process_indexes_for_all(archived: list[Conversation], home: Path) -> None:
    state = home / ".local/state/dejavu"
    state.mkdir(parents=True)
    with (state / "indexing.lock").open("w") as lock, open_archive(write=True) as archive:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert update_indexes(archive) == 0
        fcntl.flock(lock, fcntl.LOCK_UN)
        assert update_indexes(archive) > 0
