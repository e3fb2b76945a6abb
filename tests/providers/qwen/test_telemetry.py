"""Qwen Code's telemetry."""

from dejavu.model import Role, Text, ToolCall

S = {"session__id": "s1"}


def test_a_call_comes_beside_its_response(play_otlp, otlp_log):
    turns = play_otlp(
        "qwen",
        [
            otlp_log("qwen-code.user_prompt", prompt="Hi", **S),
            otlp_log("qwen-code.api_response", response_text="Look:", **S),
            otlp_log(
                "qwen-code.tool_call", call_id="c1", function_name="ls", function_args="{}", **S
            ),
        ],
    ).turns
    assert turns[1].parts == (Text("Look:"), ToolCall("c1", "ls", {}))


def test_what_is_asked_on_the_side_stands_below(play_otlp, otlp_log):
    side = {"subagent_name": "memory", "prompt_id": "s1#memory#0"}
    played = play_otlp(
        "qwen",
        [
            otlp_log("qwen-code.user_prompt", prompt="Hi", **S),
            otlp_log("qwen-code.api_response", response_text="noted", **side, **S),
            otlp_log("qwen-code.api_response", response_text="Hello", **S),
        ],
    )
    assert [(turn.role, turn.text) for turn in played.turns] == [
        (Role.USER, "Hi"),
        (Role.ASSISTANT, "Hello"),
    ]
    assert [head.native_id for head in played.heads.values() if head.parent] == ["s1/s1#memory#0"]
