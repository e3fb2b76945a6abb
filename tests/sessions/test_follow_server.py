"""A server of OpenCode's, as far as its events go, followed into an archive."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.factories.wire import Serve

from dejavu.archive import Archive
from dejavu.model import (
    CaptureError,
    ConfigError,
    Conversation,
    Role,
    Text,
    Turn,
    Vector,
    conversation_id,
)
from dejavu.sessions import follow_server as following
from dejavu.sessions.follow_server import FollowerState, follow
from dejavu.sessions.session_store import sessions_folder
from dejavu.sessions.sse_client import SseClient

IDENTITY = conversation_id("opencode", "local", "ses_1")


def event(kind: str, session: str = "ses_1", **properties: Any) -> dict[str, Any]:
    return {"type": kind, "properties": {"sessionID": session, **properties}}


def message(key: str, role: str) -> dict[str, Any]:
    return event("message.updated", info={"id": key, "role": role, "sessionID": "ses_1"})


def part(key: str, owner: str, text: str) -> dict[str, Any]:
    body = {"id": key, "messageID": owner, "sessionID": "ses_1", "type": "text", "text": text}
    return event("message.part.updated", part=body)


BUSY = event("session.status", status={"type": "busy"})
SAID = [
    {"type": "server.connected", "properties": {}},
    BUSY,
    message("m1", "user"),
    part("p1", "m1", "Are you there?"),
    message("m2", "assistant"),
    part("p2", "m2", "Yes"),
    event("message.part.delta", messageID="m2", partID="p2", field="text", delta=", "),
    part("p2", "m2", "Yes, I am."),
    event("session.idle"),
]


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that is gone is waited for a moment only."""

    def listener(*arguments: Any) -> SseClient:
        return SseClient(*arguments, start=0.3, away=0.3)

    monkeypatch.setattr(following, "SseClient", listener)


def sent(*told: Any) -> list[bytes]:
    return [f"data: {json.dumps(one)}\n\n".encode() for one in told]


def followed(serve: Serve, *lines: list[bytes], session: str = "") -> set[str]:
    where = serve(*lines)
    url = f"http://{where.host}:{where.port}"
    return follow("opencode", url, instance="local", session=session).conversations


def turns(home: Path) -> list[tuple[Role, str, Vector]]:
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        assert archive.maintenance.verify().clean
        return [(turn.role, turn.text, turn.vector) for turn in archive.get(IDENTITY).turns]


STREAMED = [
    (Role.USER, "Are you there?", Vector.STREAM),
    (Role.ASSISTANT, "Yes, I am.", Vector.STREAM),
]


def test_events_become_turns(serve: Serve, home: Path) -> None:
    assert followed(serve, sent(*SAID)) == {IDENTITY}
    assert turns(home) == STREAMED


def test_an_envelope_junk_and_a_broken_line_cost_nothing(serve: Serve, home: Path) -> None:
    told = [{"directory": "/w", "payload": one} for one in SAID]
    junk = [b"data: {no json\n\n", b"data: [1]\n\n", b"data: \xff\n\n", b'data: {"type": 7}\n\n']
    assert followed(serve, [*junk, *sent(*told[:6])], [*junk, *sent(*told[6:])]) == {IDENTITY}
    assert turns(home) == STREAMED


def test_two_who_follow_double_nothing(serve: Serve, home: Path) -> None:
    followed(serve, sent(*(one for one in SAID for _ in range(2))))
    followed(serve, sent(*SAID))
    assert turns(home) == STREAMED


def test_beside_the_agents_own_trace_the_conversation_stands_once(serve: Serve, home: Path) -> None:
    asked = Turn(role=Role.USER, parts=(Text("Are you there?"),), native_id="m1")
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        whole = Conversation(id=IDENTITY, agent="opencode", instance="local", native_id="ses_1")
        archive.put(whole.with_turns((asked,)))
    followed(serve, sent(*SAID))
    assert turns(home) == [(Role.USER, "Are you there?", Vector.NATIVE), STREAMED[1]]


def test_the_state_goes_to_the_wrapped_session(serve: Serve, home: Path) -> None:
    folder = sessions_folder() / "s"
    folder.mkdir(parents=True)
    (folder / "session.json").write_text("{}")
    asked = event("permission.asked", id="p")
    followed(serve, sent(*SAID, BUSY, asked), session="s")
    told = json.loads((folder / "structured.json").read_text())
    assert (told["state"], told["source"], told["event"]) == (
        "blocked", "stream", "permission.asked",
    )  # fmt: skip
    assert told["conversation"] == IDENTITY


def test_a_child_at_work_keeps_its_parent_working() -> None:
    standing = FollowerState()
    assert standing.after("parent", "working") == "working"
    assert standing.after("child", "working") == "working"
    assert standing.after("child", "idle") == "working"
    assert standing.after("other", "blocked") == "blocked"
    assert standing.after("parent", "idle") == "blocked"
    assert standing.after("other", "working") == "working"
    assert standing.after("other", "idle") == "idle"


def test_nothing_is_made_where_nothing_is_followed(serve: Serve, home: Path) -> None:
    with pytest.raises(ConfigError):
        follow("opencode", "http://192.0.2.1:4096", instance="local")
    with pytest.raises(CaptureError):
        followed(serve)
    assert list(home.iterdir()) == []
