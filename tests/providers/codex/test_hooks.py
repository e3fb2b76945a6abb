"""Codex's hooks and its notify program."""

import pytest

from dejavu.providers import HOOKS

NOTIFY = {"type": "agent-turn-complete", "thread-id": "t1", "turn-id": "r1", "cwd": "/w",
          "input-messages": ["Hi"], "last-assistant-message": "Hello"}  # fmt: skip
PROMPT = {
    "hook_event_name": "UserPromptSubmit",
    "session_id": "t1",
    "turn_id": "r1",
    "prompt": "Hi",
}
STOP = {"hook_event_name": "Stop", "session_id": "t1", "turn_id": "r1",
        "last_assistant_message": "Hello"}  # fmt: skip


def test_notify_alone_tells_a_run(play_hooks):
    played = play_hooks("codex", [NOTIFY])
    assert [turn.text for turn in played.turns] == ["Hi", "Hello"]
    assert played.head.native_id == "t1"
    assert played.head.workspace == "/w"


def test_a_run_that_both_tell_is_told_once(play_hooks):
    turns = play_hooks("codex", [PROMPT, STOP, NOTIFY]).turns
    assert [turn.text for turn in turns] == ["Hi", "Hello"]


def test_the_recorded_one(play_hooks, hook_lines):
    turns = play_hooks("codex", hook_lines("codex-notify")).turns
    assert turns[0].text.startswith("Create a file called")
    assert turns[1].text.startswith("Done. The directory now holds")


@pytest.mark.parametrize(
    ("payload", "status"),
    [
        (NOTIFY, "idle"),
        ({"type": "approval-requested"}, "blocked"),
        (PROMPT, "working"),
        (STOP, "idle"),
        ({"hook_event_name": "PermissionRequest"}, "blocked"),
    ],
)
def test_status(payload, status):
    assert HOOKS["codex"].status_of(payload) == status
    if "thread-id" in payload:
        assert HOOKS["codex"].session_of(payload) == "t1"
