"""A copy of a store is equal to it, whatever ended the copying on the way, and is one archive or none."""

from pathlib import Path

import pytest
from tests.postgres import Server

from dejavu.archive import Archive, Batch, RawDelta
from dejavu.archive.backends.registry import open_store
from dejavu.archive.maintenance import copy_store
from dejavu.archive.maintenance.copy_store import CopyReport
from dejavu.model import ArchiveError, Conversation, Role, Text, Turn


class Ended(Exception):  # noqa: N818 - no fault: the program was killed
    pass


def fill(archive: Archive, count: int = 40) -> None:
    for number in range(count):
        archive.put(conversation(f"c{number}", f"hello {number} " + "x" * 500))
    archive.commit(Batch(raw={"source": [RawDelta(0, b"bytes" * 5_000)]}))
    archive.namespace("memories").put(b"one", b"the pond is two metres deep")


def conversation(name: str, *texts: str) -> Conversation:
    turns = (Turn(role=Role.USER, parts=(Text(text),)) for text in texts)
    return Conversation(id=name, agent="x").with_turns(tuple(turns))


def copied(source: Archive, target: Path | str, after: int | None = None) -> CopyReport:
    """Copy, ended `after` so many pages where that is given."""
    pages = 0

    def progress(records: int, size: int) -> None:
        nonlocal pages
        pages += 1
        if after is not None and pages > after:
            raise Ended

    opened = open_store(target, create=True, readonly=False).backend
    try:
        return copy_store.copy_store(source.backend, opened, progress)
    finally:
        opened.close()


def records(archive: Archive) -> dict[tuple[str, bytes], bytes]:
    """Everything but the archive's own record."""
    return archive.backend.read(
        lambda txn: {
            (table, key): value
            for table in copy_store._ORDER
            for key, value in txn.stored_items(table)
        }
    )


@pytest.fixture
def other_url(server: Server, url: str) -> str:
    """An archive on a server that is not the one of `archive`."""
    del url  # for its folder of what this machine derives
    return server.url(schema=server.new_schema())


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copy_store, "_PAGE", 2_000)


@pytest.mark.usefixtures("small_pages")
def test_a_copy_holds_every_record_and_is_an_archive_of_its_own(
    archive: Archive, tmp_path: Path, other_url: str
) -> None:
    fill(archive)
    for target in (tmp_path / "folder", other_url):
        report = copied(archive, target)
        with Archive.open(target) as copy:
            assert records(copy) == records(archive)
            assert len(records(copy)) == report.records
            assert copy.maintenance.verify().faults == []
            assert len(copy.search("hello 7")) > 0
            read = copy.backend.read(copy_store.archive_id)
            assert read != archive.backend.read(copy_store.archive_id)
            copy.put(conversation("new", "after the copy"))
        assert (report.damaged, report.changed, report.continued) == (0, 0, False)


@pytest.mark.usefixtures("small_pages")
def test_a_copy_that_was_ended_is_no_archive_and_goes_on(archive: Archive, tmp_path: Path) -> None:
    fill(archive)
    target = tmp_path / "target"
    pages = []
    for after in (0, 3, 9):
        with pytest.raises(Ended):
            copied(archive, target, after)
        with pytest.raises(ArchiveError, match=r"target holds a part .* call it again"):
            Archive.open(target)
        opened = open_store(target, create=True, readonly=False).backend
        position = opened.read(copy_store.position_of)
        assert position is not None
        pages.append((position.table, position.key))
        opened.close()
    assert pages == sorted(set(pages))
    assert copied(archive, target).continued
    with Archive.open(target) as copy:
        assert records(copy) == records(archive)


@pytest.mark.usefixtures("small_pages")
def test_an_ended_copy_onto_a_server_goes_on_there(archive: Archive, other_url: str) -> None:
    fill(archive)
    with pytest.raises(Ended):
        copied(archive, other_url, after=5)
    with pytest.raises(ArchiveError, match="a part of an archive"):
        Archive.open(other_url)
    assert copied(archive, other_url).continued
    with Archive.open(other_url) as copy:
        assert records(copy) == records(archive)


@pytest.mark.usefixtures("small_pages")
def test_what_is_written_meanwhile_is_copied_and_what_goes_is_gone(
    root: Path, tmp_path: Path
) -> None:
    with Archive.open(root) as archive:
        fill(archive)
        with pytest.raises(Ended):
            copied(archive, tmp_path / "target", after=20)
        archive.put(conversation("c0", "hello 0 " + "x" * 500, "a second turn"))
        archive.put(conversation("a-new-one", "hello"))
        archive.maintenance.prune(pattern="hello 1 x")
        report = copied(archive, tmp_path / "target")
        assert report.changed > 0
        with Archive.open(tmp_path / "target") as copy:
            assert records(copy) == records(archive)
            assert copy.maintenance.verify().faults == []


def test_nothing_that_is_there_is_written_over(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    with Archive.open(root) as archive, Archive.open(other) as second:
        fill(archive, 2)
        fill(second, 2)
        with pytest.raises(ArchiveError, match="--replace"):
            copied(archive, other)
        with pytest.raises(Ended):
            copied(archive, tmp_path / "target", after=1)
        with pytest.raises(ArchiveError, match="part of another archive"):
            copied(second, tmp_path / "target")


def test_what_was_there_is_set_aside_but_for_the_beginning_of_this_copy(
    archive: Archive, tmp_path: Path, other_url: str
) -> None:
    fill(archive, 2)
    identity = archive.backend.read(copy_store.archive_id)
    for target in (str(tmp_path / "target"), other_url):
        assert copy_store.set_aside(target, identity) is None
        with Archive.open(target) as old:
            old.put(conversation("old", "hello"))
        aside = copy_store.set_aside(target, identity)
        assert aside is not None
        with pytest.raises(Ended):
            copied(archive, target, after=1)
        assert copy_store.set_aside(target, identity) is None
        assert copied(archive, target).continued
        if target != other_url:
            with Archive.open(aside) as old:
                assert [one.id for one in old.scan()] == ["old"]


def test_a_damaged_record_is_copied_and_counted(root: Path, tmp_path: Path) -> None:
    with Archive.open(root) as archive:
        fill(archive, 2)
        archive.backend.write(
            lambda txn: txn.put_stored("states", b"8 bytes.", b"\x92\x00\xc4\x00")
        )
        report = copied(archive, tmp_path / "target")
    assert report.damaged == 1


def test_a_source_that_never_rests_is_named(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copy_store.log, "last_sequence", lambda _txn: object())
    with Archive.open(root) as archive:
        fill(archive, 1)
        with pytest.raises(ArchiveError, match="changes all the time"):
            copied(archive, tmp_path / "target")


def test_an_empty_store_is_no_source(tmp_path: Path) -> None:
    empty = open_store(tmp_path / "empty", create=True, readonly=False).backend
    other = open_store(tmp_path / "other", create=True, readonly=False).backend
    with pytest.raises(ArchiveError, match="empty"):
        copy_store.copy_store(empty, other, lambda *_: None)
    empty.close()
    other.close()
