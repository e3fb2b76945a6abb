import stat
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.ingest.test_ingestor import ANSWER, IDENTITY, feed, line

from dejavu.archive import Archive
from dejavu.ingest import recorder as module
from dejavu.ingest.recorder import Recorder
from dejavu.ingest.spool import recover, spool_state
from dejavu.model import ArchiveLockedError


def _opener(tmp_path: Path, refusals: int = 0):  # type: ignore[no-untyped-def]
    left = [refusals]

    @contextmanager
    def opened(*, write: bool = True) -> Generator[Archive]:
        if left[0]:
            left[0] -= 1
            raise ArchiveLockedError("another process writes to the archive")
        with Archive.open(tmp_path / "archive") as archive:
            yield archive

    return opened


def test_what_was_put_is_in_the_archive_at_the_end(tmp_path: Path) -> None:
    one = Recorder(_opener(tmp_path), tmp_path / "spool")
    for data in (line("Why?"), line("Why?", ANSWER, "And red?")):
        one.put(feed(), lambda data=data: data, len(data))  # type: ignore[misc]
    one.put(feed(), lambda: None, 5)
    summary = one.close()
    assert (summary.lines, summary.conversations, summary.notes) == (2, {IDENTITY}, [])
    with Archive.open(tmp_path / "archive") as archive:
        assert archive.get(IDENTITY).turn_count == 5
    assert not (tmp_path / "spool").exists()


def test_a_bad_line_does_not_stop_the_others(tmp_path: Path) -> None:
    one = Recorder(_opener(tmp_path), tmp_path / "spool")
    one.put(feed(), lambda: bytes(1 // 0), 1)
    one.put(feed(), lambda: line("Why?"), 1)
    summary = one.close()
    assert (summary.lines, len(summary.notes)) == (1, 1)


def test_what_the_archive_refuses_waits_for_the_next_run(tmp_path: Path) -> None:
    one = Recorder(_opener(tmp_path, refusals=9), tmp_path / "spool")
    data = line("Why?")
    one.put(feed(), lambda: data, len(data))
    (note,) = one.close().notes
    assert "another process" in note
    (path,) = (tmp_path / "spool").iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert recover(_opener(tmp_path, refusals=1), tmp_path / "spool") == 0, (
        "still refused: it stays"
    )
    assert recover(_opener(tmp_path), tmp_path / "spool") == 1
    assert list((tmp_path / "spool").iterdir()) == []
    with Archive.open(tmp_path / "archive") as archive:
        assert archive.get(IDENTITY).turn_count == 3
        assert b"".join(archive.sources.raw(feed().source.key)) == data


def test_more_than_may_be_held_is_counted_not_kept(tmp_path: Path) -> None:
    one = Recorder(_opener(tmp_path), tmp_path / "spool")
    one.put(feed(), lambda: line("Why?"), module.HELD + 1)
    summary = one.close()
    assert (summary.lines, summary.notes) == (0, ["1 exchanges came too fast and were not kept"])


def test_before_a_server_all_goes_through_the_spool_in_order(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    one = Recorder(_opener(tmp_path, refusals=1), spool, spool_first=True)
    lines = [line("Why?"), line("Why?", ANSWER, "And red?")]
    for n, data in enumerate(lines):
        one.put(feed(), lambda data=data: data, len(data))  # type: ignore[misc]
        if n == 0:
            deadline = time.monotonic() + 60
            while not spool_state(spool).tries and time.monotonic() < deadline:
                time.sleep(0.02)  # refused once: what comes now must wait behind it
    summary = one.close()
    assert (summary.lines, summary.conversations, summary.notes) == (2, {IDENTITY}, [])
    assert list(spool.iterdir()) == []
    with Archive.open(tmp_path / "archive") as archive:
        assert b"".join(archive.sources.raw(feed().key)) == b"".join(lines)
        assert archive.get(IDENTITY).turn_count == 5
