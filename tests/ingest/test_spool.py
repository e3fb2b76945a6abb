import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.ingest.test_ingestor import ANSWER, IDENTITY, feed, line

from dejavu.archive import Archive
from dejavu.ingest.channel import Channel, pushed_source
from dejavu.ingest.spool import has_pending, is_due, recover, save_lines, spool_folder, spool_state
from dejavu.model import ArchiveError, Vector

FIRST, SECOND = line("Why?"), line("Why?", ANSWER, "And red?")


def opener(tmp_path: Path) -> Callable[..., Generator[Archive]]:
    @contextmanager
    def opened(*, write: bool) -> Generator[Archive]:
        with Archive.open(tmp_path / "archive", create=write) as archive:
            yield archive

    return opened  # type: ignore[return-value]


@contextmanager
def away(*, write: bool) -> Generator[Archive]:
    raise ArchiveError("the server is away")
    yield


def kept(tmp_path: Path) -> tuple[bytes, int]:
    with Archive.open(tmp_path / "archive") as archive:
        return b"".join(archive.sources.raw(feed().key)), archive.get(IDENTITY).turn_count


def test_the_folder_is_in_the_state(home: Path) -> None:
    assert spool_folder() == home / ".local/state/dejavu/gateway"


def test_one_carries_a_spool_at_a_time(tmp_path: Path) -> None:
    save_lines(tmp_path / "spool", feed(), [FIRST])
    other = os.open(tmp_path / "spool", os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    assert recover(opener(tmp_path), tmp_path / "spool") == 0
    os.close(other)
    assert recover(opener(tmp_path), tmp_path / "spool") == 1
    assert list((tmp_path / "spool").iterdir()) == []
    assert kept(tmp_path) == (FIRST, 3)


def test_batches_of_a_source_go_in_the_order_they_were_saved(tmp_path: Path) -> None:
    names = [save_lines(tmp_path / "spool", feed(), [data]).name for data in (FIRST, SECOND)]
    assert names == sorted(names)
    assert has_pending(tmp_path / "spool", feed().key)
    assert recover(opener(tmp_path), tmp_path / "spool") == 2
    assert not has_pending(tmp_path / "spool", feed().key)
    assert kept(tmp_path) == (FIRST + SECOND, 5)


@pytest.mark.parametrize("point", ["before", "after"])
def test_a_batch_carried_twice_changes_nothing(tmp_path: Path, point: str) -> None:
    """Killed around the commit: a file whose offset is noted, and its bytes there or not."""
    spool = tmp_path / "spool"
    save_lines(spool, feed(), [FIRST])
    recover(opener(tmp_path), spool)
    path = save_lines(spool, feed(), [SECOND])
    noted = path.with_name(path.name.replace(".new.", f".at{len(FIRST)}."))
    if point == "after":
        entry = path.read_bytes()
        recover(opener(tmp_path), spool)
        noted.write_bytes(entry)
    else:
        path.rename(noted)
    assert recover(opener(tmp_path), spool) == 1
    assert kept(tmp_path) == (FIRST + SECOND, 5)


def test_a_batch_that_fails_is_named_and_holds_back_its_own_source_only(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    stranger = Channel(Vector.STREAM, pushed_source("nobody", "stdin:x", "local"))
    bad = save_lines(spool, stranger, [b"{}\n"])
    text = bad.read_bytes().replace(b'"vector":"stream"', b'"vector":"no such"')
    bad.write_bytes(text)
    later = save_lines(spool, stranger, [b"{}\n"])
    (spool / "torn.jsonl").write_bytes(b"{")
    save_lines(spool, feed(), [FIRST])
    assert recover(opener(tmp_path), spool) == 1
    assert kept(tmp_path) == (FIRST, 3)
    assert {path.name for path in spool.glob("*.jsonl")} == {bad.name, later.name, "torn.jsonl"}
    state = spool_state(spool)
    assert (state.waiting, set(state.failed), state.refusal) == (3, {bad.name, "torn.jsonl"}, "")
    assert "no such" in state.failed[bad.name]
    assert not is_due(spool)


def test_while_the_archive_is_away_tries_come_slower(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    assert not is_due(spool)
    save_lines(spool, feed(), [FIRST])
    assert is_due(spool)
    pauses: list[float] = []
    for tries in range(1, 12):
        assert recover(away, spool) == 0
        state = spool_state(spool)
        assert (state.tries, state.refusal) == (tries, "the server is away")
        pauses.append(state.retry_at - time.time())
        assert not is_due(spool)
        assert is_due(spool, at=state.retry_at + 1)
    assert pauses[0] < 4
    assert 20 < pauses[-1] < 100
    assert recover(opener(tmp_path), spool) == 1, "a command tries at once"
    assert spool_state(spool) == (0, None, "", {}, 0.0, 0)


RECORD = """
import sys
from pathlib import Path
from contextlib import contextmanager
from tests.ingest.test_ingestor import feed, line
from dejavu.ingest.recorder import Recorder
from dejavu.ingest.spool import save_lines
from dejavu.model import ArchiveError
@contextmanager
def away(**_):
    raise ArchiveError("the server is away")
    yield
recorder = Recorder(away, Path(sys.argv[1]), spool_first=True)
data = line("Why?")
recorder.put(feed(), lambda: data, len(data))
sys.stdin.read()
"""


def test_what_was_spooled_outlives_a_recorder_that_is_killed(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    child = subprocess.Popen(
        [sys.executable, "-c", RECORD, str(spool)], stdin=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 60
        while not list(spool.glob("*.jsonl")):
            assert child.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        child.send_signal(signal.SIGKILL)
        child.communicate()
    assert recover(opener(tmp_path), spool) == 1
    assert kept(tmp_path) == (FIRST, 3)
