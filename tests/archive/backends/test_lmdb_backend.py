"""Transactions that are retried whole, maps that grow, and refusals that say why."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from dejavu.archive import Archive, Batch, RawDelta
from dejavu.archive.backends import lmdb_backend as lmdb_environment
from dejavu.archive.backends.lmdb_backend import LmdbWriter
from dejavu.archive.backends.transaction import Reader, Writer
from dejavu.archive.keys import TABLES
from dejavu.model import ArchiveError, Conversation, CorruptArchiveError, Role, Text, Turn

GROW = """
import os, sys
from dejavu.archive import Archive, Batch, RawDelta
with Archive.open(sys.argv[1]) as archive:
    archive.commit(Batch({"big": [RawDelta(0, os.urandom(3_000_000))]}))
"""


def conversation(name: str, text: str = "hello") -> Conversation:
    return Conversation(id=name, agent="x").with_turns((Turn(role=Role.USER, parts=(Text(text),)),))


@pytest.fixture(autouse=True)
def _small_map(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lmdb_environment, "FIRST_MAP", 1 << 20)


def test_the_map_grows_and_the_whole_change_is_run_again(archive: Archive, root: Path) -> None:
    noise = os.urandom(5_000_000)
    runs: list[int] = []

    def change(txn: Writer) -> None:
        runs.append(1)
        txn.put("states", b"12345678", noise)

    archive.backend.write(change)
    assert len(runs) > 1
    assert archive.backend.read(lambda txn: txn.get("states", b"12345678")) == noise
    archive.commit(Batch({"s": [RawDelta(0, noise)]}))
    assert b"".join(archive.sources.raw("s")) == noise


def test_a_map_another_process_grew_is_followed(archive: Archive, root: Path) -> None:
    archive.put(conversation("a"))
    subprocess.run([sys.executable, "-c", GROW, str(root)], check=True)
    assert sum(map(len, archive.sources.raw("big"))) == 3_000_000
    archive.put(conversation("b"))
    subprocess.run([sys.executable, "-c", GROW.replace("big", "other"), str(root)], check=True)
    archive.put(conversation("c"))
    assert archive.maintenance.verify().faults == []


def test_growth_waits_for_readers_of_this_process(archive: Archive) -> None:
    archive.put(conversation("a"))
    inside, grown = threading.Event(), threading.Event()

    def look(txn: Reader) -> bytes | None:
        inside.set()
        grown.wait(0.2)
        return txn.get("summaries", b"a")

    seen: list[bytes | None] = []
    reader = threading.Thread(target=lambda: seen.append(archive.backend.read(look)))
    reader.start()
    inside.wait()
    archive.backend.write(lambda txn: txn.put("states", b"x", os.urandom(4_000_000)))
    grown.set()
    reader.join()
    assert seen[0] is not None


def test_what_raises_leaves_nothing(archive: Archive) -> None:
    def change(txn: Writer) -> None:
        txn.put("summaries", b"x", b"y")
        raise KeyError("no")

    with pytest.raises(KeyError):
        archive.backend.write(change)
    assert archive.backend.read(lambda txn: txn.get("summaries", b"x")) is None


def test_failing_at_every_put_leaves_the_store_as_it_was(archive: Archive, root: Path) -> None:
    """A failure at the n-th write of a commit, for every n: all or nothing, and the retry works."""
    first = conversation("a", "one")
    archive.put(first)
    before = dict(archive.backend.read(lambda txn: list(everything(txn))))
    batch = Batch({"s": [RawDelta(0, b"x" * 400_000)]}, (), {"s": b"c"}, {"s": b"st"}, {"s": ["a"]})
    for fail_at in range(100):
        countdown = [fail_at]

        class Failing(LmdbWriter):
            def put(
                self, table: str, key: bytes, value: bytes, countdown: list[int] = countdown
            ) -> None:
                countdown[0] -= 1
                if countdown[0] < 0:
                    raise OSError(28, "No space left on device")
                super().put(table, key, value)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lmdb_environment, "LmdbWriter", Failing)
            try:
                archive.commit(batch)
            except OSError:
                after = dict(archive.backend.read(lambda txn: list(everything(txn))))
                assert after == before
                continue
        break
    assert 5 < fail_at < 99
    assert archive.maintenance.verify().faults == []
    assert archive.sources.cursor("s") == b"c"


def everything(txn: Reader) -> list[tuple[tuple[str, bytes], bytes]]:
    return [((table, key), value) for table in TABLES for key, value in txn.items(table)]


def test_opening_twice_shares(root: Path) -> None:
    with Archive.open(root) as one, Archive.open(root) as two:
        assert one.backend is two.backend
        one.put(conversation("a"))
        assert two.get("a").id == "a"
        one.close()
        one.close()
        assert two.get("a").id == "a"
    with pytest.raises(ArchiveError, match="is closed"):
        two.get("a")


def test_a_child_of_a_fork_is_told(archive: Archive) -> None:
    archive.put(conversation("a"))
    pid = os.fork()
    if pid == 0:
        try:
            archive.get("a")
        except ArchiveError as error:
            os._exit(0 if "before a fork" in str(error) else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_readonly_refuses_writing(root: Path) -> None:
    with Archive.open(root) as archive:
        archive.put(conversation("a"))
    with Archive.open(root, readonly=True) as archive:
        assert archive.get("a").id == "a"
        with pytest.raises(ArchiveError, match="read-only"):
            archive.put(conversation("b"))


def test_a_garbled_page_is_corrupt(root: Path) -> None:
    with Archive.open(root) as archive:
        for n in range(60):
            archive.put(conversation(f"c{n}", os.urandom(500).hex()))
    data = root / "data.mdb"
    whole = bytearray(data.read_bytes())
    for page in range(2 * 4096, len(whole), 4096):
        whole[page + 8 : page + 24] = b"\xff" * 16
    data.write_bytes(whole)
    with pytest.raises((CorruptArchiveError, ArchiveError), match=r"damaged|could not be used"):
        Archive.open(root)


IN_A_SMALL_DISK = """
import os, sys
from dejavu.archive import Archive, Batch, RawDelta
from dejavu.model import ArchiveError
kept = 0
with Archive.open(sys.argv[1]) as archive:
    try:
        for n in range(100):
            archive.commit(Batch({"s": [RawDelta(kept, os.urandom(100_000))]}))
            kept += 100_000
    except ArchiveError as error:
        print(type(error).__name__, error)
    assert sum(map(len, archive.sources.raw("s"))) == kept, "read after a full disk"
with Archive.open(sys.argv[1]) as archive:
    assert 0 < kept < 10_000_000 and sum(map(len, archive.sources.raw("s"))) == kept
    assert archive.maintenance.verify().clean
print("all", kept)
"""


def test_a_full_disk_loses_nothing_that_was_kept(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = f"mount -t tmpfs -o size=2m tmpfs {disk}"
    if subprocess.run(
        ["unshare", "-Urm", "sh", "-c", mount], capture_output=True, check=False
    ).returncode:
        pytest.skip("needs a user namespace to mount a small disk of its own")
    done = subprocess.run(
        [
            "unshare",
            "-Urm",
            "sh",
            "-c",
            f'{mount} && "$0" -c "$1" {disk}/archive',
            sys.executable,
            IN_A_SMALL_DISK,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "could not be used" in done.stdout
    assert "free some space" in done.stdout


READ_ONLY_MEDIA = """
import sys
from dejavu.archive import Archive
with Archive.open(sys.argv[1], readonly=True) as archive:
    print(archive.get("a").id, len(archive.search("hello")), archive.backend.readonly)
    print(len(archive.search("hello", exact=True)), archive.maintenance.verify().clean)
"""


@pytest.mark.parametrize("indexed", [True, False])
def test_read_only_media(root: Path, indexed: bool) -> None:
    with Archive.open(root) as archive:
        archive.put(conversation("a"))
        if indexed:
            archive.update_index()
    bind = f"mount --bind {root} {root} && mount -o remount,ro,bind {root}"
    if subprocess.run(
        ["unshare", "-Urm", "sh", "-c", bind], capture_output=True, check=False
    ).returncode:
        pytest.skip("needs a user namespace to mount read-only")
    done = subprocess.run(
        [
            "unshare",
            "-Urm",
            "sh",
            "-c",
            f'{bind} && "$0" -c "$1" {root}',
            sys.executable,
            READ_ONLY_MEDIA,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "a 1 True\n1 True\n", done.stderr


def test_a_writer_never_holds_the_lock_of_a_store_that_was_replaced(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store is replaced once more between the opening of its lock and of its data."""
    compacting = (
        "import sys; from dejavu.archive import Archive\n"
        "with Archive.open(sys.argv[1]) as archive: archive.maintenance.gc(compact=True)"
    )

    def compact() -> None:
        subprocess.run([sys.executable, "-c", compacting, str(root)], check=True, timeout=60)

    with Archive.open(root) as archive:
        archive.put(conversation("before"))
        compact()
        opened = archive.backend._map

        def late(folder: Path) -> object:
            monkeypatch.undo()
            compact()
            return opened(folder)

        monkeypatch.setattr(archive.backend, "_map", late)
        with archive.backend.writer():
            assert archive.backend._lock.is_in(root)
        archive.put(conversation("after"))
    with Archive.open(root) as archive:
        assert {one.id for one in archive.scan()} == {"before", "after"}
