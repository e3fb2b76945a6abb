"""Qwen Code's telemetry."""

from dejavu.record import Role, Text, ToolCall

S = {"session__id": "s1"}


def test_a_call_comes_beside_its_response(play, log):
    turns = play(
        "qwen",
        [log("qwen-code.user_prompt", prompt="Hi", **S),
         log("qwen-code.api_response", response_text="Look:", **S),
         log("qwen-code.tool_call", call_id="c1", function_name="ls", function_args="{}", **S)],
    ).turns  # fmt: skip
    assert turns[1].parts == (Text("Look:"), ToolCall("c1", "ls", {}))


def test_what_is_asked_on_the_side_stands_below(play, log):
    side = {"subagent_name": "memory", "prompt_id": "s1#memory#0"}
    played = play(
        "qwen",
        [log("qwen-code.user_prompt", prompt="Hi", **S),
         log("qwen-code.api_response", response_text="noted", **side, **S),
         log("qwen-code.api_response", response_text="Hello", **S)],
    )  # fmt: skip
    assert [(turn.role, turn.text) for turn in played.turns] == [
        (Role.USER, "Hi"),
        (Role.ASSISTANT, "Hello"),
    ]
    assert [head.native_id for head in played.heads.values() if head.parent] == ["s1/s1#memory#0"]
