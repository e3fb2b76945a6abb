"""Gemini's events."""

import json

from dejavu.model import Text, ToolCallResponse

INIT = {"type": "init", "timestamp": "2026-11-21T20:48:59Z", "session_id": "s1", "model": "pro"}


def turns_of(play_stream, *events):
    return play_stream("gemini", [json.dumps(event) for event in (INIT, *events)]).turns


def said(text, **more):
    return {"type": "message", "role": "assistant", "content": text, **more}


def test_deltas_end_where_another_event_comes(play_stream):
    call = {"type": "tool_use", "tool_name": "ls", "tool_id": "c1", "parameters": {}}
    (turn,) = turns_of(
        play_stream, said("a", delta=True), said("b", delta=True), call, said("c", delta=True)
    )
    assert [part for part in turn.parts if isinstance(part, Text)] == [Text("ab"), Text("c")]
    assert turn.model == "pro"


def test_a_whole_message(play_stream):
    (turn,) = turns_of(play_stream, said("Hello"))
    assert turn.text == "Hello"


def test_a_failed_tool(play_stream):
    failed = {"type": "tool_result", "tool_id": "c1", "status": "error", "output": "",
              "error": {"type": "x", "message": "no"}}  # fmt: skip
    (turn,) = turns_of(play_stream, failed)
    assert turn.parts == (ToolCallResponse("c1", "no", True),)


def test_a_warning_is_a_system_turn(play_stream):
    (turn,) = turns_of(play_stream, {"type": "error", "severity": "warning", "message": "loop"})
    assert turn.text == "loop"


def test_a_runs_tokens_stand_at_its_last_answer(play_stream, stream_lines):
    turns = play_stream("gemini", stream_lines("gemini-tool")).turns
    assert [bool(turn.usage) for turn in turns] == [False, False, False, True]
