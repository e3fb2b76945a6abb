import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories.archive import Result
from tests.factories.sessions import start

from dejavu.interfaces.cli.wait import reached
from dejavu.sessions import session_store as sessions


def test_reached_at_once(dejavu: Callable[..., Result], home: Path) -> None:
    start("20260101-000000-aaaa", "blocked")
    result = dejavu("wait", "2026", "--for", "idle,blocked", "--json")
    assert (result.code, result.json["state"]) == (0, "blocked")


def test_waits_for_a_change(dejavu: Callable[..., Result], home: Path) -> None:
    folder = start("20260101-000000-aaaa", "working")

    def change() -> None:
        time.sleep(0.3)
        sessions.set_status(folder, sessions.Status(state="idle", since=3.0))

    worker = threading.Thread(target=change)
    worker.start()
    assert dejavu("wait", "2026", "--timeout", "30").code == 0
    worker.join()


def test_settled_waits_for_what_runs_behind(dejavu: Callable[..., Result], home: Path) -> None:
    folder = start("20260101-000000-aaaa", "idle", pending=({"kind": "shell", "count": 2},))
    assert dejavu("wait", "2026").code == 0
    result = dejavu("wait", "2026", "--settled", "--timeout", "0")
    assert result.code == 124
    assert "still idle (2 shell pending)" in result.err
    sessions.set_status(folder, sessions.Status(state="idle"))
    assert dejavu("wait", "2026", "--settled", "--timeout", "0").code == 0


def test_times_out_like_timeout(dejavu: Callable[..., Result], home: Path) -> None:
    start("20260101-000000-aaaa", "working")
    result = dejavu("wait", "2026", "--timeout", "0")
    assert result.code == 124
    assert "still working" in result.err


def test_an_ended_session_will_never_be_idle(dejavu: Callable[..., Result], home: Path) -> None:
    start("20260101-000000-aaaa", "working", live=False)
    assert dejavu("wait", "2026").code == 1
    assert dejavu("wait", "2026", "--for", "exited").code == 0


def test_an_agent_without_rules_is_said_to_have_none(
    dejavu: Callable[..., Result], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dejavu.interfaces.cli.wait._UNREAD", 0.0)
    read, unread = (
        start("20260101-000000-aaaa", "unknown"),
        start("20260102-000000-bbbb", "unknown"),
    )
    path = unread / "session.json"
    sessions.write_json(path, {**sessions.read_json(path), "agent": "cat"})
    result = dejavu("wait", read.name, unread.name, "--timeout", "0.1")
    assert result.code == 124
    assert f"{unread.name}: no rules know the screens of 'cat'" in result.err
    assert f"{read.name}: no rules" not in result.err


def test_a_state_that_nothing_tells_is_not_waited_for_without_an_end(
    dejavu: Callable[..., Result], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dejavu.interfaces.cli.wait._UNREAD", 0.2)
    read, unread = (
        start("20260101-000000-aaaa", "unknown"),
        start("20260102-000000-bbbb", "unknown"),
    )
    path = unread / "session.json"
    sessions.write_json(path, {**sessions.read_json(path), "agent": "cat"})

    def end_both() -> None:  # a bound, should it wait all the same
        for folder in (read, unread):
            sessions.set_status(folder, sessions.Status(state="idle", since=3.0))

    guard = threading.Timer(20, end_both)
    guard.daemon = True
    guard.start()
    for result in dejavu("wait", unread.name), dejavu("wait", read.name, unread.name):
        assert (result.code, "--timeout" in result.err) == (1, True)

    def report() -> None:
        time.sleep(0.6)
        sessions.set_status(read, sessions.Status(state="idle", since=3.0))

    worker = threading.Thread(target=report)
    worker.start()
    assert dejavu("wait", "--any", read.name, unread.name).code == 0
    worker.join()
    guard.cancel()


def test_a_pane_that_is_not_watched_any_more_has_not_ended(
    dejavu: Callable[..., Result], home: Path
) -> None:
    folder = start("20260101-000000-aaaa", "unknown", live=False)
    path = folder / "session.json"
    sessions.write_json(path, {**sessions.read_json(path), "source": "tmux:%7"})
    result = dejavu("wait", folder.name)
    assert (result.code, "is not watched any more" in result.err) == (1, True)
    assert "is not watched any more" in dejavu("send", folder.name, "x").err
    assert "`dejavu panes --watch` runs" in dejavu("status", "tmux:%9").err


def test_unknown_states_and_sessions(dejavu: Callable[..., Result], home: Path) -> None:
    start("20260101-000000-aaaa", "working")
    assert dejavu("wait", "2026", "--for", "sleepy").code == 2
    assert dejavu("wait", "1999").code == 3


def _later(act: Callable[[], None]) -> threading.Thread:
    worker = threading.Timer(0.3, act)
    worker.start()
    return worker


def test_done_satisfies_idle_but_not_the_other_way(
    dejavu: Callable[..., Result], home: Path
) -> None:
    folder = start("20260101-000000-aaaa", "idle", finished_at=2.0)
    assert dejavu("wait", "2026", "--timeout", "0").code == 0
    assert dejavu("wait", "2026", "--for", "done", "--timeout", "0").code == 0
    sessions.touch(folder, "seen")
    assert dejavu("wait", "2026", "--for", "done", "--timeout", "0").code == 124


def test_several_are_waited_for_together(dejavu: Callable[..., Result], home: Path) -> None:
    start("20260101-000000-aaaa", "idle", name="a")
    folder = start("20260101-000001-bbbb", "working", name="b")
    worker = _later(lambda: sessions.set_status(folder, sessions.Status(state="idle", since=3.0)))
    result = dejavu("wait", "a", "b", "--timeout", "30", "--json")
    worker.join()
    assert result.code == 0
    assert [(row["name"], row["reached"]) for row in result.rows] == [("a", True), ("b", True)]


def test_any_of_several_is_named(dejavu: Callable[..., Result], home: Path) -> None:
    start("20260101-000000-aaaa", "working", name="a")
    start("20260101-000001-bbbb", "blocked", name="b")
    result = dejavu("wait", "a", "b", "--for", "blocked", "--any")
    assert (result.code, result.out) == (0, "b blocked\n")
    assert dejavu("wait", "a", "b", "--for", "blocked", "--timeout", "0").code == 124


def test_one_that_ended_fails_all_but_not_any(dejavu: Callable[..., Result], home: Path) -> None:
    start("20260101-000000-aaaa", "working", name="a", live=False)
    folder = start("20260101-000001-bbbb", "working", name="b")
    result = dejavu("wait", "a", "b")
    assert result.code == 1
    assert "a (20260101-000000-aaaa) has ended" in result.err
    worker = _later(lambda: sessions.set_status(folder, sessions.Status(state="idle", since=3.0)))
    assert dejavu("wait", "a", "b", "--any").code == 0
    worker.join()


def test_what_was_before_the_last_send_is_no_answer_to_it(
    dejavu: Callable[..., Result], home: Path
) -> None:
    folder = start("20260101-000000-aaaa", "idle")
    sessions.touch(folder, "sent")
    assert dejavu("wait", "2026", "--timeout", "0").code == 124
    after = sessions.Status(state="idle", since=time.time() + 1)
    worker = _later(lambda: sessions.set_status(folder, after))
    assert dejavu("wait", "2026", "--timeout", "30").code == 0
    worker.join()


@pytest.mark.parametrize(("state", "patience"), [("idle", 10.0), ("blocked", 2.0)])
def test_an_agent_that_never_stirred_is_believed_in_the_end(
    home: Path, state: str, patience: float
) -> None:
    folder = start("20260101-000000-aaaa", state)
    sessions.touch(folder, "sent")
    seen = sessions.find("2026")
    assert not reached(seen, {state}, seen.sent_at + patience - 0.1)
    assert reached(seen, {state}, seen.sent_at + patience)


def test_a_session_about_to_start_may_be_waited_for(
    dejavu: Callable[..., Result], home: Path
) -> None:
    worker = _later(lambda: start("20260101-000000-aaaa", "idle", name="late") and None)
    assert dejavu("wait", "late", "--appear", "30", "--timeout", "30").code == 0
    worker.join()


def test_blocked_is_reached_once_the_choices_are_read_or_said_not_to_be(
    dejavu: Callable[..., Result], home: Path
) -> None:
    folder = start("20260101-000000-aaaa", "blocked")
    asked = {"kind": "permission", "question": "Run it?", "choices": [], "default": None}
    began = time.time()
    sessions.set_status(folder, sessions.Status(state="blocked", since=began, blocked=asked))

    def draw() -> None:
        time.sleep(0.4)
        drawn = {**asked, "choices": ["Yes", "No"], "default": "Yes"}
        sessions.set_status(folder, sessions.Status(state="blocked", since=began, blocked=drawn))

    worker = threading.Thread(target=draw)
    worker.start()
    result = dejavu("wait", "2026", "--for", "blocked", "--json", "--timeout", "30")
    worker.join()
    assert (result.code, result.json["blocked"]["choices"], result.err) == (0, ["Yes", "No"], "")
    sessions.set_status(folder, sessions.Status(state="blocked", since=began - 5, blocked=asked))
    result = dejavu("wait", "2026", "--for", "blocked", "--timeout", "30")
    assert result.code == 0
    assert "how to answer its dialog was not read" in result.err
