"""Kimi's messages."""

import json

from dejavu.model import Reasoning, Text, ToolCall, ToolCallResponse


def turns_of(play_stream, *messages):
    return play_stream("kimi", [json.dumps(message) for message in messages]).turns


def test_content_in_parts_as_kimi_cli_had_it(play_stream):
    turns = turns_of(
        play_stream,
        {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
        {"role": "assistant",
         "content": [{"type": "think", "think": "Hm"}, {"type": "text", "text": "Hello"}]},
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "out"}]},
    )  # fmt: skip
    assert turns[0].parts == (Text("Hi"),)
    assert turns[1].parts == (Reasoning("Hm"), Text("Hello"))
    assert turns[2].parts == (ToolCallResponse("c1", "out"),)


def test_a_call_without_words(play_stream):
    function = {"name": "Bash", "arguments": '{"command":"ls"}'}
    calls = [{"type": "function", "id": "c1", "function": function}]
    (turn,) = turns_of(play_stream, {"role": "assistant", "content": None, "tool_calls": calls})
    assert turn.parts == (ToolCall("c1", "Bash", {"command": "ls"}),)


def test_the_session_is_told_last(play_stream, stream_lines):
    data = stream_lines("kimi-tool")
    assert not play_stream("kimi", data[:-20], closed=False).threads
    assert play_stream("kimi", data).head.native_id.startswith("session_")
    assert play_stream("kimi", data).head.agent_version == "2.1.0"
    resumed = play_stream("kimi", data[:-200], ["kimi", "-S", "session_9", "-p", "More"])
    assert resumed.head.native_id == "session_9"
