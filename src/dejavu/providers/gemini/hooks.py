"""Gemini CLI's hooks: `hooks` in `settings.json`.

Parses the payloads on their stdin into prompts, answers, calls and results. Calls have no ids.

`AfterAgent` should have the last message, but 0.61.0 writes all texts of the run with the chunks of
their stream again behind them, joined by blanks: such an answer is marked `verbatim: false`.
`AfterModel` has every chunk as it is, and starts a program for each; where it is installed, it
alone is believed.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from dejavu.model import Span

from ..claude import hooks as claude
from ..formats.hooks.payloads import PayloadParser
from ..formats.hooks.protocol import Hook, Status
from ..formats.json_lines import as_dict, as_str

EVENTS = (
    "SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "Notification",
    "PreCompress", "SessionEnd",
)  # fmt: skip
_WORKING = frozenset({"BeforeAgent", "BeforeModel", "BeforeTool", "AfterTool"})


class GeminiHookParser(PayloadParser):
    """Payloads with Gemini's names."""

    last_is_verbatim: ClassVar[bool] = False
    aliases: ClassVar[dict[str, str]] = {
        "BeforeAgent": "UserPromptSubmit",
        "BeforeTool": "PreToolUse",
        "AfterTool": "PostToolUse",
        "AfterAgent": "Stop",
    }

    def memory(self) -> dict[str, Any]:
        """What must be remembered between feeds."""
        return {**super().memory(), "chunks": self._chunks}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse of `memory`."""
        super().remember(memory)
        self._chunks = int(memory.get("chunks", 0))

    def event(self, payload: dict[str, Any], span: Span, at: float | None) -> bool:
        """Take one payload; False if it is not understood."""
        if payload.get("hook_event_name") != "AfterModel":
            return super().event(payload, span, at)
        self.name(as_str(payload.get("session_id")))
        self.model = as_str(as_dict(payload.get("llm_request")).get("model")) or self.model
        text = as_str(as_dict(payload.get("llm_response")).get("text"))
        if text:
            message = self._message()
            self._chunks += 1
            self.show(message or f"model-{self._chunks}", self._chunks, text, span, at, None)
        return True

    def _message(self) -> str | None:
        """The message that is being displayed."""
        shown = self._shown.get(self._key(None))
        return next(reversed(shown.messages), None) if shown and not shown.calls else None

    def last(self, payload: dict[str, Any]) -> str:
        """The last message of a run, unless its chunks told it."""
        return "" if self._chunks else as_str(payload.get("prompt_response"))


def status(payload: Mapping[str, Any]) -> Status | None:
    """What a payload says of the session."""
    kind = as_str(payload.get("hook_event_name"))
    if kind in _WORKING:
        return "working"
    if kind == "AfterAgent":
        return "idle"
    if kind == "Notification":
        return "blocked" if payload.get("notification_type") == "ToolPermission" else None
    return "idle" if kind == "SessionStart" else None


HOOK = Hook("gemini", GeminiHookParser, EVENTS, status, claude.session)
