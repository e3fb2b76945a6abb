import fcntl
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.recall.conftest import ASSISTANT, USER, session

from dejavu.archive import Archive, Lag
from dejavu.archive.access import open_archive
from dejavu.archive.search import exact_index
from dejavu.model import Conversation, Turn
from dejavu.recall import Recall
from dejavu.recall.history.index import ExchangeIndex
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


STEPS = st.lists(
    st.tuples(
        st.sampled_from("xyz"),
        st.sampled_from(["put", "delete", "index", "recall only"]),
        st.lists(st.sampled_from(["", "why so", "a zebra", "retry_budget " * 9]), min_size=1),
    ),
    max_size=12,
)


@given(STEPS)
@settings(max_examples=12, deadline=None)
def test_turns_that_are_read_once_are_indexed_as_if_read_twice(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, list[str]]]
) -> None:
    folder = tmp_path_factory.mktemp("a")
    with (
        pytest.MonkeyPatch.context() as patch,
        Archive.open(folder / "one") as once, Archive.open(folder / "two") as twice,
    ):  # fmt: skip
        patch.setenv("HOME", str(folder))
        patch.setattr(exact_index, "WINDOW", 20)
        for name, kind, texts in [*steps, ("x", "index", [])]:
            for archive in (once, twice):
                if kind == "put":
                    turns = [(USER, ASSISTANT)[n % 2] for n in range(len(texts))]
                    archive.put(session(name, *zip(turns, texts, strict=True)))
                elif kind == "delete":
                    archive.maintenance.delete((session(name).id,))
                elif kind == "recall only":
                    Recall(archive).catch_up()
            if kind == "index":
                update_indexes(once)
                twice.update_index()
                Recall(twice).catch_up()
        assert _indexed(once) == _indexed(twice)
        assert once.search_engine.catch_up() == 0
        assert Recall(once).lag() == Lag()


def _indexed(archive: Archive) -> list[object]:
    """What the indexes of exact text and of exchanges hold of each conversation, and their marks."""
    exact = archive.search_engine._exact_index()
    numbers = range(1, 30)
    index = ExchangeIndex(archive)
    searcher = index.searcher()
    assert searcher is not None or not index.lag().entries
    passages = [] if searcher is None else [
        sorted((one.seq, one.stop, one.ordinal, one.answer, one.prompt) for one in documents)
        for number in numbers
        if (documents := index.find(searcher, index._of(number, "stop", 0), 99))
    ]  # fmt: skip
    runs = [sorted(exact.runs_of(number)) for number in numbers]
    return [runs, exact.sequence, passages]


def test_a_first_time_reads_turns_once(
    archived: list[Conversation], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recall's index reads them; that of exact text asks the archive for none."""
    monkeypatch.delattr(exact_index, "read_turns")
    with open_archive(write=True) as archive:
        assert update_indexes(archive) > 0
        assert archive.search_engine._runs(archived[1].turns[0].text)


def test_an_index_that_fails_stays_at_its_mark_and_catches_up(
    archived: list[Conversation], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: exact_index.ExactFollower, turn: Turn) -> None:
        raise ValueError("the disk is full")

    with open_archive(write=True) as archive:
        with monkeypatch.context() as patch:
            patch.setattr(exact_index.ExactFollower, "take", refuse)
            with archive.search_engine.exact_followers() as followers:
                assert Recall(archive).catch_up(followers=followers) > 0
            assert [follower.mark for follower in followers] == [0]
        assert archive.search_engine._exact_index().sequence == 0
        archive.update_index()
        assert archive.search_engine._runs(archived[1].turns[0].text)
