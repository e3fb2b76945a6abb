"""Qwen Code's hooks."""

from dejavu.model import ToolCallResponse
from dejavu.providers import HOOKS

BASE = {"session_id": "s1", "cwd": "/w"}


def test_the_empty_prompt_after_a_result_is_none(play_hooks, hook_lines):
    turns = play_hooks("qwen", hook_lines("qwen")).turns
    assert [turn.text for turn in turns if turn.role == "user"] == [
        "Create a file called made_by_agent.txt and list the directory."
    ]


def test_the_models_id_of_a_call_goes_before_the_hooks(play_hooks):
    payload = {**BASE, "hook_event_name": "PostToolUse", "tool_use_id": "toolu_1_x",
               "tool_call_id": "call_1", "tool_name": "ls", "tool_input": {},
               "tool_response": {"llmContent": "out", "returnDisplay": ""}}  # fmt: skip
    call, result = play_hooks("qwen", [payload]).turns
    assert call.parts[0].id == "call_1"
    assert result.parts == (ToolCallResponse("call_1", "out"),)


def test_its_answers_are_not_displayed_to_hooks():
    assert "MessageDisplay" not in HOOKS["qwen"].events
