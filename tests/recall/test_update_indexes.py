import fcntl
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
import tantivy
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.recall.conftest import ASSISTANT, USER, session

from dejavu.archive import Archive, Batch, Lag
from dejavu.archive.access import open_archive
from dejavu.archive.search import exact_index
from dejavu.model import Conversation, Turn, TurnUpdate
from dejavu.recall import Recall
from dejavu.recall.history import documents
from dejavu.recall.history.index import ExchangeIndex
from dejavu.recall.terms import stems
from dejavu.recall.update_indexes import beside_commits, update_indexes


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


LIVE = st.lists(
    st.tuples(
        st.sampled_from("xyz"),
        st.sampled_from(["go on", "go on", "put", "delete", "elsewhere"]),
        st.lists(st.sampled_from(["", "why so", "a zebra", "retry_budget " * 9]), min_size=1),
    ),
    max_size=12,
)


@given(LIVE)
@settings(max_examples=25, deadline=None)
def test_what_a_long_sync_commits_is_indexed_as_if_read_afterwards(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, list[str]]]
) -> None:
    """Sessions that grow, are replaced or deleted, and what another process commits in between."""
    folder = tmp_path_factory.mktemp("a")
    with (
        pytest.MonkeyPatch.context() as patch,
        Archive.open(folder / "live") as live, Archive.open(folder / "after") as after,
    ):  # fmt: skip
        patch.setenv("HOME", str(folder))
        patch.setattr(exact_index, "WINDOW", 20)
        patch.setattr(documents, "_LENGTH", 40)
        live.also_fed = partial(beside_commits, live)
        with live.indexing():
            for step in steps:
                _apply(live, folder / "live", *step)
        for step in steps:
            _apply(after, folder / "after", *step)
        missing = Recall(live).lag().entries  # what others did after our last commit
        last_is_ours = not steps or steps[-1][1] not in ("delete", "elsewhere")
        assert not missing or not last_is_ours
        for archive in (live, after):
            update_indexes(archive)
        assert _indexed(live) == _indexed(after)


def _apply(archive: Archive, root: Path, name: str, kind: str, texts: list[str]) -> None:
    """Do a step of `LIVE`."""
    given = session(name, *(((USER, ASSISTANT)[n % 2], text) for n, text in enumerate(texts)))
    held = {one.id: one.turn_count for one in archive.scan()}.get(given.id, 0)
    if kind == "put":
        archive.put(given)
    elif kind == "delete":
        archive.maintenance.delete((given.id,))
    elif kind == "elsewhere":
        with Archive.open(root) as other:
            other.commit(Batch(updates=[TurnUpdate(given, held, given.turns)]))
    else:
        archive.commit(Batch(updates=[TurnUpdate(given, held, given.turns)]))


def test_a_long_sync_reads_no_turn_again(
    archived: list[Conversation], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recall's index and that of exact text take in what is still in memory."""
    with open_archive(write=True) as archive:
        update_indexes(archive)
        archive.also_fed = partial(beside_commits, archive)
        given = [session(name, (USER, "why a zebra"), (ASSISTANT, "and gnus")) for name in "pq"]
        with archive.indexing():
            monkeypatch.delattr("dejavu.archive.turns.stream")
            for one in given:
                archive.commit(Batch(updates=[TurnUpdate(one, 0, one.turns)]))
        monkeypatch.undo()
        assert Recall(archive).lag() == Lag()
        assert archive.search_engine.lag() == Lag()
        assert archive.search_engine._exact_index().runs("gnus")
        assert {one.id for one in given} <= {
            hit.conversation for hit in Recall(archive).search("gnus")
        }


def test_a_long_sync_leaves_indexing_to_who_does_it(
    archived: list[Conversation], home: Path
) -> None:
    state = home / ".local/state/dejavu"
    state.mkdir(parents=True)
    with (state / "indexing.lock").open("w") as lock, open_archive(write=True) as archive:
        fcntl.flock(lock, fcntl.LOCK_EX)
        archive.also_fed = partial(beside_commits, archive)
        with archive.indexing():
            archive.put(session("zebra", (USER, "why a zebra")))
        assert archive.search("zebra")
        assert Recall(archive).lag().entries
        fcntl.flock(lock, fcntl.LOCK_UN)
        assert update_indexes(archive) > 0


ARENAS = """
import ctypes, sys
from functools import partial
from pathlib import Path
from dejavu.archive import Archive
from dejavu.model import Conversation, Role, Text, Turn
from dejavu.recall.update_indexes import beside_commits, update_indexes

def arenas(folder):
    libc = ctypes.CDLL(None)
    libc.fopen.restype = ctypes.c_void_p
    libc.fclose.argtypes = [ctypes.c_void_p]
    libc.malloc_info.argtypes = [ctypes.c_int, ctypes.c_void_p]
    file = libc.fopen(str(folder / "told").encode(), b"w")
    libc.malloc_info(0, file)
    libc.fclose(file)
    return (folder / "told").read_text().count("<heap nr=")

turn = Turn(seq=0, role=Role.USER, parts=(Text("why does the retry budget run dry"),))
folder, way = Path(sys.argv[1]), sys.argv[2]
with Archive.open(folder / "archive") as archive:
    archive.also_fed = partial(beside_commits, archive)
    if way == "live":
        with archive.indexing():
            archive.put(Conversation(id="a", agent="x").with_turns((turn,)))
            print(arenas(folder))
    else:
        for number in range(110):
            archive.put(Conversation(id=str(number), agent="x").with_turns((turn,)))
        assert update_indexes(archive)
        print(arenas(folder))
"""


@pytest.mark.parametrize("way", ["live", "afterwards"])
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks glibc what it keeps")
def test_threads_of_the_indexes_share_their_memory(tmp_path: Path, way: str) -> None:
    """Each arena of glibc keeps what a thread freed, 20 MB for a commit of a long sync.

    Unasked there are eight for each core. Those that watched an index before are not taken away.
    """
    done = subprocess.run(
        [sys.executable, "-c", ARENAS, str(tmp_path), way],
        env={"HOME": str(tmp_path)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert 0 < int(done.stdout) <= 4


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
    before = [] if searcher is None else [
        sorted((one.conversation, one.seq) for one in index.find(searcher, query, 999))
        for stem in stems("zebra retry so")
        for query in (tantivy.Query.term_query(index.schema, "before", stem),)
    ]  # fmt: skip
    return [runs, exact.sequence, passages, before]


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
