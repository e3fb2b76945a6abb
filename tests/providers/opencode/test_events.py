"""OpenCode's server, event by event. How parts grow is tested with its plugin's hook."""

import json

import pytest

from dejavu.model import Role, Text, ToolCall, ToolCallResponse, Vector
from dejavu.providers import HOOKS, STREAMS
from dejavu.providers.opencode.events import session


def event(kind, **properties):
    return {"type": kind, "properties": {"sessionID": "ses_1", **properties}}


def message(key, role):
    return event("message.updated", info={"id": key, "role": role, "sessionID": "ses_1"})


def part(key, owner, kind, **fields):
    body = {"id": key, "messageID": owner, "sessionID": "ses_1", "type": kind, **fields}
    return event("message.part.updated", part=body)


RAN = {"status": "completed", "input": {"command": "ls"}, "output": "a"}
EVENTS = [
    event("session.updated", info={"id": "ses_1", "directory": "/w", "title": "Look"}),
    message("m1", "user"),
    part("p1", "m1", "text", text="What is here?"),
    message("m2", "assistant"),
    part("p2", "m2", "text", text="Let me look."),
    part("p3", "m2", "tool", callID="c1", tool="bash", state=RAN),
    message("m3", "assistant"),
    part("p4", "m3", "text", text="One file."),
    event("session.idle"),
]


@pytest.mark.parametrize("enveloped", [False, True])
@pytest.mark.parametrize("times", [1, 2])
def test_a_session(play_stream, enveloped, times):
    told = [{"t": 5.0, "payload": one} if enveloped else one for one in EVENTS]
    played = play_stream("opencode", [json.dumps(one) for one in told for _ in range(times)])
    assert [(turn.role, turn.parts) for turn in played.turns] == [
        (Role.USER, (Text("What is here?"),)),
        (Role.ASSISTANT, (Text("Let me look."), ToolCall("c1", "bash", {"command": "ls"}))),
        (Role.TOOL, (ToolCallResponse("c1", "a"),)),
        (Role.ASSISTANT, (Text("One file."),)),
    ]
    assert {turn.vector for turn in played.turns} == {Vector.STREAM}
    assert {turn.at for turn in played.turns} == {5.0 if enveloped else None}
    assert (played.head.native_id, played.head.workspace) == ("ses_1", "/w")
    assert not played.drift


def test_events_are_known_for_a_stream_of_its_own():
    for told in (EVENTS[0], {"t": 5.0, "payload": EVENTS[0]}):
        assert STREAMS["opencode"].sniff(json.dumps(told).encode() + b"\n") == 1.0
    assert STREAMS["opencode"].sniff(b'{"payload": {"type": 1}}\n') == 0.0


def test_the_session_of_an_event():
    assert session(EVENTS[0]) == "ses_1"
    assert session({"type": "session.created", "properties": {"info": {"id": "s"}}}) == "s"
    assert session({"type": "server.connected", "properties": {}}) == ""
    assert HOOKS["opencode"].session_of({"type": "server.connected"}) is None
