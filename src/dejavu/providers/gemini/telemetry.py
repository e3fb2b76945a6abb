"""Gemini CLI's telemetry, and Qwen Code's, which grew from it: `telemetry` in `settings.json`.

Parses their log events (`logPrompts` true) into prompts, answers, calls, results, tokens and
errors. Gemini's response is the list of its chunks, thoughts among them; Qwen's is its text. What
tools gave is in the next request. Shapes: Gemini CLI 0.61.0, Qwen Code 0.24.4.
"""

from typing import Any, ClassVar

from dejavu.model import Part, Reasoning, Role, Span, Text, ToolCall, ToolCallResponse

from ..formats.json_lines import as_dict, as_dicts, as_str, decode_lenient
from ..formats.otlp.export import OtlpEvent
from ..formats.otlp.protocol import Telemetry, TelemetryParser, tokens
from ..formats.streams.values import arguments


class GeminiTelemetryParser(TelemetryParser):
    """Turns from `gemini_cli.*` events."""

    prefix = "gemini_cli."
    main: ClassVar[str] = "main"
    """The role of requests that belong to the conversation itself."""

    def event(self, event: OtlpEvent, facts: dict[str, Any], span: Span) -> bool:
        """Take one event; False if it is not known."""
        if event.span or not event.name.startswith(self.prefix):
            return event.name != ""
        name = event.name.removeprefix(self.prefix)
        self.name(as_str(facts.get("session.id")))
        sub, role = as_str(facts.get("subagent_name")) or None, as_str(facts.get("role"))
        if sub is not None:
            sub = as_str(facts.get("prompt_id")) or sub
        if name == "user_prompt":
            self.prompt(facts.get("prompt"), span, event)
        elif name in ("api_request", "api_response") and role not in ("", self.main):
            return True  # routing and other work of the harness
        elif name == "api_request":
            self._request(event, facts, span, sub)
        elif name == "api_response":
            self._response(event, facts, span, sub)
        elif name == "tool_call":
            self._call(event, facts, span, sub)
        elif name == "api_error":
            error = as_str(facts.get("error_message")) or as_str(facts.get("error.message"))
            error = error or as_str(facts.get("error")) or "API error"
            self.fail(error, span, sub=sub, at=event.at)
        return True

    def _request(
        self, event: OtlpEvent, facts: dict[str, Any], span: Span, sub: str | None
    ) -> None:
        """Results of tools that this request tells the model for the first time."""
        text = as_str(facts.get("request_text"))
        for content in (
            as_dicts(decode_lenient(text.encode("utf-8", "surrogatepass"))) if text else ()
        ):
            for part in as_dicts(content.get("parts")):
                result = as_dict(part.get("functionResponse"))
                if not result:
                    continue
                call = as_str(result.get("id"))
                if not call or self.is_repeated_result(f"{sub or ''}\0{call}"):
                    continue
                answer = as_dict(result.get("response"))
                output: Any = answer.get("output", answer.get("error", answer))
                failed = "error" in answer and "output" not in answer
                response = ToolCallResponse(call, output, failed)
                self.append(Role.TOOL, [response], span, sub=sub, at=event.at)

    def _response(
        self, event: OtlpEvent, facts: dict[str, Any], span: Span, sub: str | None
    ) -> None:
        parts = response_parts(as_str(facts.get("response_text")))
        usage = tokens(
            facts, "input_token_count", "output_token_count", "cached_content_token_count", "",
            "thoughts_token_count",
        )  # fmt: skip
        if parts or usage:
            answer = self.fresh(span, event, sub, model=as_str(facts.get("model")) or None)
            for part in parts:
                answer.add(part)
            answer.spend(usage)

    def _call(self, event: OtlpEvent, facts: dict[str, Any], span: Span, sub: str | None) -> None:
        """A call that the response did not tell: Qwen's never does."""
        call = as_str(facts.get("call_id")) or None
        call_input = arguments(facts.get("function_args"))
        name = as_str(facts.get("function_name"))
        answer = self.answer(span, None, sub, at=event.at)
        for part in answer.turn.parts:
            if isinstance(part, ToolCall) and (
                part.id == call if call else (part.name, part.arguments) == (name, call_input)
            ):
                return
        answer.add(ToolCall(call, name, call_input))


def response_parts(response: str) -> list[Part]:
    """What a response says: the parts of its chunks, joined, or the text itself."""
    chunks = (
        as_dicts(decode_lenient(response.encode("utf-8", "surrogatepass")))
        if response[:1] == "["
        else []
    )
    if not any("candidates" in chunk for chunk in chunks):
        return [Text(response)] if response else []
    parts: list[Part] = []
    for chunk in chunks:
        for candidate in as_dicts(chunk.get("candidates"))[:1]:
            for part in as_dicts(as_dict(candidate.get("content")).get("parts")):
                call, words = as_dict(part.get("functionCall")), as_str(part.get("text"))
                if call:
                    key = as_str(call.get("id")) or None
                    parts.append(ToolCall(key, as_str(call.get("name")), call.get("args")))
                elif words:
                    kind = Reasoning if part.get("thought") is True else Text
                    last = parts[-1] if parts else None
                    if isinstance(last, kind):
                        parts[-1] = kind(last.content + words)
                    else:
                        parts.append(kind(words))
    return parts


TELEMETRY = Telemetry("gemini", GeminiTelemetryParser, ("gemini-cli",))
