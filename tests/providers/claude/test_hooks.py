"""What Claude Code's payloads say of its state."""

import pytest

from dejavu.providers import HOOKS


@pytest.mark.parametrize(
    ("payload", "status"),
    [
        ({"hook_event_name": "SessionStart"}, "idle"),
        ({"hook_event_name": "UserPromptSubmit"}, "working"),
        ({"hook_event_name": "PreToolUse", "tool_name": "Bash"}, "working"),
        ({"hook_event_name": "PreToolUse", "tool_name": "AskUserQuestion"}, "blocked"),
        ({"hook_event_name": "PermissionRequest"}, "blocked"),
        ({"hook_event_name": "PostToolUse"}, "working"),
        ({"hook_event_name": "PostToolUseFailure"}, "working"),
        ({"hook_event_name": "SubagentStop"}, "working"),
        ({"hook_event_name": "Notification", "notification_type": "permission_prompt"}, "blocked"),
        ({"hook_event_name": "Notification", "notification_type": "idle_prompt"}, "idle"),
        ({"hook_event_name": "Notification", "notification_type": "auth_success"}, None),
        ({"hook_event_name": "MessageDisplay", "final": True}, None),
        ({"hook_event_name": "Stop", "background_tasks": []}, "idle"),
        ({"hook_event_name": "Stop", "background_tasks": [{"id": "b1"}]}, "working"),
        ({"hook_event_name": "StopFailure"}, "error"),
        ({"hook_event_name": "SessionEnd"}, None),
    ],
)
def test_status(payload, status):
    assert HOOKS["claude"].status_of(payload) == status
