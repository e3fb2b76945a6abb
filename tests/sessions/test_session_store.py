import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dejavu.model import InvalidValueError, NotFoundError
from dejavu.sessions import session_store as sessions


def _session(identity: str = "20260101-000000-aaaa", **changes: object) -> sessions.SessionHeader:
    fields: dict[str, object] = {
        "id": identity,
        "agent": "amp",
        "argv": ["amp"],
        "workspace": "/w",
        "instance": "local",
        "name": identity,
        "wrapper_pid": os.getpid(),
        "wrapper_started": sessions.process_started(os.getpid()),
        "started_at": 1.0,
        "screen": False,
    }
    return sessions.SessionHeader(**{**fields, **changes})  # type: ignore[arg-type]


def test_a_session_is_found_with_its_state(home: Path) -> None:
    folder = sessions.create(_session(name="blue"))
    sessions.set_status(folder, sessions.Status(state="blocked", rule="dialog", since=2.0))
    seen = sessions.find("blue")
    assert (seen.session.id, seen.state, seen.live, seen.status.rule) == (
        "20260101-000000-aaaa", "blocked", True, "dialog",
    )  # fmt: skip
    assert sessions.find("20260101").session == seen.session


def test_files_are_private(home: Path) -> None:
    folder = sessions.create(_session())
    sessions.set_status(folder, sessions.Status())
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_a_session_whose_wrapper_is_gone_has_exited(home: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", "pass"])
    started = sessions.process_started(ended.pid)
    ended.wait()
    folder = sessions.create(_session(wrapper_pid=ended.pid, wrapper_started=started))
    sessions.set_status(folder, sessions.Status(state="working"))
    seen = sessions.find("2026")
    assert (seen.live, seen.state) == (False, "exited")


def test_a_reused_pid_is_not_our_wrapper(home: Path) -> None:
    sessions.create(_session(wrapper_started=1))
    assert not sessions.find("2026").live


def test_ambiguous_and_missing_names_are_told_apart(home: Path) -> None:
    sessions.create(_session("20260101-000000-aaaa"))
    sessions.create(_session("20260101-000000-aaab"))
    with pytest.raises(NotFoundError, match="more than one"):
        sessions.find("2026")
    with pytest.raises(NotFoundError, match="no session"):
        sessions.find("1999")


def test_damaged_files_hide_one_session_only(home: Path) -> None:
    good = sessions.create(_session("20260101-000000-good"))
    bad = sessions.create(_session("20260101-000000-badd"))
    (bad / "session.json").write_text("{")
    assert [seen.folder for seen in sessions.find_all()] == [good]


def test_tidy_keeps_the_newest_and_the_living(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "KEPT", 2)
    for number in range(5):
        sessions.create(_session(f"20260101-00000{number}-aaaa", wrapper_started=1))
    sessions.create(_session("20250101-000000-live"))
    sessions.remove_ended()
    left = [seen.session.id for seen in sessions.find_all()]
    assert left == ["20260101-000004-aaaa", "20260101-000003-aaaa", "20250101-000000-live"]


def test_ids_sort_by_time() -> None:
    assert sessions.new_session_id(1e9) < sessions.new_session_id(1e9 + 5)


def test_a_newer_field_is_ignored(home: Path) -> None:
    folder = sessions.create(_session())
    known = sessions.read_json(folder / "session.json")
    sessions.write_json(folder / "session.json", {**known, "from_the_future": 1})
    assert sessions.find("2026").session == _session()


def test_idle_after_work_is_done_until_seen(home: Path) -> None:
    folder = sessions.create(_session())
    sessions.set_status(folder, sessions.Status(state="idle", since=2.0, finished_at=2.0))
    assert sessions.find("2026").state == "done"
    assert sessions.find("2026").state == "done"  # finding it is not looking at it
    sessions.touch(folder, "seen")
    assert sessions.find("2026").state == "idle"
    later = time.time() + 10
    sessions.set_status(folder, sessions.Status(state="idle", since=later, finished_at=later))
    assert sessions.find("2026").state == "done"


def test_idle_that_follows_no_work_is_idle(home: Path) -> None:
    sessions.set_status(sessions.create(_session()), sessions.Status(state="idle", since=2.0))
    assert sessions.find("2026").state == "idle"


def test_marks_are_private_and_never_raise(home: Path) -> None:
    folder = sessions.create(_session())
    sessions.touch(folder, "sent")
    assert (folder / "sent").stat().st_mode & 0o777 == 0o600
    assert sessions.find("2026").sent_at == pytest.approx(time.time(), abs=60)
    sessions.touch(folder / "gone", "seen")


def test_a_key_in_the_sessions_own_terminal_counts_as_seen(home: Path) -> None:
    pid, terminal = pty.fork()
    if pid == 0:  # the wrapper: reads its terminal
        os.read(0, 1)
        signal.pause()
    try:
        folder = sessions.create(
            _session(wrapper_pid=pid, wrapper_started=sessions.process_started(pid))
        )
        sessions.set_status(folder, sessions.Status(state="idle", finished_at=1.0))
        os.write(terminal, b"\n")
        end = time.monotonic() + 30
        while sessions.find("2026").state == "done" and time.monotonic() < end:
            time.sleep(0.05)
        assert sessions.find("2026").state == "idle"
        assert sessions.last_typed(pid) == pytest.approx(time.time(), abs=60)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)
    assert sessions.last_typed(pid) == 0.0


def test_a_name_that_two_running_sessions_have_is_refused(home: Path) -> None:
    sessions.create(_session(name="twin"))
    sessions.create(_session("20260101-000001-aaaa", name="twin"))
    with pytest.raises(NotFoundError, match="more than one"):
        sessions.find("twin")
    assert sessions.find("20260101-000001-aaaa").session.name == "twin"


def test_a_pane_that_is_not_watched_is_unknown_and_over(home: Path) -> None:
    gone = sessions.create(_session(wrapper_started=1, source="tmux:%1"))
    sessions.set_status(gone, sessions.Status(state="idle", since=2.0))
    view = sessions.find("20260101")
    assert (view.state, view.live) == ("unknown", False)
    sessions.set_status(gone, sessions.Status(state="exited", since=2.0))
    assert sessions.find("20260101").state == "exited"


def test_an_empty_name_is_nobodys(home: Path) -> None:
    sessions.create(_session())
    for empty in ("", "  "):
        with pytest.raises(InvalidValueError, match="SESSION is empty"):
            sessions.find(empty)
