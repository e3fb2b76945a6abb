"""What a session tells the outside, and what it does when it cannot."""

import time
from pathlib import Path

import pytest

from dejavu.config.settings import Reporting
from dejavu.scrapers import State, StatusChange
from dejavu.sessions import session_store as sessions
from dejavu.sessions.observer.status_publisher import StatusPublisher
from dejavu.sessions.reporters.reporters import Reporters


@pytest.fixture
def folder(home: Path) -> Path:
    session = sessions.SessionHeader(
        id=sessions.new_session_id(time.time()),
        agent="demo", argv=["demo"], workspace="/w", instance="", name="n",
        wrapper_pid=1, wrapper_started=1, started_at=time.time() - 1, screen=False,
    )  # fmt: skip
    return sessions.create(session)


def publish_to(folder: Path | None) -> StatusPublisher:
    publisher = StatusPublisher()
    publisher.open("s1", folder)
    return publisher


def seen(*states: State) -> tuple[StatusChange, ...]:
    return tuple(StatusChange(float(at), state, "rule", "why") for at, state in enumerate(states))


def test_the_last_change_is_the_state_and_work_that_ended_has_its_moment(folder: Path) -> None:
    publisher = publish_to(folder)
    publisher.follow(seen(State.WORKING, State.UNKNOWN, State.IDLE), None)
    status = sessions.read_json(folder / "status.json")
    assert (status["state"], status["since"], status["finished_at"]) == ("idle", 2.0, 2.0)
    publisher.follow(seen(State.BLOCKED, State.IDLE), None)
    assert publisher.status.finished_at == 2.0


def test_a_state_that_goes_on_keeps_its_moment(folder: Path) -> None:
    publisher = publish_to(folder)
    publisher.set(state="idle", since=5.0)
    publisher.set(state="idle", bracketed_paste=True)
    assert (publisher.status.since, publisher.status.bracketed_paste) == (5.0, True)


def test_what_is_known_better_is_told_beside_what_was_known(folder: Path) -> None:
    publish_to(folder).set_session(agent_pid=9)
    session = sessions.read_json(folder / "session.json")
    assert (session["agent"], session["agent_pid"]) == ("demo", 9)


def test_a_folder_that_is_gone_is_a_note(folder: Path) -> None:
    publisher = publish_to(folder / "gone")
    publisher.set(state="idle")
    publisher.set_session(agent_pid=9)
    assert [note.split(":")[0] for note in publisher.notes] == [
        "status is not shown",
        "session.json",
    ]
    assert publisher.status.state == "idle"


def test_without_a_folder_nothing_is_written_and_nothing_fails() -> None:
    publisher = publish_to(None)
    publisher.set(state="idle")
    publisher.set_session(agent_pid=9)
    publisher.tick(0.0)
    publisher.close()
    assert (publisher.due, publisher.notes) == (None, [])


def test_a_sentence_is_kept_once_and_there_is_an_end_to_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    publisher = publish_to(None)
    for number in range(50):
        publisher.note(f"sentence {number // 2}")
    assert publisher.notes == [f"sentence {number}" for number in range(20)]
    assert capsys.readouterr().err.count("s1 sentence") == 20


def test_the_operators_command_hears_of_every_turn(folder: Path, tmp_path: Path) -> None:
    publisher, out = publish_to(folder), tmp_path / "out"
    publisher.call(f"cat >> {out}")
    publisher.set(state="working")
    deadline = time.monotonic() + 30
    while publisher.due is not None and time.monotonic() < deadline:
        time.sleep(0.01)
        publisher.tick(time.time())
    publisher.close()
    assert '"working"' in out.read_text("utf-8")


def test_hosts_hear_that_work_which_is_done_was_seen(folder: Path, tmp_path: Path) -> None:
    log, program = tmp_path / "log", tmp_path / "herdr"
    program.write_text(f'#!/bin/sh\n[ "$2" = report-agent ] && echo "$*" >> {log}\n')
    program.chmod(0o755)
    environ = {"HERDR_PANE_ID": "p", "HERDR_BIN_PATH": str(program)}
    publisher = publish_to(folder)
    publisher.report_to(Reporters(environ, Reporting(), pytest.fail, None))
    for state in (State.WORKING, State.IDLE):
        publisher.follow((StatusChange(time.time(), state, "rule", ""),), None)

    def play(seconds: float) -> None:
        end = time.time() + seconds
        while time.time() < end and publisher.due is not None:
            time.sleep(0.02)
            if time.time() >= publisher.due:
                publisher.tick(time.time())

    play(1.5)
    assert log.read_text().splitlines()[-1].endswith("--message done")
    sessions.touch(folder, "seen")
    play(3.0)
    assert log.read_text().splitlines()[-1].endswith("--state idle")
    assert publisher.due is None  # nothing is looked at any more
    publisher.close()
