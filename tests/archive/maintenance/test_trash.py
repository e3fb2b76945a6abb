"""What was deleted comes back whole, until the store is compacted."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dejavu.archive import Archive
from dejavu.archive.maintenance import trash
from dejavu.archive.marks import MarkChange
from dejavu.model import Conversation, NotFoundError

from .test_prune import left, sync


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[Archive]:
    with Archive.open(tmp_path / "archive") as archive:
        _fill(archive)
        yield archive


def _fill(archive: Archive) -> None:
    sync(archive, "old", 0, "alpha", "beta", started_at=100.0)
    sync(archive, "new", 0, "gamma", "delta", started_at=900.0, workspace="/v", agent="y")


def test_on_a_server_it_is_gone_for_good(archive: Archive) -> None:
    _fill(archive)
    archive.maintenance.delete(("old",))
    assert left(archive) == {"new"}
    assert [one.id for one in archive.maintenance.deleted()] == [
        "old"
    ] * archive.maintenance.keeps_deleted


def _words(archive: Archive, name: str) -> list[str]:
    return [turn.text for turn in archive.get(name).turns]


def _facts(archive: Archive, name: str) -> tuple[Conversation, bytes]:
    return archive.get(name), b"".join(archive.sources.raw(f"/{name}.jsonl"))


def test_it_comes_back_as_it_was(filled: Archive) -> None:
    filled.mark("old", MarkChange(starred=True, add=frozenset({"bug"}), title="Mine"))
    before, counts = _facts(filled, "old"), filled.counts()
    filled.maintenance.delete(("old",))
    assert left(filled) == {"new"}
    assert not filled.search("alpha")
    assert filled.maintenance.verify().clean
    filled.maintenance.undelete("old")
    assert _facts(filled, "old") == before
    now = filled.counts()
    assert (now.conversations, now.turns) == (counts.conversations, counts.turns)
    assert [hit.conversation for hit in filled.search("alpha is:starred")] == ["old"]
    assert filled.maintenance.verify().clean
    assert filled.maintenance.gc().orphans == 0


def test_it_stays_away_when_its_source_is_read_again(filled: Archive) -> None:
    filled.maintenance.delete(("old",))
    sync(filled, "old", 0, "alpha", "beta", source="/again.jsonl")
    assert left(filled) == {"new"}


def test_what_was_said_since_comes_after_it(filled: Archive) -> None:
    filled.maintenance.delete(("old",))
    sync(filled, "old", 2, "gamma", started_at=100.0)
    assert _words(filled, "old") == ["gamma"]
    filled.maintenance.undelete("old")
    assert _words(filled, "old") == ["alpha", "beta", "gamma"]
    assert b"".join(filled.sources.raw("/old.jsonl")) == b"alpha\nbeta\ngamma\n"
    assert {hit.seq for hit in filled.search("alpha gamma in:/w")} == {0, 2}
    sync(filled, "old", 3, "epsilon", started_at=100.0)
    assert _words(filled, "old") == ["alpha", "beta", "gamma", "epsilon"]
    assert filled.maintenance.verify().clean
    assert filled.maintenance.gc().orphans == 0


def test_compacting_forgets_it(filled: Archive) -> None:
    filled.maintenance.delete(("old",))
    assert [one.id for one in filled.maintenance.deleted()] == ["old"]
    filled.maintenance.gc(compact=True)
    assert filled.maintenance.deleted() == []
    with pytest.raises(NotFoundError):
        filled.maintenance.undelete("old")
    data = b"".join(p.read_bytes() for p in filled.root.rglob("*") if p.is_file())
    assert b"alpha" not in data
    assert trash.NAMESPACE.encode() + b"\0" not in data


def test_pruning_another_forgets_it_too(filled: Archive) -> None:
    filled.maintenance.delete(("old",))
    filled.maintenance.prune(only=("new",))
    assert filled.maintenance.deleted() == []


def test_a_backup_can_bring_it_back(
    filled: Archive, tmp_path_factory: pytest.TempPathFactory
) -> None:
    before = filled.get("old")
    filled.maintenance.delete(("old",))
    target = tmp_path_factory.mktemp("copy") / "archive"
    filled.maintenance.backup(target)
    with Archive.open(target) as copy:
        copy.maintenance.undelete("old")
        assert copy.get("old") == before


_STEPS = st.lists(
    st.tuples(st.sampled_from(["say", "delete", "undelete"]), st.sampled_from(["a", "b"])),
    max_size=12,
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=_STEPS)
def test_no_word_is_lost_or_told_twice(
    steps: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    said: dict[str, list[str]] = {"a": [], "b": []}
    with Archive.open(tmp_path_factory.mktemp("steps") / "archive") as archive:
        for number, (what, name) in enumerate(steps):
            if what == "say":
                sync(archive, name, len(said[name]), f"{name}{number}")
                said[name].append(f"{name}{number}")
            elif what == "delete":
                archive.maintenance.delete((name,))
            elif name in {one.id for one in archive.maintenance.deleted()}:
                archive.maintenance.undelete(name)
            assert archive.maintenance.verify().clean
        while archive.maintenance.deleted():
            archive.maintenance.undelete(archive.maintenance.deleted()[0].id)
        assert archive.maintenance.verify().clean
        for name, words in said.items():
            assert (_words(archive, name) if words else []) == words
