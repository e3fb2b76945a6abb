"""Gemini's events."""

import json

from dejavu.record import Text, ToolCallResponse

INIT = {"type": "init", "timestamp": "2026-11-21T20:48:59Z", "session_id": "s1", "model": "pro"}


def turns_of(play, *events):
    return play("gemini", [json.dumps(event) for event in (INIT, *events)]).turns


def said(text, **more):
    return {"type": "message", "role": "assistant", "content": text, **more}


def test_deltas_end_where_another_event_comes(play):
    call = {"type": "tool_use", "tool_name": "ls", "tool_id": "c1", "parameters": {}}
    (turn,) = turns_of(
        play, said("a", delta=True), said("b", delta=True), call, said("c", delta=True)
    )
    assert [part for part in turn.parts if isinstance(part, Text)] == [Text("ab"), Text("c")]
    assert turn.model == "pro"


def test_a_whole_message(play):
    (turn,) = turns_of(play, said("Hello"))
    assert turn.text == "Hello"


def test_a_failed_tool(play):
    failed = {"type": "tool_result", "tool_id": "c1", "status": "error", "output": "",
              "error": {"type": "x", "message": "no"}}  # fmt: skip
    (turn,) = turns_of(play, failed)
    assert turn.parts == (ToolCallResponse("c1", "no", True),)


def test_a_warning_is_a_system_turn(play):
    (turn,) = turns_of(play, {"type": "error", "severity": "warning", "message": "loop"})
    assert turn.text == "loop"


def test_a_runs_tokens_stand_at_its_last_answer(play, fixture):
    turns = play("gemini", fixture("gemini-tool")).turns
    assert [bool(turn.usage) for turn in turns] == [False, False, False, True]
