"""Codex's telemetry: `[otel]` in `config.toml`, `log_user_prompt = true`.

Parses its log events into prompts, calls, results, tokens and errors. Neither they nor its spans
contain the model's text. Shapes: 0.169.0.
"""

from typing import Any

from dejavu.model import Role, Span, ToolCall, ToolCallResponse

from ..formats.json_lines import as_int, as_str
from ..formats.otlp.export import OtlpEvent
from ..formats.otlp.protocol import Telemetry, TelemetryParser, tokens
from ..formats.streams.values import arguments


class CodexTelemetryParser(TelemetryParser):
    """Turns from `codex.*` events."""

    def event(self, event: OtlpEvent, facts: dict[str, Any], span: Span) -> bool:
        """Take one event; False if it is not known."""
        name = event.name
        if event.span:
            return True
        self.name(
            as_str(facts.get("conversation.id")), agent_version=as_str(facts.get("app.version"))
        )
        self.model = as_str(facts.get("model")) or self.model
        if name == "codex.user_prompt":
            self.prompt(facts.get("prompt"), span, event)
        elif name == "codex.tool_result":
            self._result(event, facts, span)
        elif name == "codex.sse_event":
            if facts.get("event.kind") == "response.completed":
                current = self.open_answer()
                if current is not None:
                    current.spend(_usage(facts))
        elif name in ("codex.api_request", "codex.websocket_request"):
            status = as_int(facts.get("http.response.status_code")) or _whole(
                facts.get("http.response.status_code")
            )
            if status is not None and status >= 400:
                error = as_str(facts.get("error.message")) or f"http {status}"
                self.fail(error, span, at=event.at, status=status)
        else:
            return name.startswith("codex.")
        return True

    def _result(self, event: OtlpEvent, facts: dict[str, Any], span: Span) -> None:
        """A call and what it gave, in one event."""
        call = as_str(facts.get("call_id"))
        if self.is_repeated_result(call):
            return
        call_input = arguments(facts.get("arguments"))
        answer = self.answer(span, None, at=event.at, model=self.model)
        answer.add(ToolCall(call, as_str(facts.get("tool_name")), call_input))
        failed = as_str(facts.get("success")) == "false" or facts.get("success") is False
        response = ToolCallResponse(call, facts.get("output"), failed)
        self.append(Role.TOOL, [response], span, at=event.at)


def _usage(facts: dict[str, Any]) -> Any:
    return tokens(
        facts, "input_token_count", "output_token_count", "cached_token_count",
        "cache_write_token_count", "reasoning_token_count",
    )  # fmt: skip


def _whole(value: Any) -> int | None:
    digits = as_str(value)
    return int(digits) if digits.isdigit() and len(digits) < 9 else None


TELEMETRY = Telemetry(
    "codex", CodexTelemetryParser, ("codex_cli_rs", "codex-cli", "codex_exec", "codex")
)
