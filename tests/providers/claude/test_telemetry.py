"""Claude Code's telemetry."""

from dejavu.model import Role, Text, ToolCall, ToolCallResponse

S = {"session__id": "s1"}


def test_a_call_and_its_result(play_otlp, otlp_log, otlp_span):
    logs = [
        otlp_log("user_prompt", prompt="Hi", message__uuid="u1", **S),
        otlp_log(
            "api_request",
            query_source="sdk",
            input_tokens=10,
            output_tokens=5,
            cache_read_tokens=2,
            cost_usd="0.5",
            **S,
        ),
        otlp_log(
            "assistant_response",
            response="Look:",
            message__uuid="u2",
            model="opus",
            query_source="sdk",
            **S,
        ),
        otlp_log(
            "tool_decision",
            tool_use_id="c1",
            tool_name="Bash",
            tool_parameters={"full_command": "ls"},
            **S,
        ),
        otlp_log(
            "tool_result",
            tool_use_id="c1",
            tool_name="Bash",
            success="true",
            tool_input={"command": "ls"},
            duration_ms=7,
            **S,
        ),
    ]
    output = otlp_span("claude_code.tool", "tool.output", {"output": "x\n"}, tool_use_id="c1", **S)
    for batches in ([logs, [output]], [[output], logs]):
        turns = play_otlp("claude", *batches).turns
        assert [turn.role for turn in turns] == [Role.USER, Role.ASSISTANT, Role.TOOL]
        assert (turns[0].native_id, turns[1].native_id) == ("u1", "u2")
        assert turns[1].parts[0] == Text("Look:")
        assert isinstance(turns[1].parts[1], ToolCall)
        assert turns[2].parts == (ToolCallResponse("c1", "x\n"),)
        assert turns[1].usage.input_tokens == 12
        assert turns[1].usage.cost == 0.5
        assert turns[1].model == "opus"


def test_the_call_has_the_arguments_of_its_result(play_otlp, otlp_log):
    asked = otlp_log("tool_decision", tool_use_id="c1", tool_name="Bash", tool_parameters="{}", **S)
    done = otlp_log(
        "tool_result", tool_use_id="c1", success="false", tool_input={"command": "ls"}, **S
    )
    calls = [part for turn in play_otlp("claude", [asked], [done]).turns for part in turn.parts]
    assert [part.arguments for part in calls if isinstance(part, ToolCall)] == [{"command": "ls"}]
    assert calls[-1] == ToolCallResponse("c1", None, True)


def test_titles_are_not_answers_and_sub_agents_are_below(play_otlp, otlp_log):
    played = play_otlp(
        "claude",
        [
            otlp_log("user_prompt", prompt="Hi", **S),
            otlp_log(
                "assistant_response", response="A title", query_source="generate_session_title", **S
            ),
            otlp_log("assistant_response", response="below", query_source="agent:Explore", **S),
            otlp_log("assistant_response", response="Hello", query_source="repl_main_thread", **S),
        ],
    )
    assert [turn.text for turn in played.turns] == ["Hi", "Hello"]
    (below,) = (head for head in played.heads.values() if head.parent)
    assert below.native_id == "s1/agent:Explore"


def test_an_error_that_is_tried_again_is_told_once(play_otlp, otlp_log):
    error = otlp_log("api_error", error="overloaded", status_code=529, **S)
    (turn,) = play_otlp("claude", [error, error]).turns
    assert turn.role is Role.SYSTEM
    assert turn.parts[1].data == {"message": "overloaded", "status": 529}


def test_known_events_are_quiet_and_others_counted(play_otlp, otlp_log):
    played = play_otlp("claude", [otlp_log("hook_registered", **S), otlp_log("eclipse", **S)])
    assert played.drift == {"eclipse": 1}
