"""Folders change places whole, or not at all."""

import os
from pathlib import Path

import pytest

from dejavu.archive.backends import atomic_swap
from dejavu.model import ArchiveError


def test_two_folders_change_places(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    atomic_swap.swap(tmp_path / "one", tmp_path / "two")
    assert (tmp_path / "one" / "file").read_text() == "two"
    assert (tmp_path / "two" / "file").read_text() == "one"
    with pytest.raises(OSError, match="No such file"):
        atomic_swap.swap(tmp_path / "one", tmp_path / "none")


def test_what_was_made_beside_is_gone_unless_it_was_moved(tmp_path: Path) -> None:
    target = tmp_path / "target"
    with (
        pytest.raises(ArchiveError, match="could not be written"),
        atomic_swap.staging_folder(target),
    ):
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []
    with atomic_swap.staging_folder(target) as fresh:
        assert fresh.stat().st_mode & 0o777 == 0o700
        fresh.rename(target)
    assert list(tmp_path.iterdir()) == [target]


def test_copies_are_private(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(os.urandom(3_000_000))
    source.chmod(0o644)
    atomic_swap.copy_file(source, tmp_path / "copy")
    atomic_swap.fsync_private(source)
    assert (tmp_path / "copy").read_bytes() == source.read_bytes()
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}
