import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from dejavu.sessions import session_store as sessions
from dejavu.sessions.watch import LIVENESS, Watch

A, B = "20260101-000000-aaaa", "20260101-000001-bbbb"


def told(watch: Watch) -> list[tuple[str, str]]:
    return [(seen.session.id, seen.state) for seen in watch.poll()]


def test_all_at_first_then_only_what_changed(session: Callable[..., Path]) -> None:
    folder = session(A, "working")
    session(B, "idle")
    watch = Watch()
    assert sorted(told(watch)) == [(A, "working"), (B, "idle")]
    assert told(watch) == []
    sessions.set_status(folder, sessions.Status(state="blocked", since=3.0))
    assert told(watch) == [(A, "blocked")]
    assert [seen.session.id for seen in watch.sessions] == [B, A]


def test_sessions_that_come_are_told(session: Callable[..., Path]) -> None:
    watch = Watch()
    assert told(watch) == []
    session(A, "working")
    assert told(watch) == [(A, "working")]


def test_a_folder_without_its_file_yet_is_waited_for(session: Callable[..., Path]) -> None:
    folder = session(A, "working")
    whole = (folder / "session.json").read_text()
    (folder / "session.json").write_text("")
    watch = Watch()
    assert told(watch) == []
    (folder / "session.json").write_text(whole)
    assert told(watch) == [(A, "working")]


def test_being_seen_is_a_change(session: Callable[..., Path]) -> None:
    folder = session(A, "idle", finished_at=5.0)
    watch = Watch([folder])
    assert told(watch) == [(A, "done")]
    sessions.touch(folder, "seen")
    assert told(watch) == [(A, "idle")]


def test_the_end_is_told_and_then_what_came_of_it(
    session: Callable[..., Path],
) -> None:
    folder = session(A, "working")
    watch = Watch([folder])
    watch.poll()
    known = sessions.read_json(folder / "session.json")
    sessions.write_json(folder / "session.json", {**known, "wrapper_started": 1})
    assert told(watch) == [(A, "exited")]
    sessions.set_status(folder, sessions.Status(state="exited", exit_status=3, since=9.0))
    (seen,) = watch.poll()
    assert (seen.state, seen.status.exit_status) == ("exited", 3)
    shutil.rmtree(folder)
    assert told(watch) == []


def test_a_process_that_vanishes_without_a_word_is_noticed(
    session: Callable[..., Path],
) -> None:
    folder = session(A, "working")
    process = subprocess.Popen(["sleep", "60"])
    path = folder / "session.json"
    wrapper = {
        "wrapper_pid": process.pid,
        "wrapper_started": sessions.process_started(process.pid),
    }
    sessions.write_json(path, {**sessions.read_json(path), **wrapper})
    for file in folder.iterdir():
        os.utime(file, (1.0, 1.0))
    watch = Watch([folder])
    assert told(watch) == [(A, "working")]
    process.kill()
    process.wait()
    end = time.monotonic() + 30
    found = told(watch)
    while not found and time.monotonic() < end:
        time.sleep(0.05)
        found = told(watch)
    assert found == [(A, "exited")]


def test_two_writes_with_one_stamp_are_both_told(session: Callable[..., Path]) -> None:
    folder = session(A, "working")
    watch = Watch([folder])
    watch.poll()
    stamp = (folder / "status.json").stat().st_mtime_ns
    sessions.set_status(folder, sessions.Status(state="blocked", since=3.0))
    os.utime(folder / "status.json", ns=(stamp, stamp))
    time.sleep(LIVENESS)
    assert told(watch) == [(A, "blocked")]


def test_a_folder_taken_away_is_an_end(session: Callable[..., Path]) -> None:
    folder = session(A, "working")
    watch = Watch([folder])
    watch.poll()
    shutil.rmtree(folder)
    assert told(watch) == [(A, "exited")]
    assert told(watch) == []
