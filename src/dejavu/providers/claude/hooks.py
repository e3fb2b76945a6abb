"""Claude Code's hooks: `hooks` in `settings.json` or a plugin's `hooks/hooks.json`.

Parses the payloads on their stdin into prompts, answers, calls, results and errors, and the session
file's path. A run that leaves background tasks behind is still at work.
"""

from collections.abc import Mapping
from typing import Any

from ..formats.hooks.payloads import PayloadParser
from ..formats.hooks.protocol import Hook, Status
from ..formats.json_lines import as_str

EVENTS = (
    "SessionStart", "UserPromptSubmit", "MessageDisplay", "PreToolUse", "PermissionRequest",
    "PostToolUse", "PostToolUseFailure", "Notification", "SubagentStart", "SubagentStop",
    "PreCompact", "PostCompact", "Stop", "StopFailure", "SessionEnd",
)  # fmt: skip
_WORKING = frozenset(
    {
        "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionDenied",
        "SubagentStart", "SubagentStop", "PreCompact",
    }
)  # fmt: skip
_ASKING = frozenset({"AskUserQuestion", "ExitPlanMode", "ask_user_question", "exit_plan_mode"})
_NOTICES: dict[str, Status] = {
    "permission_prompt": "blocked",
    "elicitation_dialog": "blocked",
    "idle_prompt": "idle",
}


def status(payload: Mapping[str, Any]) -> Status | None:
    """What a payload in Claude Code's form says of the session.

    `MessageDisplay` says nothing: it may arrive after the end of the run that it belongs to.
    """
    kind = as_str(payload.get("hook_event_name"))
    if kind in ("PermissionRequest", "Elicitation"):
        return "blocked"
    if kind == "PreToolUse" and as_str(payload.get("tool_name")) in _ASKING:
        return "blocked"
    if kind in _WORKING:
        return "working"
    if kind == "Stop":
        return "working" if payload.get("background_tasks") else "idle"
    if kind == "StopFailure":
        return "error"
    if kind == "Notification":
        return _NOTICES.get(as_str(payload.get("notification_type")))
    return "idle" if kind == "SessionStart" else None


def session(payload: Mapping[str, Any]) -> str:
    """The session's id."""
    return as_str(payload.get("session_id"))


HOOK = Hook("claude", PayloadParser, EVENTS, status, session)
