"""What a session tells the outside, and what it does when it cannot."""

import time
from pathlib import Path

import pytest

from dejavu.scrapers import State, StatusChange
from dejavu.sessions import session_store as sessions
from dejavu.sessions.observer.status_publisher import StatusPublisher


@pytest.fixture
def folder(home: Path) -> Path:
    session = sessions.Session(
        id=sessions.new_session_id(time.time()),
        agent="demo", argv=["demo"], workspace="/w", instance="", name="n",
        wrapper_pid=1, wrapper_started=1, started_at=time.time() - 1, screen=False,
    )  # fmt: skip
    return sessions.create(session)


def bulletin(folder: Path | None) -> StatusPublisher:
    told = StatusPublisher()
    told.open({"id": "s1", "folder": None if folder is None else str(folder)})
    return told


def seen(*states: State) -> tuple[StatusChange, ...]:
    return tuple(StatusChange(float(at), state, "rule", "why") for at, state in enumerate(states))


def test_the_last_change_is_the_state_and_work_that_ended_has_its_moment(folder: Path) -> None:
    told = bulletin(folder)
    told.follow(seen(State.WORKING, State.UNKNOWN, State.IDLE), None)
    status = sessions.read_json(folder / "status.json")
    assert (status["state"], status["since"], status["finished_at"]) == ("idle", 2.0, 2.0)
    told.follow(seen(State.BLOCKED, State.IDLE), None)
    assert told.status.finished_at == 2.0


def test_a_state_that_goes_on_keeps_its_moment(folder: Path) -> None:
    told = bulletin(folder)
    told.set(state="idle", since=5.0)
    told.set(state="idle", bracketed_paste=True)
    assert (told.status.since, told.status.bracketed_paste) == (5.0, True)


def test_what_is_known_better_is_told_beside_what_was_known(folder: Path) -> None:
    bulletin(folder).set_session(agent_pid=9)
    session = sessions.read_json(folder / "session.json")
    assert (session["agent"], session["agent_pid"]) == ("demo", 9)


def test_a_folder_that_is_gone_is_a_note(folder: Path) -> None:
    told = bulletin(folder / "gone")
    told.set(state="idle")
    told.set_session(agent_pid=9)
    assert [note.split(":")[0] for note in told.notes] == ["status is not shown", "session.json"]
    assert told.status.state == "idle"


def test_without_a_folder_nothing_is_written_and_nothing_fails() -> None:
    told = bulletin(None)
    told.set(state="idle")
    told.set_session(agent_pid=9)
    told.tick(0.0)
    told.close()
    assert (told.due, told.notes) == (None, [])


def test_a_sentence_is_kept_once_and_there_is_an_end_to_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = bulletin(None)
    for number in range(50):
        told.note(f"sentence {number // 2}")
    assert told.notes == [f"sentence {number}" for number in range(20)]
    assert capsys.readouterr().err.count("s1 sentence") == 20


def test_the_operators_command_hears_of_every_turn(folder: Path, tmp_path: Path) -> None:
    told, out = bulletin(folder), tmp_path / "out"
    told.call(f"cat >> {out}")
    told.set(state="working")
    deadline = time.monotonic() + 30
    while told.due is not None and time.monotonic() < deadline:
        time.sleep(0.01)
        told.tick(time.time())
    told.close()
    assert '"working"' in out.read_text("utf-8")
