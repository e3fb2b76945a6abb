"""The application behind a real server, asked over a socket."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.extensions.web.conftest import Api

from dejavu.model import Conversation
from dejavu.sessions import session_store as sessions

A = "20260101-000000-aaaa"


def test_it_answers_and_tells_errors_apart(
    serve: Callable[..., Api], session: Callable[..., Path], archived: list[Conversation]
) -> None:
    session(A, "blocked", name="blue")
    api = serve()
    assert [row["name"] for row in api.get("/v1/sessions").json] == ["blue"]
    assert api.get("/v1/sessions/blue").json["state"] == "blocked"
    shown = api.get(f"/v1/conversations/{archived[1].id}").json
    assert [turn["role"] for turn in shown["turns"]] == ["user", "assistant", "tool", "system"]
    assert api.get("/v1/conversations?agent=amp").json[0]["id"] == archived[0].id
    assert api.get("/v1/search?q=tick&limit=1").json["hits"][0]["conversation"] == archived[1].id
    for path, status in (
        ("/v1/sessions/nobody", 404), ("/v1/conversations/none", 404), ("/v1/nothing", 404),
        ("/v1/search", 400), ("/v1/search?q=x&limit=0", 400), ("/v1/search?q=x&since=soon", 400),
        ("/v1/sessions?all=perhaps", 400),
    ):  # fmt: skip
        answer = api.get(path)
        assert answer.status == status, path
        assert answer.json["error"]
    assert api.ask("DELETE", "/v1/sessions").status == 405
    assert api.get("/v1/sessions", Host="evil.example").status == 403
    assert api.get("/v1/sessions", Origin="http://evil.example").status == 403


@pytest.mark.fault("33.E2b")
def test_no_character_acts_on_a_terminal_that_prints_the_json(
    serve: Callable[..., Api], session: Callable[..., Path]
) -> None:
    session(A, "blocked", name="a\x9b31mb\x9dc\u202ed\x7f")
    answer = serve().get("/v1/sessions")
    assert answer.json[0]["name"] == "a\x9b31mb\x9dc\u202ed\x7f"
    text = answer.body.decode()
    assert not set(text) & {"\x9b", "\x9d", "\u202e", "\x7f"}


def test_it_types_as_send_does(serve: Callable[..., Api], session: Callable[..., Path]) -> None:
    session(A, "blocked")
    api, path = serve(), f"/v1/sessions/{A}/send"
    refused = api.ask("POST", path, {"text": "y"})
    assert (refused.status, "force" in refused.json["error"]) == (409, True)
    # By force it goes on to the wrapper's socket, which this session does not have.
    assert api.ask("POST", path, {"text": "y", "force": True}).status == 404
    assert api.ask("POST", path, {"txt": "y"}).status == 400
    assert api.ask("POST", path, b"text=y").status == 400
    form = api.ask("POST", path, b'{"text": "y"}', Content_Type="text/plain")
    assert (form.status, "application/json" in form.json["error"]) == (400, True)
    assert api.ask("POST", path, {"text": "y" * (2 << 20)}).status == 400
    assert api.get(path).status == 405


def _event(response: Any) -> tuple[str, Any]:
    """The next event of a stream."""
    name, data = "", ""
    while line := response.readline().decode().rstrip("\n"):
        field, _, value = line.partition(": ")
        name = value if field == "event" else name
        data = value if field == "data" else data
    return (name, json.loads(data)) if data else _event(response)


def test_events_tell_the_fleet_and_then_what_changes(
    serve: Callable[..., Api], session: Callable[..., Path]
) -> None:
    folder = session(A, "working")
    session("20250101-000000-dead", "idle", live=False)
    api = serve()
    response = api.open("GET", "/v1/events", Accept="text/event-stream")
    assert response.headers["content-type"].startswith("text/event-stream")
    assert [(name, value["state"]) for name, value in [_event(response)]] == [
        ("session", "working")
    ]
    assert _event(response) == (
        "attention", {"worst": "working", "sessions": [A], "counts": {"working": 1}},
    )  # fmt: skip
    sessions.set_status(folder, sessions.Status(state="idle", since=3.0, finished_at=3.0))
    assert _event(response)[1]["state"] == "done"
    assert _event(response)[1]["worst"] == "done"
    assert api.ask("POST", f"/v1/sessions/{A}/seen").json["state"] == "idle"
    assert _event(response)[1]["state"] == "idle"
    response.connection.close()
