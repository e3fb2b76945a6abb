"""Codex's hooks (`hooks.json` or `[hooks]`) and its older `notify` program.

Parses the payloads on a hook's stdin, and the JSON that `notify` gets as its last argument, into
prompts, last messages, calls and results. Where both are installed, a run reported by both is
recorded once.
"""

from collections.abc import Mapping
from typing import Any

from dejavu.model import Span, Text

from ..claude import hooks as claude
from ..formats.hooks.payloads import PayloadParser
from ..formats.hooks.protocol import Hook, Status
from ..formats.json_lines import as_list, as_str

EVENTS = (
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse",
    "SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "Stop",
)  # fmt: skip


class CodexHookParser(PayloadParser):
    """Payloads of hooks and of `notify`."""

    def event(self, payload: dict[str, Any], span: Span, at: float | None) -> bool:
        """Take one payload; False if it is not understood."""
        if payload.get("type") != "agent-turn-complete":
            return super().event(payload, span, at)
        self.name(session(payload), workspace=as_str(payload.get("cwd")))
        run = as_str(payload.get("turn-id"))
        prompts = [
            Text(prompt) for prompt in map(as_str, as_list(payload.get("input-messages"))) if prompt
        ]
        key_prefix = f"{self._main}\0{run}\0"
        if prompts and not self._prompt.startswith(key_prefix):
            self.add_prompt(prompts, span, at=at)
            self._prompt = key_prefix + prompts[0].content
        last = {"last_assistant_message": payload.get("last-assistant-message")}
        self._stop(last, span, at, None)
        return True


def status(payload: Mapping[str, Any]) -> Status | None:
    """What a payload says of the session."""
    kind = payload.get("type")
    if kind == "agent-turn-complete":
        return "idle"
    return "blocked" if kind == "approval-requested" else claude.status(payload)


def session(payload: Mapping[str, Any]) -> str:
    """The session's id."""
    return as_str(payload.get("session_id")) or as_str(payload.get("thread-id"))


HOOK = Hook("codex", CodexHookParser, EVENTS, status, session)
