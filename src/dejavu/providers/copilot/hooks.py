"""GitHub Copilot CLI's hooks: `hooks/*.json` below `$COPILOT_HOME` or `~/.copilot`.

Parses the payloads on their stdin, where the event's name is in Claude Code's form, into prompts,
calls, results and errors, and the session file's path. None of them contains the answer, and calls
have no ids. `PreToolUse` is not registered: a call is refused where such a hook fails, and
`PostToolUse` tells it all the same. Source, read in November 2026: docs.github.com/copilot, hooks
reference.
"""

from collections.abc import Mapping
from typing import Any

from dejavu.model import Span

from ..claude import hooks as claude
from ..formats.hooks.payloads import PayloadParser
from ..formats.hooks.protocol import Hook, Status
from ..formats.json_lines import as_dict, as_str
from ..formats.streams.values import without_none

EVENTS = (
    "SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "SubagentStop",
    "PreCompact", "ErrorOccurred", "Stop", "SessionEnd",
)  # fmt: skip


class CopilotHookParser(PayloadParser):
    """Payloads with Copilot's results and errors."""

    def event(self, payload: dict[str, Any], span: Span, at: float | None) -> bool:
        """Take one payload; False if it is not understood."""
        if payload.get("hook_event_name") != "ErrorOccurred":
            return super().event(payload, span, at)
        self.name(as_str(payload.get("session_id")), workspace=as_str(payload.get("cwd")))
        error = as_dict(payload.get("error"))
        kind = as_str(error.get("name"))
        words = as_str(error.get("message")) or kind or "error"
        self.fail(
            words, span, at=at, **without_none(type=kind, context=payload.get("error_context"))
        )
        return True

    def output(self, payload: dict[str, Any]) -> Any:
        """What a tool gave, as the model got it."""
        result = as_dict(payload.get("tool_result"))
        return result.get("text_result_for_llm", payload.get("tool_result"))


def status(payload: Mapping[str, Any]) -> Status | None:
    """What a payload says of the session."""
    if payload.get("hook_event_name") == "ErrorOccurred":
        return None if payload.get("recoverable") else "error"
    return claude.status(payload)


HOOK = Hook("copilot", CopilotHookParser, EVENTS, status, claude.session)
