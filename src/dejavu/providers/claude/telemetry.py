"""Claude Code's telemetry: `CLAUDE_CODE_ENABLE_TELEMETRY=1`, `OTEL_LOGS_EXPORTER=otlp`.

Parses its log events, and its spans for tools' results (`OTEL_TRACES_EXPORTER=otlp`,
`CLAUDE_CODE_ENHANCED_TELEMETRY_BETA=1`, `OTEL_LOG_TOOL_CONTENT=1`), into prompts
(`OTEL_LOG_USER_PROMPTS=1`), answers, calls (`OTEL_LOG_TOOL_DETAILS=1`), results, tokens and errors,
never thoughts. Prompts have the ids that they have in the session file. Shapes: 2.1.330.
"""

from typing import Any

from msgspec.structs import replace

from dejavu.model import Role, Span, Text, ToolCall, ToolCallResponse, Usage

from ..formats.json_lines import as_int, as_str
from ..formats.otlp.export import OtlpEvent
from ..formats.otlp.protocol import WITHHELD, Telemetry, TelemetryParser, tokens
from ..formats.streams.command_line import names
from ..formats.streams.values import arguments, without_none

_QUIET = names(
    "at_mention auth compaction feedback_survey hook_execution_complete hook_execution_start "
    "hook_plugin_metrics hook_registered internal_error managed_settings_resolved "
    "mcp_server_connection permission_mode_changed plugin_installed plugin_loaded skill_activated "
    "api_request_body api_response_body api_retries_exhausted gen_ai.request.attempt"
)
_MAIN = ("repl_main_thread", "sdk", "")


class ClaudeTelemetryParser(TelemetryParser):
    """Turns from `claude_code.*` events."""

    def memory(self) -> dict[str, Any]:
        """What must be remembered between feeds."""
        return {**super().memory(), "outputs": self._outputs, "spent": self._spent}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse of `memory`."""
        super().remember(memory)
        self._outputs: dict[str, str] = memory.get("outputs", {})
        """What tools gave, by call, as far as it came before their results."""
        self._spent: dict[str, Any] | None = memory.get("spent")
        """The last request's tokens, until its answer comes."""

    def event(self, event: OtlpEvent, facts: dict[str, Any], span: Span) -> bool:
        """Take one event; False if it is not known."""
        name = event.name.removeprefix("claude_code.")
        self.name(as_str(facts.get("session.id")))
        call = as_str(facts.get("tool_use_id"))
        if event.span:
            self._given(event, facts, call)
        elif name == "user_prompt":
            prompt = facts.get("prompt") or facts.get("prompt_text")
            self.prompt(prompt, span, event, native_id=as_str(facts.get("message.uuid")) or None)
        elif name == "assistant_response":
            self._answer(event, facts, span)
        elif name == "api_request":
            if as_str(facts.get("query_source")) in _MAIN:
                self._spent = facts
        elif name == "tool_decision":
            self._call(call, facts, span, event, arguments(facts.get("tool_parameters")))
        elif name == "tool_result":
            self._result(call, facts, span, event)
        elif name == "api_error":
            error = as_str(facts.get("error")) or "API error"
            status = as_int(facts.get("status_code"))
            self.fail(error, span, at=event.at, status=status)
        else:
            return name in _QUIET
        return True

    def _answer(self, event: OtlpEvent, facts: dict[str, Any], span: Span) -> None:
        source, response = as_str(facts.get("query_source")), as_str(facts.get("response"))
        if not response or response in WITHHELD:
            return
        if source not in _MAIN and not source.startswith(("agent", "repl_main_thread")):
            return  # titles and other work of the harness
        sub = source if source.startswith("agent") else None
        fields = without_none(native_id=facts.get("message.uuid"), model=facts.get("model"))
        answer = self.fresh(span, event, sub, **fields)
        answer.add(Text(response))
        answer.spend(self._tokens() if sub is None else None)

    def _call(
        self, call: str, facts: dict[str, Any], span: Span, event: OtlpEvent, call_input: Any
    ) -> None:
        """A call; its whole arguments come with its result only."""
        answer = self.answer(span, None, at=event.at, model=self.model)
        answer.add(ToolCall(call, as_str(facts.get("tool_name")), call_input))
        answer.spend(self._tokens())

    def _result(self, call: str, facts: dict[str, Any], span: Span, event: OtlpEvent) -> None:
        current = self.open_answer()
        is_known = current is not None and any(
            isinstance(part, ToolCall) and part.id == call for part in current.turn.parts
        )
        call_input = arguments(facts.get("tool_input"))
        if is_known or not self._amend_call(call, call_input):
            self._call(call, facts, span, event, call_input)
        failed = as_str(facts.get("success")) != "true" and facts.get("success") is not True
        output = self._outputs.pop(call, None)
        meta = without_none(duration_ms=as_int(facts.get("duration_ms")))
        response = ToolCallResponse(call, output, failed)
        self.append(Role.TOOL, [response], span, at=event.at, meta=meta)

    def _amend_call(self, call: str, call_input: Any) -> bool:
        """Put whole arguments into a call that is in an earlier turn."""
        thread = self.thread()
        for seq in range(len(thread) - 1, -1, -1):
            turn = thread.get(seq)
            if turn is None:
                return False
            for index, part in enumerate(turn.parts):
                if isinstance(part, ToolCall) and part.id == call:
                    if call_input is not None:
                        whole = ToolCall(call, part.name, call_input)
                        parts = (*turn.parts[:index], whole, *turn.parts[index + 1 :])
                        thread.replace(seq, replace(turn, parts=parts))
                    return True
        return False

    def _given(self, event: OtlpEvent, facts: dict[str, Any], call: str) -> None:
        """What a tool gave: an event inside its span."""
        if event.name != "tool.output" or not call:
            return
        output = facts.get("output", facts.get("content"))
        if isinstance(output, str) and not self.amend_result(call, output):
            self._outputs[call] = output
            for old in list(self._outputs)[:-32]:
                del self._outputs[old]

    def _tokens(self) -> Usage | None:
        facts, self._spent = self._spent, None
        if facts is None:
            return None
        usage = tokens(
            facts, "input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens",
            "", "cost_usd",
        )  # fmt: skip
        if usage is None or usage.input_tokens is None:
            return usage
        cached = (usage.cache_read_input_tokens or 0) + (usage.cache_creation_input_tokens or 0)
        return replace(usage, input_tokens=usage.input_tokens + cached)


TELEMETRY = Telemetry("claude", ClaudeTelemetryParser, ("claude-code",))
