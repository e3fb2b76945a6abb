"""agentapi's paths over a session of ours, as a client of agentapi would ask them."""

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.extensions.web.conftest import Api

from dejavu.extensions.web.endpoint import MOST_BODY
from dejavu.model import Conversation
from dejavu.sessions import session_store as sessions

A = "20260101-000000-aaaa"


def _event(response: Any) -> tuple[str, Any]:
    name, data = "", ""
    while line := response.readline().decode().rstrip("\n"):
        field, _, value = line.partition(": ")
        name = value if field == "event" else name
        data = value if field == "data" else data
    return (name, json.loads(data)) if data else _event(response)


def test_status_messages_and_events(
    serve: Callable[..., Api], session: Callable[..., Path], archived: list[Conversation]
) -> None:
    folder = session(A, "idle", conversation=archived[1].id)
    api = serve("--agentapi", A)
    assert api.get("/status").json["status"] == "stable"
    messages = api.get("/messages").json["messages"]
    assert [(m["id"], m["role"]) for m in messages] == [(0, "user"), (1, "agent")]
    assert all(m["content"] and m["time"] for m in messages)
    response = api.open("GET", "/events", Accept="text/event-stream")
    told = [_event(response) for _ in range(3)]
    assert [name for name, _ in told] == ["message_update", "message_update", "status_change"]
    assert told[0][1]["message"] == messages[0]["content"]
    sessions.set_status(folder, sessions.Status(state="working", conversation=archived[1].id))
    assert _event(response) == ("status_change", api.get("/status").json)
    response.connection.close()
    busy = api.ask("POST", "/message", {"content": "more", "type": "user"})
    assert (busy.status, "is working" in busy.json["detail"]) == (409, True)


def test_what_is_no_message_is_refused(
    serve: Callable[..., Api], session: Callable[..., Path]
) -> None:
    session(A, "idle")
    api = serve("--agentapi", A)
    for body in (
        b"",
        b"[]",
        b"x",
        {"content": 1},
        {"content": "x", "type": "shout"},
        {"type": "raw"},
    ):
        refused = api.ask("POST", "/message", body)
        assert refused.status == 400, body
        assert refused.headers["content-type"] == "application/problem+json"
    assert api.ask("POST", "/message", {"content": "x"}).status == 404  # it has no wrapper
    assert api.get("/messages").json == {"messages": []}
    assert api.get("/screen").status == 404
    assert serve("--port", "0", "--agentapi", A).get("/status", Authorization="").status == 401


def test_a_message_without_a_length_is_bounded_too(
    serve: Callable[..., Api], session: Callable[..., Path]
) -> None:
    session(A, "idle")
    api = serve("--agentapi", A)
    pieces = (b"x" * (MOST_BODY // 2) for _ in range(3))
    response = api.open("POST", "/message", pieces, Content_Type="application/json")
    with contextlib.closing(response.connection):
        assert (response.status, b"larger than" in response.read()) == (400, True)
    told = api.ask("POST", "/message", {"content": "x"}, Content_Type="text/plain")
    assert (told.status, "application/json" in told.json["detail"]) == (400, True)
