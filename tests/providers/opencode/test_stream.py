"""OpenCode's parts."""

import json

from dejavu.model import Extension, Role, ToolCallResponse
from dejavu.providers.opencode.parts import tool_call, tool_results


def event(kind, **part):
    return {"type": kind, "timestamp": 1795293986950, "sessionID": "ses_1", "part": part}


def turns_of(play_stream, *events):
    return play_stream("opencode", [json.dumps(one) for one in events]).turns


def test_one_answer_a_message(play_stream):
    turns = turns_of(
        play_stream,
        event("text", messageID="m1", id="p1", text="One"),
        event("text", messageID="m1", id="p2", text="Two"),
        event("text", messageID="m2", id="p3", text="Three"),
    )
    assert [turn.text for turn in turns] == ["One\n\nTwo", "Three"]
    assert [turn.native_id for turn in turns] == ["m1", "m2"]


def test_a_tool_that_was_refused(play_stream):
    state = {"status": "error", "input": {"command": "ls"}, "error": "no"}
    turns = turns_of(
        play_stream, event("tool_use", messageID="m1", callID="c1", tool="bash", state=state)
    )
    assert [turn.role for turn in turns] == [Role.ASSISTANT, Role.TOOL]
    assert turns[1].parts == (ToolCallResponse("c1", "no", True),)


def test_tokens_and_cost_of_a_step(play_stream):
    tokens = {"input": 5, "output": 2, "reasoning": 1, "cache": {"read": 3, "write": 4}}
    (turn,) = turns_of(
        play_stream,
        event("text", messageID="m1", text="Hello"),
        event("step_finish", messageID="m1", reason="stop", tokens=tokens, cost=0.5),
    )
    assert turn.usage.input_tokens == 12
    assert turn.usage.cost == 0.5
    assert turn.meta == {"stop_reason": "stop"}


def test_an_error_by_its_message_or_its_name(play_stream):
    for error, text in (
        ({"name": "APIError", "data": {"message": "no"}}, "no"),
        ({"name": "Aborted"}, "Aborted"),
        (None, "error"),
    ):
        line = {"type": "error", "sessionID": "ses_1", "error": error}
        assert turns_of(play_stream, line)[0].text == text


def test_a_tools_results_are_those_of_the_store(play_stream):
    state = {
        "status": "completed", "input": {"filePath": "a.py"}, "output": "done",
        "metadata": {"diff": "+x"},
    }  # fmt: skip
    part = {"type": "tool", "tool": "edit", "callID": "c1", "messageID": "m1", "state": state}
    line = json.dumps({"type": "tool_use", "timestamp": 1, "sessionID": "s", "part": part})
    call, results = play_stream("opencode", [line]).turns
    assert call.parts == (tool_call(part),)
    assert results.parts == tuple(tool_results(part))
    assert results.parts[1] == Extension("opencode.diff", {"path": "a.py", "diff": "+x"})
