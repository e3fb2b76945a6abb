"""Where a text may stand is never less than where it stands."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dejavu.archive import Archive, derived
from dejavu.archive.search import exact_index
from dejavu.model import Conversation, Role, ToolCallResponse, Turn

TEXTS = st.text(st.sampled_from("ab\u00e9\ud83d -\n\x1b"), max_size=12)
STEPS = st.lists(
    st.tuples(st.sampled_from("xyz"), st.lists(TEXTS, min_size=1, max_size=4), st.booleans()),
    min_size=1,
    max_size=6,
)


def said(*texts: str) -> tuple[Turn, ...]:
    return tuple(
        Turn(role=Role.TOOL, parts=(ToolCallResponse(str(n), text),))
        for n, text in enumerate(texts)
    )


def put(archive: Archive, name: str, *texts: str) -> None:
    archive.put(Conversation(id=name, agent="a", native_id=name).with_turns(said(*texts)))


def read_all(archive: Archive, text: str, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """What is found where every turn is read."""
    with monkeypatch.context() as patch:
        patch.setattr(archive.search_engine, "_runs", lambda _: None)
        return places(archive, text)


def places(archive: Archive, text: str) -> list[tuple[str, int]]:
    return sorted((h.conversation, h.seq) for h in archive.search(text, exact=True, limit=99))


@given(STEPS, st.lists(TEXTS, min_size=1, max_size=3))
@settings(max_examples=15, deadline=None)
def test_the_same_is_found_as_by_reading_everything(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[str, list[str], bool]],
    asked: list[str],
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact_index, "WINDOW", 8)
        with Archive.open(tmp_path_factory.mktemp("a") / "archive") as archive:
            for name, texts, caught in steps:
                put(archive, name, *texts)
                if caught:
                    archive.update_index()
            for text in asked:
                assert places(archive, text) == read_all(archive, text, patch)


def test_only_runs_with_all_its_words_are_read(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact_index, "WINDOW", 64)
    put(archive, "x", *(f"the quick brown fox number {n} of many that run" for n in range(40)))
    archive.update_index()
    runs = archive.search_engine._runs("number 17 of")
    assert runs is not None
    ((low, high),) = next(iter(runs.values()))
    assert high is not None
    assert low <= 17 < high
    assert high - low <= 3
    assert places(archive, "number 17 of") == [("x", 17)]
    assert archive.search_engine._runs("no such words") == {}


def test_a_rare_word_at_an_end_leaves_few_runs(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact_index, "WINDOW", 64)
    put(
        archive,
        "x",
        *(f"a {'zebra' if n == 17 else 'horse'} of many that run far" for n in range(40)),
    )
    archive.update_index()
    for text in ("zebra of many", "bra of many", "many that run", "horse of many"):
        assert places(archive, text) == read_all(archive, text, monkeypatch)
    rare, frequent = (archive.search_engine._runs(f"{text} of many") for text in ("ebra", "horse"))
    assert rare is not None
    assert frequent is not None
    assert len(rare[1]) == 1 < len(frequent[1])


def test_what_came_later_is_read(archive: Archive) -> None:
    put(archive, "x", "one two")
    archive.update_index()
    put(archive, "x", "one two", "three four")
    put(archive, "y", "three five")
    assert archive.search_engine._runs("three") == {1: [(1, None)], 2: [(0, None)]}
    assert places(archive, "three") == [("x", 1), ("y", 0)]
    archive.update_index()
    assert archive.search_engine._runs("three") == {1: [(0, 2)], 2: [(0, 1)]}


def test_what_is_gone_is_not_looked_for(archive: Archive) -> None:
    put(archive, "x", "one two")
    archive.update_index()
    archive.maintenance.prune(agent="a")
    assert not archive.search_engine._runs("one two")
    assert places(archive, "one two") == []


@pytest.mark.parametrize("text", ["", "a", "\n--", "\ud83d\ud83d\ud83d"])
def test_what_has_no_word_is_looked_for_everywhere(archive: Archive, text: str) -> None:
    put(archive, "x", "ab", "a\n--b", "\ud83d\ud83d\ud83d")
    archive.update_index()
    assert archive.search_engine._runs(text) is None


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("ap(an", True), ("ap(and", False), ("map(ankle", True), ("ma", True), ("nkl", True),
        ("p(ank", True), ("ap(a) anonym", False), ("\u6f22\u5b57", True),
        ("\u5b57 \u00e9t\u00e9", True), ("\u00e9te", False),
    ],
)  # fmt: skip
def test_words_at_the_ends_may_go_on_and_those_within_may_not(
    archive: Archive, text: str, *, runs: bool
) -> None:
    put(archive, "x", "map(ankle)", "\u6f22\u5b57 \u00e9t\u00e9")
    archive.update_index()
    assert bool(archive.search_engine._runs(text)) is runs


@pytest.mark.parametrize("start", [0, 15_700, 15_990, 65_000, 199_000])
def test_words_longer_than_the_index_takes_are_found(archive: Archive, start: int) -> None:
    blob = "".join(f"x{n:06d}" for n in range(30_000))  # 210,000 letters and digits in a row
    put(archive, "x", f"before {blob} after", "another")
    archive.update_index()
    for length in (10, 120, 129, 2_000):
        text = blob[start : start + length]
        assert archive.search_engine._runs(text), (start, length)
        assert places(archive, text) == [("x", 0)]
    assert archive.search_engine._runs("x000001x000003") == {}


def test_a_damaged_index_is_made_anew(archive: Archive, tmp_path: Path) -> None:
    put(archive, "x", "one two")
    archive.update_index()
    archive.search_engine.close()
    for path in (archive.root / "search" / exact_index.FOLDER).iterdir():
        path.write_bytes(b"nonsense")
    assert places(archive, "one two") == [("x", 0)]
    archive.update_index()
    assert archive.search_engine._runs("one two") == {1: [(0, 1)]}


def test_long_conversations_are_cut_into_windows(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact_index, "WINDOW", 10)
    put(archive, "x", "12345", "67890", "abcde", "fghij", "k")
    archive.update_index()
    found = archive.search_engine._exact_index().runs_of(1)
    assert sorted((run.first, run.last) for run in found) == [(0, 1), (2, 3), (4, 4)]


def test_many_turns_are_indexed_in_parts_and_all_are_found(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Documents wait in memory until they are committed: a part holds few turns, at least an entry."""
    monkeypatch.setattr(exact_index, "_TURNS", 3)
    for number in range(6):
        put(archive, f"c{number}", *(f"needle{number} {seq}" for seq in range(1 + number)))
    put(archive, "c0", "needle0 anew")  # told in a part of its own, behind what it replaces
    sizes = [window.entries for window in derived.windows(archive.log, 0, size=512, turns=3)]
    assert len(sizes) > 3
    archive.update_index()
    for number in range(6):
        found = places(archive, f"needle{number}")
        assert found == [(f"c{number}", seq) for seq in range(1 + number)]
    assert len(places(archive, "needle0 anew")) == 1
    assert archive.search_engine.catch_up() == 0
