"""What agents wrote since the last look is read before an answer, within bounds."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.factories.session_files import claude_session

from dejavu.archive import Archive
from dejavu.ingest.catch_up import catch_up, is_current, sync_runs
from dejavu.ingest.source_failures import last_scans
from dejavu.ingest.sources import read, record
from dejavu.ingest.sources.record import load_snapshot
from dejavu.ingest.sync import sync_homes
from dejavu.providers import Home

_HOLD = """
import fcntl, sys, time
file = open(sys.argv[1], "w")
fcntl.flock(file, fcntl.LOCK_EX)
print(flush=True)
time.sleep(0.3)
"""


@pytest.fixture
def archive(home: Path, tmp_path: Path) -> Iterator[Archive]:
    """An empty archive, of a home of its own."""
    with Archive.open(tmp_path / "archive") as opened:
        yield opened


@pytest.fixture(autouse=True)
def settled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files written a moment ago count as written long ago."""
    monkeypatch.setattr(record, "_SETTLED", -1.0)
    monkeypatch.setattr(read, "_LEAST", 0.0)
    monkeypatch.setattr(read, "_SHARE", 0.0)


def _current(archive: Archive) -> bool:
    return is_current(archive, load_snapshot(archive.root, os.environ))


def _found(archive: Archive, words: str) -> bool:
    return bool(archive.search(words))


def test_a_new_machine_is_read_and_then_nothing_is_looked_at(home: Path, archive: Archive) -> None:
    claude_session(home, "first prompt", "answer")
    assert catch_up(archive) == (None, "")
    assert _found(archive, "first")
    assert _current(archive)
    assert last_scans(archive)["claude"].sources == 1


def test_new_files_of_a_known_and_of_a_new_agent_are_found(home: Path, archive: Archive) -> None:
    claude_session(home, "first prompt", "answer", name="a")
    sync_homes(archive, [Home.own()])
    assert _current(archive)
    claude_session(home, "second prompt", "answer", name="b")
    assert not _current(archive)
    catch_up(archive)
    assert _found(archive, "second")
    assert _current(archive)
    chat = home / ".gemini/tmp/x/chats/session-1.json"
    chat.parent.mkdir(parents=True)
    assert not _current(archive)


def test_what_grew_is_read_without_looking_for_others(
    home: Path, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = claude_session(home, "first prompt", "answer", name="a")
    sync_homes(archive, [Home.own()])
    more = claude_session(home / "other", "later prompt", "answer", name="a").read_bytes()
    with path.open("ab") as file:
        file.write(more.replace(b'"u0"', b'"u7"').replace(b'"a0"', b'"a7"'))
    monkeypatch.setattr("dejavu.ingest.sources.read._discover_agent", None)
    catch_up(archive)
    assert _found(archive, "later")
    assert _current(archive)


def test_a_file_replaced_by_one_of_the_same_size_and_time_is_seen(
    home: Path, archive: Archive
) -> None:
    path = claude_session(home, "first prompt", "answer", name="a")
    sync_homes(archive, [Home.own()])
    before = path.stat()
    other = path.with_name("new")
    other.write_bytes(path.read_bytes().replace(b"first", b"other"))
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)
    catch_up(archive)
    assert _found(archive, "other")


@pytest.mark.parametrize("modified", [0, 4e9])
def test_a_modification_time_may_lie(home: Path, archive: Archive, modified: float) -> None:
    claude_session(home, "first prompt", "answer", name="a")
    sync_homes(archive, [Home.own()])
    os.utime(claude_session(home, "second prompt", "answer", name="b"), (modified, modified))
    catch_up(archive)
    assert _found(archive, "second")
    assert _current(archive)


def test_what_changed_a_moment_ago_is_looked_at_again(
    home: Path, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record, "_SETTLED", 15.0)
    claude_session(home, "first prompt", "answer", name="a")
    catch_up(archive)
    assert not _current(archive)


def test_what_there_is_no_time_for_is_said_and_read_by_the_next(
    home: Path, archive: Archive
) -> None:
    for number in range(5):
        path = claude_session(home, f"prompt{number}", "answer", name=str(number))
        os.utime(path, (1e9 + number, 1e9 + number))
    result = catch_up(archive, patience=1e-9)
    assert result.extent == (1, 5)
    assert _found(archive, "prompt4")
    assert not _found(archive, "prompt3")
    assert "claude" not in last_scans(archive)  # `doctor` says so
    assert any("1 of 5 read" in note for note in archive.search("prompt4").notes)
    assert catch_up(archive) == (None, "")
    assert _found(archive, "prompt0")


def test_a_long_file_is_read_in_pieces(home: Path, archive: Archive) -> None:
    claude_session(home, "early", "x" * 600_000, "middle", "y" * 600_000, "late", "z", name="a")
    assert catch_up(archive, patience=1e-9).extent == (0, 1)
    assert _found(archive, "early")
    assert not _found(archive, "late")
    assert catch_up(archive).extent is None
    assert _found(archive, "late")


def test_a_sync_is_left_alone(home: Path, archive: Archive) -> None:
    claude_session(home, "first prompt", "answer")
    with sync_runs(archive.root):
        assert catch_up(archive, patience=0.05).problem
        assert not _found(archive, "first")
    catch_up(archive)
    assert _found(archive, "first")


def test_another_that_catches_up_is_waited_for(home: Path, archive: Archive) -> None:
    claude_session(home, "first prompt", "answer")
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(archive.root / "catch_up.lock")],
        stdout=subprocess.PIPE,
    )
    with holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        catch_up(archive, patience=60)
    assert _found(archive, "first")


def test_nothing_stands_in_the_way_of_an_answer(
    home: Path, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude_session(home, "first prompt", "answer", name="a")
    catch_up(archive)
    claude_session(home, "second prompt", "answer", name="b")
    monkeypatch.setattr("dejavu.ingest.sources.read._due", None)
    assert "may be missing" in catch_up(archive).problem
    (archive.root / "session_files").write_bytes(b"\x93damaged")
    assert load_snapshot(archive.root, os.environ) is None


def test_an_archive_that_was_put_back_is_read_anew(home: Path, archive: Archive) -> None:
    claude_session(home, "first prompt", "answer", name="a")
    catch_up(archive)
    with Archive.open(archive.root.parent / "restored") as restored:
        (restored.root / "session_files").write_bytes((archive.root / "session_files").read_bytes())
        assert not _current(restored)
        catch_up(restored)
        assert _found(restored, "first")


def test_it_can_be_switched_off(home: Path, archive: Archive) -> None:
    claude_session(home, "first prompt", "answer", name="a")
    config = home / ".config/dejavu/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[sync]\ncatch_up = 0\n")
    catch_up(archive)
    assert not _found(archive, "first")


def test_a_closed_folder_hides_only_what_is_in_it(home: Path, archive: Archive) -> None:
    claude_session(home, "first prompt", "answer", name="a")
    hidden = home / ".claude/projects/hidden"
    hidden.mkdir(mode=0)
    try:
        assert catch_up(archive) == (None, "")
        assert _found(archive, "first")
        assert _current(archive)
    finally:
        hidden.chmod(0o700)
    assert not _current(archive)
