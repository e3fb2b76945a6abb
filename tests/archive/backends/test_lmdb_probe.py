"""A child reads a short store and dies in our place if it must."""

import os
import shutil
from pathlib import Path

import lmdb

from dejavu.archive.backends import layout
from dejavu.archive.backends import lmdb_probe as probe


def short_but_whole(root: Path) -> None:
    """A store LMDB left shorter than it counts: pages taken and given back in one change."""
    root.mkdir(mode=0o700)
    with lmdb.Environment(str(root), map_size=1 << 26, max_dbs=1, lib_version=0) as env:
        database = env.open_db(b"x")
        with env.begin(write=True) as txn:
            txn.put(b"a", b"1", db=database)
        for length in (100_000, 4_000):
            with env.begin(write=True) as txn:
                for n in range(50):
                    txn.put(b"k%d" % n, os.urandom(length), db=database)
                for n in range(50):
                    txn.delete(b"k%d" % n, db=database)


def test_short_is_not_always_damaged(root: Path) -> None:
    short_but_whole(root)
    size, wanted = layout.data_size(root)
    assert size < wanted
    assert probe.readable(root)
    layout.check_data(root, marked=True)
    layout.pad_data(root)
    assert layout.data_size(root) == (wanted, wanted)


def test_a_missing_page_is_found_by_the_child(root: Path, tmp_path: Path) -> None:
    root.mkdir()
    with (
        lmdb.Environment(str(root), map_size=1 << 26, lib_version=0) as env,
        env.begin(write=True) as txn,
    ):
        for n in range(500):
            txn.put(b"%d" % n, os.urandom(3000))
    assert probe.readable(root)
    copy = tmp_path / "copy"
    shutil.copytree(root, copy)
    os.truncate(copy / "data.mdb", (copy / "data.mdb").stat().st_size // 2)
    assert not probe.readable(copy)
