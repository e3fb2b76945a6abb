"""Kimi's hooks."""

import pytest

from dejavu.model import Text, ToolCallResponse
from dejavu.providers import HOOKS

BASE = {"session_id": "s1", "cwd": "/w"}


def test_prompts_are_lists_of_parts(play_hooks):
    prompt = [{"type": "text", "text": "One"}, {"type": "text", "text": "Two"}]
    payload = {**BASE, "hook_event_name": "UserPromptSubmit", "prompt": prompt}
    (turn,) = play_hooks("kimi", [payload]).turns
    assert turn.parts == (Text("One"), Text("Two"))


def test_the_main_agent_is_no_sub_agent(play_hooks):
    asked = {**BASE, "hook_event_name": "PreToolUse", "agent_id": "main", "tool_name": "Bash",
             "tool_input": {}, "tool_call_id": "c1"}  # fmt: skip
    failed = {**BASE, "hook_event_name": "PostToolUseFailure", "tool_call_id": "c1",
              "error": {"code": "internal", "message": "no"}}  # fmt: skip
    turns = play_hooks("kimi", [asked, failed]).turns
    assert turns[1].parts == (ToolCallResponse("c1", "no", True),)


@pytest.mark.parametrize(
    ("event", "status"),
    [("PermissionRequest", "blocked"), ("PermissionResult", "working"), ("Interrupt", "idle"),
     ("Stop", "idle"), ("StopFailure", "error"), ("UserPromptSubmit", "working")],
)  # fmt: skip
def test_status(event, status):
    assert HOOKS["kimi"].status_of({"hook_event_name": event}) == status
