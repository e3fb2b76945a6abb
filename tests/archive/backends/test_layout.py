"""The folder is private, and refused before anything in it could hurt."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories.full_disk import largest_file

from dejavu.archive import Archive
from dejavu.archive.backends import layout
from dejavu.archive.maintenance import backup
from dejavu.archive.records import FORMAT
from dejavu.model import (
    ArchiveError,
    ConfigError,
    Conversation,
    CorruptArchiveError,
    NewerFormatError,
    NotFoundError,
    Role,
    Text,
    Turn,
)


def fill(root: Path) -> None:
    turns = tuple(Turn(role=Role.USER, parts=(Text("word " * 900),)) for _ in range(40))
    with Archive.open(root) as archive:
        archive.put(Conversation(id="a", agent="x").with_turns(turns))


def modes(root: Path) -> dict[str, int]:
    return {p.name: p.stat().st_mode & 0o777 for p in (root, *root.iterdir())}


def test_folder_and_files_are_private_under_any_umask(root: Path) -> None:
    old = os.umask(0)
    try:
        fill(root)
    finally:
        os.umask(old)
    found = modes(root)
    assert found.pop(root.name) == 0o700
    assert set(found.values()) == {0o600}
    assert {"data.mdb", "lock.mdb", "archive.json"} <= set(found)


def test_open_bits_are_closed_with_a_note(root: Path) -> None:
    fill(root)
    root.chmod(0o755)
    (root / "data.mdb").chmod(0o644)
    with Archive.open(root) as archive:
        assert len(archive.notes) == 2
        assert "data.mdb" in archive.notes[1]
    assert set(modes(root).values()) == {0o700, 0o600}


def test_a_file_that_is_exchanged_meanwhile_is_no_fault(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Archive.open(root).close()
    listed = os.listdir
    # As if gc had renamed its copy between the listing and the look at each file.
    monkeypatch.setattr(os, "listdir", lambda path: [*listed(path), f"{layout.MARKER}.new"])
    assert layout.make_private(root, create=False) == ()


def test_a_link_is_refused(root: Path, tmp_path: Path) -> None:
    fill(root)
    link = tmp_path / "link"
    link.symlink_to(root)
    with pytest.raises(ArchiveError, match="symbolic link"):
        Archive.open(link)


def test_a_linked_file_inside_is_refused(root: Path, tmp_path: Path) -> None:
    fill(root)
    (root / "data.mdb").rename(tmp_path / "elsewhere")
    (root / "data.mdb").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ArchiveError, match="symbolic link"):
        Archive.open(root)


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
@pytest.mark.parametrize("name", ["data.mdb", "archive.json", "lock.mdb"])
def test_a_pipe_or_a_folder_for_a_file_is_refused(
    root: Path, name: str, make: Callable[[Path], None]
) -> None:
    fill(root)
    (root / name).unlink(missing_ok=True)
    make(root / name)
    with pytest.raises(ArchiveError, match=f"{name} is not a regular file"):
        Archive.open(root)
    with pytest.raises(ArchiveError, match=f"{name} is not a regular file"):
        backup.restore(root, root.parent / "restored")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_foreign_owner_is_refused(root: Path) -> None:
    fill(root)
    os.chown(root, 12345, -1)
    with pytest.raises(ArchiveError, match="belongs to user 12345"):
        Archive.open(root)


def test_a_folder_with_other_things_is_left_alone(root: Path) -> None:
    root.mkdir(mode=0o755)
    (root / "thesis.tex").write_text("x")
    with pytest.raises(ConfigError, match="holds other things"):
        Archive.open(root)
    assert root.stat().st_mode & 0o777 == 0o755
    assert [p.name for p in root.iterdir()] == ["thesis.tex"]


def test_a_file_is_no_folder(root: Path) -> None:
    root.write_text("x")
    with pytest.raises(ArchiveError, match="not a folder"):
        Archive.open(root)


def test_nothing_is_made_unasked(root: Path) -> None:
    for arguments in ({"create": False}, {"readonly": True}):
        with pytest.raises(NotFoundError, match="no archive"):
            Archive.open(root, **arguments)
    assert not root.exists()
    root.mkdir()
    with pytest.raises(NotFoundError, match="no archive"):
        Archive.open(root, create=False)


def test_a_newer_format_is_refused_untouched(root: Path) -> None:
    fill(root)
    (root / "archive.json").write_text(json.dumps({"format": 99}))
    before = (root / "data.mdb").read_bytes()
    with pytest.raises(NewerFormatError, match="format 99"):
        Archive.open(root)
    assert (root / "data.mdb").read_bytes() == before


def test_a_broken_marker_is_corrupt(root: Path) -> None:
    fill(root)
    (root / "archive.json").write_text("{")
    with pytest.raises(CorruptArchiveError, match=r"archive\.json"):
        Archive.open(root)


def test_a_lost_marker_is_made_again(root: Path) -> None:
    fill(root)
    (root / "archive.json").unlink()
    with Archive.open(root) as archive:
        assert archive.counts().conversations == 1
    assert layout.read_marker(root, FORMAT) == FORMAT


@pytest.mark.parametrize("keep", [0, 1, 4096, 8192, 0.5, -4096])
def test_a_cut_file_is_corrupt_and_never_kills(root: Path, keep: float) -> None:
    fill(root)
    data = root / "data.mdb"
    size = data.stat().st_size
    os.truncate(data, int(size * keep) if 0 < keep < 1 else int(keep) % size)
    with pytest.raises(CorruptArchiveError, match="restore"):
        Archive.open(root)


def test_a_file_that_counts_more_pages_than_it_can_have_is_corrupt(root: Path) -> None:
    """LMDB would map them all, and say that there is no memory."""
    fill(root)
    with (root / "data.mdb").open("r+b") as data:
        for page in (0, 1):
            data.seek(4096 * page + 136 + 5)  # MDB_meta.mm_last_pg
            data.write(b"\x10")
    with pytest.raises(CorruptArchiveError, match="repair"):
        Archive.open(root)


def test_a_missing_file_is_corrupt(root: Path) -> None:
    fill(root)
    (root / "data.mdb").unlink()
    with pytest.raises(CorruptArchiveError, match="is gone"):
        Archive.open(root)


def test_another_kind_of_file_is_corrupt(root: Path) -> None:
    fill(root)
    (root / "data.mdb").write_bytes(b"SQLite format 3\0" * 4096)
    with pytest.raises(CorruptArchiveError, match="does not begin"):
        Archive.open(root)


def test_a_network_file_system_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(root)
    here = os.statvfs(root)
    assert here.f_bsize  # a real file system; which one differs from machine to machine
    import ctypes

    buffer = ctypes.create_string_buffer(256)
    ctypes.CDLL(None).statfs(os.fsencode(root), buffer)
    kind = ctypes.c_long.from_buffer(buffer).value & 0xFFFFFFFF
    monkeypatch.setitem(layout._REMOTE, kind, "NFS")  # there is no NFS server in a test
    if os.major(root.stat().st_dev):  # only what has no disk is asked about
        Archive.open(root).close()
    monkeypatch.setattr(layout, "_mounts", lambda: b"/dev/sdb1 /work fuseblk rw 0 0")
    with pytest.raises(ArchiveError, match=r"network .*\(NFS\)"):
        Archive.open(root)


@pytest.mark.parametrize("step", ["fsync", "replace", "open"])
def test_failing_while_it_is_made_is_made_good_later(
    root: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """ENOSPC at each step of the marker: what is left is no archive yet, or a whole one."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        if step == "open":
            patch.setattr(layout, "write_marker", full)
        else:
            patch.setattr(Path if step == "replace" else os, step, full)
        with pytest.raises(OSError, match="No space left"):
            Archive.open(root)
    fill(root)
    with Archive.open(root, create=False) as archive:
        assert archive.maintenance.verify().faults == []
        assert archive.counts().turns == 40


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="macOS reserves nothing")
def test_a_lock_file_without_room_is_an_error_and_not_a_signal(tmp_path: Path) -> None:
    with largest_file(4096), pytest.raises(OSError, match=re.escape(str(tmp_path))):
        layout.reserve_lock_file(tmp_path, 510)
    assert list(tmp_path.iterdir()) == []
    layout.reserve_lock_file(tmp_path, 510)
    reserved = (tmp_path / "lock.mdb").stat()
    assert reserved.st_blocks * 512 >= reserved.st_size
    with Archive.open(tmp_path / "archive"):
        assert (tmp_path / "archive/lock.mdb").stat().st_size == reserved.st_size
