from pathlib import Path

import pytest
from tests.factories.edits import Script

from dejavu.archive import Archive, Batch
from dejavu.extensions.code.index import EditIndex
from dejavu.model import TurnUpdate


def _paths(archive: Archive) -> list[tuple[str, int]]:
    with EditIndex(archive) as index:
        index.catch_up()
        edits = [edit for one in archive.scan() for edit in index.edits_of(one.id)]
    return sorted(((edit.path, edit.seq) for edit in edits), key=lambda edit: edit[1])


def test_edits_are_taken_in_as_they_come_and_a_failed_one_never(archive: Archive) -> None:
    script = Script("one", "/w")
    script.user("do it")
    script.edit("a.py", "x", "y")
    script.edit("/w/b.py", "x", "y", error=True)
    archive.put(script.conversation())
    assert _paths(archive) == [("/w/a.py", 1)]
    script.run("cd sub && git mv c.py ../d.py")
    archive.put(script.conversation())
    assert _paths(archive) == [("/w/a.py", 1), ("/w/d.py", 5)]


def test_a_result_that_comes_later_counts(archive: Archive) -> None:
    script = Script("one", "/w")
    script.edit("a.py", "x", "y", error=True)
    turns, result = script.turns[:1], script.turns
    script.turns = turns
    archive.put(script.conversation())
    assert _paths(archive) == [("/w/a.py", 0)]  # nobody refused it yet
    script.turns = result
    archive.put(script.conversation())
    assert _paths(archive) == []


def test_what_is_replaced_or_deleted_leaves(archive: Archive) -> None:
    script = Script("one", "/w")
    script.edit("a.py", "x", "y")
    script.edit("b.py", "x", "y")
    whole = script.conversation()
    archive.put(whole)
    assert len(_paths(archive)) == 2
    archive.commit(Batch(updates=[TurnUpdate(whole.with_turns(()), 2, ())]))
    assert _paths(archive) == [("/w/a.py", 0)]
    archive.maintenance.prune(workspace="/w")
    assert _paths(archive) == []


@pytest.mark.parametrize("damage", [b"", b"SQLite format 3\0" + b"x" * 5_000, b"nothing of ours"])
def test_a_damaged_index_is_made_anew(archive: Archive, damage: bytes) -> None:
    script = Script("one", "/w")
    script.edit("a.py", "x", "y")
    archive.put(script.conversation())
    assert _paths(archive)
    (archive.root / "edits" / "index.sqlite").write_bytes(damage)
    assert _paths(archive) == [("/w/a.py", 0)]


def test_it_never_outlives_another_archive(tmp_path: Path, archive: Archive) -> None:
    script = Script("one", "/w")
    script.edit("a.py", "x", "y")
    archive.put(script.conversation())
    _paths(archive)
    with Archive.open(tmp_path / "other") as other:
        later = Script("two", "/w")
        later.edit("z.py", "x", "y")
        other.put(later.conversation())
        (other.root / "edits").mkdir()
        stale = (archive.root / "edits" / "index.sqlite").read_bytes()
        (other.root / "edits" / "index.sqlite").write_bytes(stale)
        assert _paths(other) == [("/w/z.py", 0)]


def test_it_answers_where_nothing_can_be_written(archive: Archive) -> None:
    script = Script("one", "/w")
    script.edit("a.py", "x", "y")
    archive.put(script.conversation())
    with Archive.open(archive.root, readonly=True) as fixed:
        assert _paths(fixed) == [("/w/a.py", 0)]
    assert not (archive.root / "edits").exists()


def test_odd_names_and_arguments_stop_nothing(archive: Archive) -> None:
    script = Script("one", "/w")
    script.edit("\ud800\0.py", "x", "y")
    script.call("Edit", {"file_path": "n" * 9_000, "old_string": "a", "new_string": "b"})
    script.call("shell", "\0")
    script.call("x", {"": [None, {}, 1.5]}, {"exit_code": 3, "output": ["a", None]})
    archive.put(script.conversation())
    assert len(_paths(archive)) == 1
    with EditIndex(archive) as index:
        assert [call.ok for call in index.calls_of(script.id)][-1] is False


def test_changes_around_a_time_are_those_next_to_it(archive: Archive) -> None:
    script = Script("one", "/w")
    for number in range(9):
        script.call("Write", {"file_path": "/w/a", "content": f"{number}\n"})
    archive.put(script.conversation())
    with EditIndex(archive) as index:
        index.catch_up()
        edits = index.edits_at("/w/a")
        middle = edits[4].at or 0.0
        assert index.edits_around("/w/a", middle, 2) == edits[3:7]
        assert index.edits_around("/w/a", 0.0, 20) == edits
        assert not index.has_undated_edit("/w/a")


def test_a_read_is_found_by_the_file_that_it_names(archive: Archive) -> None:
    script = Script("one", "/w")
    first = script.call("Read", {"file_path": "src/a.py"}, "     1\tx")
    script.call("Read", {"file_path": "/w/b.py"}, "     1\ty")
    script.run("cat src/a.py")
    last = script.call("view_file", {"path": "/w/src/a.py"}, "x")
    archive.put(script.conversation())
    with EditIndex(archive) as index:
        index.catch_up()
        found = index.reads_of("/w/src/a.py", script.id, 0.0, script.at)
        assert [call.seq for call in found] == [first, last]
        assert not index.reads_of("/w/src/a.py", script.id, script.at + 1, script.at + 2)
