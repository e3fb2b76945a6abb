"""What hooks say of a session's state."""

import json
from pathlib import Path

import pytest

from dejavu.sessions import hook_status as evidence
from dejavu.sessions.session_store import sessions_folder

NAME = "20261121-203105-3fa9"


@pytest.fixture
def folder(home: Path) -> Path:
    folder = sessions_folder() / NAME
    folder.mkdir(parents=True)
    (folder / "session.json").write_text("{}")
    return folder


def publish(state: str, at: float, session: str = NAME) -> None:
    evidence.publish(session, state, event="Stop", at=at, conversation="c")


def test_a_word_is_written_with_its_moment(folder: Path) -> None:
    publish("working", 100.0)
    assert json.loads((folder / "structured.json").read_text()) == {
        "state": "working", "source": "hook", "event": "Stop", "at": 100.0,
        "conversation": "c",
    }  # fmt: skip
    assert (folder / "structured.json").stat().st_mode & 0o777 == 0o600


def test_an_older_word_does_not_replace_a_newer_one(folder: Path) -> None:
    publish("idle", 100.0)
    publish("working", 99.0)
    assert json.loads((folder / "structured.json").read_text())["state"] == "idle"


@pytest.mark.parametrize("session", ["nobody", "../../etc", ".", ""])
def test_a_session_that_is_not_there_gets_nothing(folder: Path, session: str) -> None:
    publish("idle", 100.0, session)
    assert not list(folder.parent.rglob("structured.json"))


def test_who_said_it_is_told(folder: Path) -> None:
    evidence.publish(NAME, "idle", event="e", at=1.0, conversation=None, source="stream")
    assert json.loads((folder / "structured.json").read_text())["source"] == "stream"
