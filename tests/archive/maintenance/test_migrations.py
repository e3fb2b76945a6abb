"""Old formats climb one step at a time; each step whole or not at all."""

import json
import shutil
from pathlib import Path

import msgspec
import pytest

from dejavu.archive import Archive, log
from dejavu.archive.backends import layout
from dejavu.archive.backends.transaction import Writer
from dejavu.archive.keys import META
from dejavu.archive.maintenance import migrations
from dejavu.archive.records import FORMAT
from dejavu.model import ArchiveError, Conversation, CorruptArchiveError, NewerFormatError

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "archive"
OLD = sorted(GOLDEN.glob("format-*"))


def set_format(archive: Archive, number: int) -> None:
    def change(txn: Writer) -> None:
        meta = msgspec.msgpack.decode(txn.get("meta", META) or b"")
        txn.put("meta", META, msgspec.msgpack.encode({**meta, "format": number}))

    archive.backend.write(change)


def mark(table: str) -> migrations.Step:
    return lambda txn: txn.put("states", table.encode(), b"done")


def test_there_is_a_real_archive_of_every_format() -> None:
    assert [path.name for path in OLD] == [f"format-{n}" for n in range(1, FORMAT + 1)]
    assert sorted(migrations.STEPS) == list(range(1, FORMAT))


@pytest.mark.parametrize("golden", OLD, ids=lambda path: path.name)
def test_every_old_archive_reads_as_it_was_written(golden: Path, root: Path) -> None:
    root.mkdir(mode=0o700)
    for name in ("data.mdb", "archive.json"):
        shutil.copy(golden / name, root / name)
    wanted = json.loads((golden / "expected.json").read_bytes())
    with Archive.open(root) as archive:
        assert archive.maintenance.verify().faults == []
        for expected in wanted["conversations"]:
            found = json.loads(msgspec.json.encode(archive.get(expected["id"])))
            assert found == expected
        for source, raw in wanted["raw"].items():
            assert b"".join(archive.sources.raw(source)).decode() == raw
        assert [hit.conversation for hit in archive.search("ring buffer", limit=1)] == wanted[
            "hits"
        ]
    assert layout.read_marker(root, FORMAT) == FORMAT


def test_steps_are_taken_in_order_and_once(archive: Archive, root: Path) -> None:
    steps_by_format = {FORMAT: mark("one"), FORMAT + 1: mark("two")}
    assert migrations.migrate(archive.backend, steps_by_format, FORMAT + 2) == 2
    assert archive.backend.read(log.written_format) == FORMAT + 2
    assert layout.read_marker(root, FORMAT + 2) == FORMAT + 2
    assert migrations.migrate(archive.backend, {}, FORMAT + 2) == 0
    assert archive.backend.read(lambda txn: [*txn.keys("states")]) == [b"one", b"two"]


def test_a_failing_step_leaves_the_format_below_it_whole(archive: Archive) -> None:
    archive.put(Conversation(id="a", agent="x"))

    def fail(txn: Writer) -> None:
        txn.delete("summaries", b"a")
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        migrations.migrate(archive.backend, {FORMAT: mark("one"), FORMAT + 1: fail}, FORMAT + 2)
    assert archive.backend.read(log.written_format) == FORMAT + 1
    assert archive.get("a").id == "a"
    assert migrations.migrate(archive.backend, {FORMAT + 1: mark("two")}, FORMAT + 2) == 1
    assert archive.get("a").id == "a"


def test_a_marker_that_was_not_written_is_written_later(
    archive: Archive, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(layout, "write_marker", full)
        with pytest.raises(OSError, match="No space"):
            migrations.migrate(archive.backend, {FORMAT: mark("one")}, FORMAT + 1)
    set_format(archive, FORMAT)
    (root / "archive.json").unlink()
    with Archive.open(root):
        assert layout.read_marker(root, FORMAT) == FORMAT


def test_a_newer_store_is_refused_whatever_its_marker_says(archive: Archive, root: Path) -> None:
    set_format(archive, FORMAT + 1)
    archive.close()
    with pytest.raises(NewerFormatError, match=f"format {FORMAT + 1}"):
        Archive.open(root)


def test_an_older_store_is_not_changed_by_a_reader(archive: Archive, root: Path) -> None:
    set_format(archive, 0)
    archive.close()
    with pytest.raises(ArchiveError, match="older format 0"):
        Archive.open(root, readonly=True)
    with pytest.raises(CorruptArchiveError, match="format 0, which never was"):
        Archive.open(root)
