"""Copilot's hooks."""

import pytest

from dejavu.model import Role, ToolCall, ToolCallResponse
from dejavu.providers import HOOKS

BASE = {"session_id": "s1", "cwd": "/w"}


def told(event, **fields):
    return {**BASE, "hook_event_name": event, **fields}


def test_a_result_tells_its_call_too(play_hooks):
    result = {"result_type": "success", "text_result_for_llm": "a.txt"}
    done = told("PostToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_result=result)
    turns = play_hooks("copilot", [told("UserPromptSubmit", prompt="List them."), done]).turns
    assert [turn.parts[0] for turn in turns[1:]] == [
        ToolCall(None, "Bash", {"command": "ls"}), ToolCallResponse(None, "a.txt", False)
    ]  # fmt: skip


def test_a_call_that_failed(play_hooks):
    failed = told("PostToolUseFailure", tool_name="Bash", tool_input={}, error="no such file")
    assert play_hooks("copilot", [failed]).turns[1].parts == (
        ToolCallResponse(None, "no such file", True),
    )


def test_an_error_is_told(play_hooks):
    error = {"name": "ApiError", "message": "refused", "stack": "at x"}
    (turn,) = play_hooks(
        "copilot", [told("ErrorOccurred", error=error, error_context="model_call")]
    ).turns
    assert (turn.role, turn.text) == (Role.SYSTEM, "refused")
    assert turn.parts[1].data == {"message": "refused", "type": "ApiError", "context": "model_call"}


@pytest.mark.parametrize(
    ("payload", "status"),
    [({"hook_event_name": "ErrorOccurred", "recoverable": True}, None),
     ({"hook_event_name": "ErrorOccurred"}, "error"), ({"hook_event_name": "Stop"}, "idle"),
     ({"hook_event_name": "UserPromptSubmit"}, "working")],
)  # fmt: skip
def test_status(payload, status):
    assert HOOKS["copilot"].status_of(payload) == status


def test_no_hook_is_registered_that_could_refuse_a_call():
    assert "PreToolUse" not in HOOKS["copilot"].events
