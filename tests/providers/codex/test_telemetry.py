"""Codex's telemetry."""

from dejavu.model import Role, ToolCall, ToolCallResponse

C = {"conversation__id": "s1", "app__version": "0.169.0", "model": "gpt-5"}


def test_a_call_its_result_and_its_tokens(play_otlp, otlp_log):
    result = otlp_log("codex.tool_result", call_id="c1", tool_name="exec_command",
                 arguments='{"cmd": "ls"}', output="x", success="false", **C)  # fmt: skip
    done = {"event__kind": "response.completed", "input_token_count": "12",
            "output_token_count": "3"}  # fmt: skip
    played = play_otlp("codex", [otlp_log("codex.user_prompt", prompt="Hi", **C), result, result,
                            otlp_log("codex.sse_event", **done, **C)])  # fmt: skip
    turns = played.turns
    assert [turn.role for turn in turns] == [Role.USER, Role.ASSISTANT, Role.TOOL]
    assert turns[1].parts == (ToolCall("c1", "exec_command", {"cmd": "ls"}),)
    assert turns[2].parts == (ToolCallResponse("c1", "x", True),)
    assert played.head.agent_version == "0.169.0"
    assert not played.drift


def test_a_request_that_failed(play_otlp, otlp_log):
    failed = {"http__response__status_code": "400", "error__message": "refused"}
    (turn,) = play_otlp("codex", [otlp_log("codex.api_request", **failed, **C)]).turns
    assert turn.text == "refused"
    fine = otlp_log("codex.api_request", http__response__status_code="200", **C)
    assert not any(play_otlp("codex", [fine]).threads.values())
