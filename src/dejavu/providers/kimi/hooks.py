"""Kimi's hooks: `[[hooks]]` in `config.toml`, of Kimi Code and of kimi-cli before it.

Parses the payloads on their stdin into prompts, calls, results and errors. None of them contains
the answer.
"""

from collections.abc import Mapping
from typing import Any

from ..claude import hooks as claude
from ..formats.hooks.payloads import PayloadParser
from ..formats.hooks.protocol import Hook, Status
from ..formats.json_lines import as_str

EVENTS = (
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PermissionResult",
    "PostToolUse", "PostToolUseFailure", "Notification", "SubagentStart", "SubagentStop",
    "PreCompact", "PostCompact", "Interrupt", "Stop", "StopFailure", "SessionEnd",
)  # fmt: skip


class KimiHookParser(PayloadParser):
    """Payloads whose main agent is called `main`, and whose sub-agents have names."""

    def sub(self, payload: dict[str, Any]) -> str | None:
        """The sub-agent that a payload is about, if it is about one."""
        agent = as_str(payload.get("agent_id")) or as_str(payload.get("agent_name"))
        return agent if agent and agent != "main" else None


def status(payload: Mapping[str, Any]) -> Status | None:
    """What a payload says of the session."""
    kind = payload.get("hook_event_name")
    if kind == "PermissionResult":
        return "working"
    return "idle" if kind == "Interrupt" else claude.status(payload)


HOOK = Hook("kimi", KimiHookParser, EVENTS, status, claude.session)
