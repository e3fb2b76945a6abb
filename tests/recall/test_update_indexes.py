import fcntl
from pathlib import Path

import pytest
import tantivy

import dejavu.recall.update_indexes as module
from dejavu.archive import Archive
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


@pytest.mark.parametrize("program", ["index_words", "no_such_program"])
def test_much_is_indexed_by_two_processes_or_else_by_one(
    archived: list[Conversation], monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    """Words by a program beside recall's, and where that fails by whoever asked for it."""
    asked: list[bool] = []
    update_index = Archive.update_index
    monkeypatch.setattr(module, "_MUCH", 0)
    monkeypatch.setattr(module, "_PROGRAM", f"dejavu.recall.{program}")
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1}, raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    with open_archive(write=True) as archive:
        monkeypatch.setattr(
            Archive, "update_index", lambda self: asked.append(True) or update_index(self)
        )
        assert update_indexes(archive) > 0
        hits = Recall(archive).search("why does the retry budget run dry")
        exact = tantivy.Index.open(str(archive.root / "search" / "exact"))
        assert exact.searcher().num_docs >= len(archived)
    assert hits[0].conversation == archived[1].id
    assert asked == ([] if program == "index_words" else [True])
