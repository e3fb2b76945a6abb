"""Copilot's events."""

import json

from dejavu.model import Extension, Reasoning, Relation, Text, ToolCallResponse
from dejavu.providers.copilot.records import result_parts

END = {"type": "result", "sessionId": "s1"}


def event(kind, **data):
    return {"type": kind, "id": f"e-{kind}", "timestamp": "2026-11-21T21:05:50Z", "data": data}


def played_of(play_stream, *events):
    return play_stream("copilot", [json.dumps(one) for one in (*events, END)])


def test_deltas_alone_are_an_answer(play_stream):
    (turn,) = played_of(
        play_stream,
        event("assistant.reasoning_delta", reasoningId="r1", deltaContent="H"),
        event("assistant.reasoning_delta", reasoningId="r1", deltaContent="m"),
        event("assistant.message_delta", messageId="m1", deltaContent="Hel"),
        event("assistant.message_delta", messageId="m1", deltaContent="lo"),
    ).turns
    assert turn.parts == (Reasoning("Hm"), Text("Hello"))


def test_thoughts_that_came_in_deltas_only_are_kept(play_stream):
    (turn,) = played_of(
        play_stream,
        event("assistant.reasoning_delta", reasoningId="r1", deltaContent="Hm"),
        event("assistant.message", messageId="m1", content="Hello", model="m"),
    ).turns
    assert turn.parts == (Reasoning("Hm"), Text("Hello"))
    assert turn.model == "m"


def test_a_failed_tool(play_stream):
    (turn,) = played_of(
        play_stream,
        event("tool.execution_complete", toolCallId="c1", success=False, error={"message": "no"}),
    ).turns
    assert turn.parts == (ToolCallResponse("c1", "no", True),)


def test_sub_agents(play_stream):
    played = played_of(
        play_stream,
        event("assistant.message", messageId="m1", content="Above"),
        event("assistant.message", messageId="m2", content="Below", parentToolCallId="task1"),
    )
    assert [turn.text for turn in played.turns] == ["Above"]
    (below,) = (head for head in played.heads.values() if head.parent)
    assert below.relation is Relation.SUBAGENT


def test_nothing_is_given_before_the_session_is_known(play_stream, stream_lines):
    data = stream_lines("copilot-tool")
    open_end = data[: data.rindex(b'{"type":"result"')]
    assert not play_stream("copilot", open_end, closed=False).threads
    assert play_stream("copilot", open_end).head.native_id == "stream:run-1"


def test_a_result_is_what_the_session_file_has_of_it(play_stream):
    result = {"content": "done", "detailedContent": "\ndiff --git a/x b/x\n+y\n"}
    data = {"toolCallId": "c1", "success": True, "result": result}
    (turn,) = played_of(play_stream, event("tool.execution_complete", **data)).turns
    assert turn.parts == tuple(result_parts(data))
    assert turn.parts[1] == Extension("copilot.diff", {"diff": "diff --git a/x b/x\n+y"})
