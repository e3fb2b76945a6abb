"""The pages of a file say themselves whether they are all there."""

import os
import shutil
from pathlib import Path

import lmdb
import pytest

from dejavu.archive import Archive, Batch
from dejavu.archive.backends import layout, lmdb_format, lmdb_pages
from dejavu.archive.keys import TABLES
from dejavu.model import CorruptArchiveError, RawDelta


def short_but_whole(root: Path) -> None:
    """A store that is shorter than it counts: the pages at its end are free."""
    root.mkdir(mode=0o700)
    with lmdb.Environment(str(root), map_size=1 << 26, lib_version=0) as env:
        with env.begin(write=True) as txn:
            txn.put(b"Va", b"1")
        for length in (100_000, 4_000):
            with env.begin(write=True) as txn:
                for n in range(50):
                    txn.put(b"Vk%d" % n, os.urandom(length))
                for n in range(50):
                    txn.delete(b"Vk%d" % n)
        for n in range(4):  # the list of free pages itself moves to pages freed before
            with env.begin(write=True) as txn:
                txn.put(b"Vb", b"%d" % n)
    data = root / "data.mdb"
    os.truncate(data, data.stat().st_size - 40 * 4096)


def test_short_is_not_always_damaged(root: Path) -> None:
    short_but_whole(root)
    size, wanted = layout.data_size(root)
    assert size < wanted
    assert lmdb_pages.is_whole(root / "data.mdb")
    layout.check_data(root, marked=True)
    layout.pad_data(root)
    assert layout.data_size(root) == (wanted, wanted)


def test_a_missing_page_is_found(root: Path, tmp_path: Path) -> None:
    root.mkdir()
    with (
        lmdb.Environment(str(root), map_size=1 << 26, lib_version=0) as env,
        env.begin(write=True) as txn,
    ):
        for n in range(500):
            txn.put(b"V%d" % n, os.urandom(3000))
    assert lmdb_pages.is_whole(root / "data.mdb")
    copy = tmp_path / "copy"
    shutil.copytree(root, copy)
    os.truncate(copy / "data.mdb", (copy / "data.mdb").stat().st_size // 2)
    assert not lmdb_pages.is_whole(copy / "data.mdb")


def test_pages_give_what_lmdb_gives(root: Path) -> None:
    """Every table, both ways, key by key: long values on pages of their own included."""
    with Archive.open(root) as archive:
        for n in range(150):
            source = f"/home/dev/{n}.jsonl"
            archive.commit(Batch({source: [RawDelta(0, os.urandom(9_000 + n))]}))
            archive.namespace("notes").put(b"%d" % n, b"x" * n)
        for table in TABLES:
            pairs = archive.backend.read(lambda txn, t=table: list(txn.items(t)))
            assert archive.backend.inspect(lambda txn, t=table: list(txn.items(t))) == pairs
            backwards = archive.backend.inspect(
                lambda txn, t=table: list(txn.items(t, reverse=True))
            )
            assert backwards == pairs[::-1]
            keys = archive.backend.inspect(lambda txn, t=table: list(txn.keys(t)))
            assert keys == [key for key, _ in pairs]
            values = archive.backend.inspect(
                lambda txn, t=table, k=tuple(keys): [txn.get(t, key) for key in k]
            )
            assert values == [value for _, value in pairs]
        middle = archive.backend.inspect(lambda txn: list(txn.keys("namespaces", b"notes\x001")))
        assert len(middle) == 61
        assert archive.backend.inspect(lambda txn: txn.get("namespaces", b"notes\x00none")) is None
        assert archive.backend.inspect(lambda txn: txn.faults()) == []


def commit(root: Path, *values: bytes) -> None:
    """One commit a value, under one key: the number of records stays."""
    with lmdb.Environment(str(root), map_size=1 << 26, lib_version=0) as env:
        for value in values:
            with env.begin(write=True) as txn:
                txn.put(b"V" + b"a", value)


def faults(root: Path) -> list[str]:
    with (root / "data.mdb").open("rb") as file:
        return lmdb_pages.PageReader.newest(file.fileno()).faults()


def test_the_pages_of_an_older_commit_are_told_from_todays(root: Path) -> None:
    """All is sound but for the number of the root: it leads to the commit before."""
    root.mkdir()
    commit(root, b"1", b"2", b"3")
    assert faults(root) == []
    with (root / "data.mdb").open("r+b") as file:
        metas = [lmdb_format.read_root(file.fileno(), page) for page in (0, 1)]
        older, newer = sorted((meta for meta in metas if meta), key=lambda meta: meta.txn)
        file.seek(4096 * (newer.txn & 1) + 128)  # MDB_meta.mm_dbs[MAIN].md_root
        file.write(older.root.to_bytes(8, "little"))
    assert faults(root) == [f"pages: page {older.root} cannot be read: it is listed as free"]


@pytest.mark.parametrize("commits", range(3, 12))
def test_a_last_commit_that_is_hidden_is_missed(commits: int, root: Path) -> None:
    """One bit of the last commit's number flipped: LMDB opens the commit before it."""
    root.mkdir()
    commit(root, *[b"%d" % n for n in range(commits)])
    assert faults(root) == []
    data = (root / "data.mdb").read_bytes()
    position = 4096 * (commits & 1) + 144  # MDB_meta.mm_txnid
    assert int.from_bytes(data[position : position + 8], "little") == commits
    for bit in range(64):
        flipped = bytearray(data)
        flipped[position + bit // 8] ^= 1 << bit % 8
        (root / "data.mdb").write_bytes(flipped)
        try:
            assert faults(root) != []
        except CorruptArchiveError:
            continue
