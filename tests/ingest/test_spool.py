import fcntl
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.ingest.test_ingestor import IDENTITY, feed, line

from dejavu.archive import Archive
from dejavu.ingest.spool import recover, save_lines, spool_folder


def test_the_folder_is_in_the_state(home: Path) -> None:
    assert spool_folder() == home / ".local/state/dejavu/gateway"


def test_a_file_that_another_run_takes_up_is_left_to_it(tmp_path: Path) -> None:
    @contextmanager
    def opened(*, write: bool) -> Generator[Archive]:
        with Archive.open(tmp_path / "archive", create=write) as archive:
            yield archive

    path = save_lines(tmp_path / "spool", feed(), [line("Why?")])
    (tmp_path / "spool/torn.jsonl").write_bytes(b"{")
    with path.open() as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert recover(opened, tmp_path / "spool") == 0
    assert recover(opened, tmp_path / "spool") == 1
    assert [one.name for one in (tmp_path / "spool").iterdir()] == ["torn.jsonl"]
    with Archive.open(tmp_path / "archive") as archive:
        assert archive.get(IDENTITY).turn_count == 3
