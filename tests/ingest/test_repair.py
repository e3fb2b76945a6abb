"""A damaged conversation is brought back from the archive's own raw, without the agent's files."""

from pathlib import Path

import pytest
from tests.factories.session_files import claude_session

from dejavu.archive import Archive
from dejavu.archive.backends.transaction import Writer
from dejavu.config.paths import archive_location
from dejavu.ingest.channel import Channel, load_merged, load_session_log, save_merged
from dejavu.ingest.lost_records import cure
from dejavu.ingest.repair import repair
from dejavu.ingest.reparse import reparse
from dejavu.ingest.sync import sync_homes
from dejavu.model import CorruptArchiveError, Vector
from dejavu.providers import Home


def test_a_damaged_conversation_comes_back_from_its_raw(home: Path) -> None:
    path = claude_session(home, "one", "two")
    root = Path(archive_location())
    root.parent.mkdir(parents=True, exist_ok=True)
    with Archive.open(root) as archive:
        sync_homes(archive, [Home.own()])
        (before,) = (archive.get(summary.id) for summary in archive.scan())
        path.unlink()

        def damage(txn: object) -> None:
            stored = txn.stored("summaries", before.id.encode())  # type: ignore[attr-defined]
            txn.put_stored("summaries", before.id.encode(), stored[:-1] + b"?")  # type: ignore[attr-defined]

        archive.backend.write(damage)
        with pytest.raises(CorruptArchiveError, match=before.id):
            archive.get(before.id)
    result = repair()
    assert (result.brought_back, result.partly, result.gone) == ((before.id,), {}, ())
    assert result.aside is not None
    with Archive.open(root) as archive:
        assert archive.get(before.id).turns == before.turns
        assert archive.maintenance.verify().clean
        assert archive.search("two")
    assert repair().aside is None


def test_damaged_raw_is_read_again_from_the_agents_file(home: Path) -> None:
    """The record of the file is damaged, too: the next sync reads it, as if it was new."""
    path = claude_session(home, "one", "two")
    other = claude_session(home, "three", name="s2")
    root = Path(archive_location())
    root.parent.mkdir(parents=True, exist_ok=True)
    with Archive.open(root) as archive:
        sync_homes(archive, [Home.own()])
        before = {summary.id: archive.get(summary.id) for summary in archive.scan()}

        def damage(txn: Writer) -> None:
            for key in list(txn.keys("raw")):
                txn.put_stored("raw", key, b"?")
            name = next(name for name in txn.keys("namespaces") if name.startswith(b"sources"))
            txn.put_stored("namespaces", name, b"?")

        archive.backend.write(damage)
    result = repair()
    assert len(result.brought_back) == 1
    with Archive.open(root) as archive:
        assert archive.maintenance.verify().clean
        sync_homes(archive, [Home.own()])
        assert {summary.id: archive.get(summary.id).turns for summary in archive.scan()} == {
            name: conversation.turns for name, conversation in before.items()
        }
        assert archive.maintenance.verify().clean
        report = sync_homes(archive, [Home.own()])
        assert (report.read, report.unreadable) == (0, [])
    assert path.exists()
    assert other.exists()


def test_a_damaged_conversation_does_not_end_a_sync(home: Path) -> None:
    path = claude_session(home, "one", "two")
    claude_session(home, "three", name="s2")
    root = Path(archive_location())
    root.parent.mkdir(parents=True, exist_ok=True)
    with Archive.open(root) as archive:
        sync_homes(archive, [Home.own()])
        hurt = next(s for s in archive.scan() if s.native_id == "s1").id

        def damage(txn: Writer) -> None:
            txn.put_stored("summaries", hurt.encode(), b"?")

        archive.backend.write(damage)
        claude_session(home, "one", "two", "four")
        claude_session(home, "three", "five", name="s2")
        claude_session(home, "six", name="s3")
        report = sync_homes(archive, [Home.own()])
        assert [place for place, _ in report.unreadable] == [str(path)]
        assert f"conversation {hurt}" in report.unreadable[0][1]
        assert report.unkept == 1
        with pytest.raises(CorruptArchiveError, match="verify --repair"):
            archive.search("five")
    assert repair().brought_back == (hurt,)
    with Archive.open(root) as archive:
        sync_homes(archive, [Home.own()])
        assert archive.search("five")
        assert archive.search("six")
        assert "four" in [turn.text for turn in archive.get(hurt).turns]
        assert archive.maintenance.verify().clean


@pytest.mark.parametrize("damaged", ["sources", "tellings"])
def test_a_damaged_record_of_a_source_is_written_again_from_the_other(
    damaged: str, home: Path
) -> None:
    """The agent's file is gone: its raw can be parsed again all the same."""
    path = claude_session(home, "one")
    root = Path(archive_location())
    root.parent.mkdir(parents=True, exist_ok=True)
    with Archive.open(root) as archive:
        sync_homes(archive, [Home.own()])
        (key,) = archive.sources.all_keys()
        log = load_session_log(archive, key)
        assert log is not None
        save_merged(archive, Channel(Vector.NATIVE, log))
        name = f"{damaged}\0{key}".encode()
        archive.backend.write(lambda txn: txn.put_stored("namespaces", name, b"?"))
        (fault,) = archive.maintenance.verify().faults
        assert "verify --repair" in fault
    path.unlink()
    result = repair()
    assert (result.lost, result.is_whole) == ((), True)
    with Archive.open(root) as archive:
        assert load_session_log(archive, key) == log
        assert load_merged(archive, key) == Channel(Vector.NATIVE, log)
        assert reparse(archive).left == []


@pytest.mark.parametrize(
    ("name", "lost", "to_do"),
    [
        (b"memories\0m1", ("memories: m1",), "dejavu memory add"),
        (b"secrets\0m", (), ""),
        (b"verdicts\0c1", (), ""),
    ],
)
def test_of_a_record_that_nothing_else_tells_it_is_said_what_to_do(
    name: bytes, lost: tuple[str, ...], to_do: str, home: Path
) -> None:
    root = Path(archive_location())
    root.parent.mkdir(parents=True, exist_ok=True)
    with Archive.open(root) as archive:
        archive.backend.write(lambda txn: txn.put_stored("namespaces", name, b"?"))
    result = repair()
    assert result.lost == lost
    assert all(to_do in cure(one) for one in result.lost)
    with Archive.open(root) as archive:
        assert archive.maintenance.verify().clean
