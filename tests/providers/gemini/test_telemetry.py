"""Gemini CLI's telemetry."""

from dejavu.model import Reasoning, Role, Text, ToolCall, ToolCallResponse
from dejavu.providers.gemini.telemetry import response_parts

S = {"session__id": "s1"}


def chunk(*parts):
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}}]}


ANSWER = [
    chunk({"text": "H", "thought": True}),
    chunk({"text": "m", "thought": True}),
    chunk({"text": "Look"}),
    chunk({"text": ":"}),
    chunk({"functionCall": {"id": "c1", "name": "ls", "args": {"dir": "."}}}),
    chunk({"text": ""}),
]
RESULT = [
    {"role": "user", "parts": [{"text": "Hi"}]},
    {"role": "user", "parts": [{"functionResponse": {"id": "c1", "response": {"output": "x"}}}]},
]


def test_chunks_results_and_the_call_that_both_tell(play_otlp, otlp_log):
    request = otlp_log("gemini_cli.api_request", role="main", request_text=RESULT, **S)
    turns = play_otlp(
        "gemini",
        [otlp_log("gemini_cli.user_prompt", prompt="Hi", **S),
         otlp_log("gemini_cli.api_response", role="main", model="pro", response_text=ANSWER,
             input_token_count=9, output_token_count=2, **S),
         otlp_log("gemini_cli.tool_call", function_name="ls", function_args='{"dir": "."}', **S),
         request, request],
    ).turns  # fmt: skip
    assert [turn.role for turn in turns] == [Role.USER, Role.ASSISTANT, Role.TOOL]
    assert turns[1].parts == (Reasoning("Hm"), Text("Look:"), ToolCall("c1", "ls", {"dir": "."}))
    assert turns[2].parts == (ToolCallResponse("c1", "x"),)
    assert (turns[1].usage.input_tokens, turns[1].model) == (9, "pro")


def test_a_result_that_is_an_error(play_otlp, otlp_log):
    failed = {"functionResponse": {"id": "c1", "response": {"error": "no"}}}
    request = otlp_log(
        "gemini_cli.api_request", role="main", request_text=[{"parts": [failed]}], **S
    )
    (turn,) = play_otlp("gemini", [request]).turns
    assert turn.parts == (ToolCallResponse("c1", "no", True),)


def test_work_of_the_harness_is_left_out(play_otlp, otlp_log):
    routed = otlp_log("gemini_cli.api_response", role="utility_router", response_text=ANSWER, **S)
    assert not any(play_otlp("gemini", [routed]).threads.values())


def test_errors(play_otlp, otlp_log):
    (turn,) = play_otlp("gemini", [otlp_log("gemini_cli.api_error", error_message="no", **S)]).turns
    assert turn.text == "no"


def test_a_response_is_chunks_or_a_text():
    assert response_parts("Hello") == [Text("Hello")]
    assert response_parts("[1, 2]") == [Text("[1, 2]")]
    assert response_parts("[") == [Text("[")]
    assert response_parts("") == []
