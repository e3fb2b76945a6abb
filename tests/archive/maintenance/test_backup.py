"""Copies are whole or not there, and whoever has the store open notices."""

import os
from pathlib import Path

import pytest

from dejavu.archive import Archive, Batch, RawDelta
from dejavu.archive.backends import atomic_swap, layout
from dejavu.archive.maintenance import backup
from dejavu.config import files
from dejavu.model import (
    ArchiveError,
    Conversation,
    CorruptArchiveError,
    NotFoundError,
    Role,
    Text,
    Turn,
)


def conversation(name: str, text: str = "hello") -> Conversation:
    return Conversation(id=name, agent="x").with_turns((Turn(role=Role.USER, parts=(Text(text),)),))


def ids(archive: Archive) -> set[str]:
    return {c.id for c in archive.scan()}


def test_a_backup_is_an_archive(archive: Archive, tmp_path: Path) -> None:
    archive.put(conversation("a"))
    archive.update_index()
    target = tmp_path / "backups" / "one"
    target.parent.mkdir()
    assert archive.maintenance.backup(target) == (target / "data.mdb").stat().st_size
    archive.put(conversation("b"))
    with Archive.open(target) as copy:
        assert ids(copy) == {"a"}
        assert copy.maintenance.verify().faults == []
        assert len(copy.search("hello")) == 1
    assert {p.stat().st_mode & 0o777 for p in target.iterdir() if p.is_file()} == {0o600}
    assert target.stat().st_mode & 0o777 == 0o700


def test_a_backup_overwrites_nothing(archive: Archive, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_text("x")
    with pytest.raises(ArchiveError, match="there already"):
        archive.maintenance.backup(tmp_path / "there")
    (tmp_path / "empty").mkdir()
    archive.maintenance.backup(tmp_path / "empty")


def test_restore_puts_the_old_one_aside(root: Path, tmp_path: Path) -> None:
    saved = tmp_path / "saved"
    with Archive.open(root) as archive:
        archive.put(conversation("a"))
        archive.maintenance.backup(saved)
        archive.put(conversation("b"))
    old = backup.restore(saved, root)
    assert old is not None
    with Archive.open(root) as archive, Archive.open(old) as aside:
        assert (ids(archive), ids(aside)) == ({"a"}, {"a", "b"})


def test_restore_where_nothing_was(archive: Archive, tmp_path: Path) -> None:
    archive.put(conversation("a"))
    archive.maintenance.backup(tmp_path / "saved")
    assert backup.restore(tmp_path / "saved", tmp_path / "deep" / "new") is None
    with Archive.open(tmp_path / "deep" / "new") as copy:
        assert ids(copy) == {"a"}


def test_an_open_archive_follows_a_restore(root: Path, tmp_path: Path) -> None:
    with Archive.open(root) as archive:
        archive.put(conversation("a", "one"))
        archive.maintenance.backup(tmp_path / "saved")
        archive.put(conversation("b", "two"))
        assert len(archive.search("two")) == 1
        backup.restore(tmp_path / "saved", root)
        assert ids(archive) == {"a"}
        assert archive.search("two") == []
        archive.put(conversation("c", "three"))
        assert len(archive.search("one three")) == 2
    with Archive.open(root) as archive:
        assert ids(archive) == {"a", "c"}
        assert archive.maintenance.verify().faults == []


def test_what_is_no_backup_is_refused(root: Path, tmp_path: Path) -> None:
    with Archive.open(root) as archive:
        archive.put(conversation("a"))
        archive.maintenance.backup(tmp_path / "saved")
    (tmp_path / "empty").mkdir()
    with pytest.raises(NotFoundError, match="not a backup"):
        backup.restore(tmp_path / "empty", root)
    os.truncate(tmp_path / "saved" / "data.mdb", 5_000)
    with pytest.raises(CorruptArchiveError, match="cut short"):
        backup.restore(tmp_path / "saved", root)
    with Archive.open(root) as archive:
        assert ids(archive) == {"a"}


@pytest.mark.parametrize(
    "step", ["fsync", "chmod", "rename", "fsync_folder", "write_marker", "exchange"]
)
@pytest.mark.parametrize("work", ["backup", "restore", "compact"])
def test_failing_at_any_step_leaves_what_was(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, work: str
) -> None:
    """ENOSPC at each step of the file work; the store and the folders are as before, or done."""
    with Archive.open(root) as archive:
        archive.put(conversation("a"))
        archive.maintenance.backup(tmp_path / "saved")
        archive.put(conversation("b"))

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    places = {"fsync": (os, "fsync"), "fsync_folder": (files, "fsync_folder")}
    places |= {"write_marker": (layout, "write_marker"), "exchange": (atomic_swap, "swap")}
    owner, name = places.get(step, (Path, step))
    with Archive.open(root) as archive, monkeypatch.context() as patch:
        patch.setattr(owner, name, full)
        try:
            if work == "backup":
                archive.maintenance.backup(tmp_path / "new")
            elif work == "restore":
                backup.restore(tmp_path / "saved", root)
            else:
                archive.backend.compact()
        except (ArchiveError, OSError) as error:
            said = str(error)
        else:
            said = "No space left: the step is not part of this work"
    assert "No space left" in said
    with Archive.open(root, create=False) as archive:
        assert ids(archive) in ({"a", "b"}, {"a"} if work == "restore" else {"a", "b"})
        assert archive.maintenance.verify().faults == []
        archive.put(conversation("c"))
    assert not [p for p in tmp_path.iterdir() if p.name.endswith(".new")]
    assert not [p for p in root.iterdir() if p.name.endswith(".new")]


def test_compacting_gives_space_back_and_loses_nothing(root: Path) -> None:
    with Archive.open(root) as archive, Archive.open(root) as other:
        for n in range(40):
            archive.put(conversation(f"c{n}", os.urandom(20_000).hex()))
        for n in range(10, 40):
            archive.maintenance.discard(f"c{n}")
        before = archive.counts().stored_bytes
        collected = archive.maintenance.gc(compact=True)
        assert collected.freed_bytes > before / 2
        assert archive.counts().stored_bytes == before - collected.freed_bytes
        other.put(conversation("late"))
        assert ids(archive) == ids(other) >= {"c0", "late"}
        assert archive.maintenance.verify().faults == []


def test_a_folder_moves_to_a_server_and_back(url: str, root: Path, tmp_path: Path) -> None:
    """What was there is set aside under a name of its own; an open archive goes on."""
    with Archive.open(root) as archive:
        for name in "abc":
            archive.put(conversation(name, f"from {name}"))
        archive.commit(Batch({"s": [RawDelta(0, os.urandom(300_000))]}))
        archive.namespace("memories").put(b"k", b"v")
        archive.maintenance.backup(tmp_path / "saved")
        raw = b"".join(archive.sources.raw("s"))
    assert backup.restore(tmp_path / "saved", url) is None
    with Archive.open(url) as shared:
        assert (ids(shared), b"".join(shared.sources.raw("s"))) == ({"a", "b", "c"}, raw)
        assert shared.namespace("memories").get(b"k") == b"v"
        assert shared.maintenance.verify().faults == []
        assert {hit.conversation for hit in shared.search("from")} == {"a", "b", "c"}
        shared.put(conversation("d", "later"))
        old = backup.restore(tmp_path / "saved", url)
        assert str(old).startswith("dejavu_records_replaced_")
        assert ids(shared) == {"a", "b", "c"}
        assert shared.search("later") == []
        shared.put(conversation("e", "last"))
        assert shared.maintenance.backup(tmp_path / "back") > 300_000
        assert len(shared.search("from last")) == 4
    with Archive.open(tmp_path / "back") as archive:
        assert (ids(archive), b"".join(archive.sources.raw("s"))) == ({"a", "b", "c", "e"}, raw)
        assert archive.maintenance.verify().faults == []
    with pytest.raises(NotFoundError, match="not a backup"):
        backup.restore(tmp_path, url)
