"""How files look: what moves a stamp, and what does not."""

import os
from pathlib import Path

import pytest

from dejavu.providers import Kind, Source
from dejavu.providers.follow.append import FileCursor
from dejavu.providers.follow.stamp import (
    MISSING,
    bytes_of,
    changed_at,
    database_of,
    database_stamp,
    file_stamp,
    is_unchanged,
    log_of,
    modified_at,
    side_files,
    source_stamp,
)


def test_a_side_file_is_its_databases(tmp_path: Path) -> None:
    assert database_of("opencode.db-wal") == "opencode.db"
    assert database_of("a.jsonl") == "a.jsonl"
    database = tmp_path / "opencode.db"
    assert {database_of(path.name) for path in side_files(database)} == {"opencode.db"}


def test_a_log_counts_and_an_emptied_one_does_not(tmp_path: Path) -> None:
    database = tmp_path / "a.db"
    database.write_bytes(b"pages")
    alone = database_stamp(database)
    log_of(database).write_bytes(b"")
    assert database_stamp(database) == alone
    log_of(database).write_bytes(b"frames")
    assert database_stamp(database) != alone
    assert bytes_of(database_stamp(database)) == len(b"pagesframes")


def test_a_missing_file_is_no_error_of_a_source_and_one_of_a_file(tmp_path: Path) -> None:
    source = Source("claude", tmp_path / "gone", "local", Kind.APPEND)
    assert source_stamp(source) == MISSING
    assert modified_at(source_stamp(source)) == changed_at(source_stamp(source)) == 0
    with pytest.raises(FileNotFoundError):
        file_stamp(tmp_path / "gone")
    assert source_stamp(Source("claude", Path("a\0b"), "local", Kind.APPEND)) == MISSING


def test_the_other_files_of_a_source_count(tmp_path: Path) -> None:
    (tmp_path / "head").write_bytes(b"1")
    journal = tmp_path / "journal"
    source = Source("vibe", tmp_path / "head", "local", Kind.DATABASE, extra_paths=(journal,))
    before = source_stamp(source)
    journal.write_bytes(b"more")
    assert source_stamp(source) != before


def test_a_cursor_of_an_older_version_has_no_change_time(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"{}\n")
    status = path.lstat()
    size, modified, changed, inode = file_stamp(path)
    assert is_unchanged(status, FileCursor(size=size, mtime=modified, inode=inode))
    assert is_unchanged(status, FileCursor(size=size, mtime=modified, inode=inode, ctime=changed))
    assert not is_unchanged(status, FileCursor(size=size, mtime=modified, inode=inode, ctime=1))
    os.utime(path, (1e9, 1e9))
    assert not is_unchanged(path.lstat(), FileCursor(size=size, mtime=modified, inode=inode))
