"""A conversation as OpenTelemetry traces, in OTLP's JSON encoding.

The names are those of the OpenTelemetry semantic conventions for generative AI 0.1.0 (repository
semantic-conventions-genai: `client-inference.md`, `gen-ai-agent-spans.md`, `migration.md`). Next to
them, for one release, are those of v1.41.0 that 0.1.0 renamed or removed: `OF_1_41`, and the
`finish_reason` of a message, which `gen_ai.response.finish_reasons` replaces. Messages satisfy the
JSON Schemas of both (`gen-ai-input-messages.json`, `gen-ai-output-messages.json`); `generic` is the
part for what an agent has beyond them.

* A prompt and all that followed from it is one trace: `invoke_agent`, and under it a `chat` span
  for each answer of the model and an `execute_tool` span for each tool call. What came before the
  first prompt is a separate trace. `gen_ai.conversation.id` connects them, and so does
  `session.id`, by which Langfuse and Phoenix group.
* Ids are derived from the conversation's id and the turn's `seq`: sending twice changes nothing.
* `gen_ai.input.messages` of a `chat` span are those since the model's last answer; earlier ones are
  in earlier spans, for a history in every span would cost O(turns squared). Messages, arguments and
  results are JSON strings, which every receiver can store.
* `gen_ai.system_instructions` is not written: agents do not record their system prompts.
* Usage is on `chat` spans only, so that nothing is counted twice. Metrics are left to the receiver:
  a history that is sent again would be counted again.
* `gen_ai.conversation.compacted` is on the `chat` spans that follow a compaction.
* Agents record when a turn was finished: a span begins where the turn before it ended. A turn
  without a time has the last known one; before the first, the conversation's.

Costs O(turns).
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from dejavu.model import (
    Blob,
    Conversation,
    Extension,
    Part,
    Role,
    ToolCall,
    ToolCallResponse,
    Turn,
    part_to_dict,
)
from dejavu.model.compaction import is_compaction

from .encode import Value, attributes, clean, identity, json_string, nanoseconds

_INTERNAL, _CLIENT = 1, 3  # SpanKind
_ERROR = {"code": 2}  # STATUS_CODE_ERROR
_PROVIDERS = (
    ("anthropic", "claude"),
    ("openai", "gpt", "o1", "o3", "o4", "codex", "chatgpt"),
    ("gcp.gemini", "gemini"),
    ("moonshot_ai", "kimi", "moonshot"),
    ("x_ai", "grok"),
    ("deepseek", "deepseek"),
    ("mistral_ai", "mistral", "codestral", "devstral", "magistral"),
    ("cohere", "command"),
    ("perplexity", "sonar"),
)
"""`gen_ai.provider.name`, and how the names of its models (or agents) begin."""
OF_1_41 = {
    "chat": {"gen_ai.usage.cache_creation.input_tokens"},
    "invoke_agent": {"gen_ai.provider.name"},
}
"""Attributes by operation that 0.1.0 no longer has there; they go with the next release."""
_USAGE = (
    ("gen_ai.usage.input_tokens", "input_tokens"),
    ("gen_ai.usage.output_tokens", "output_tokens"),
    ("gen_ai.usage.cache_read.input_tokens", "cache_read_input_tokens"),
    ("gen_ai.usage.cache_write.input_tokens", "cache_creation_input_tokens"),
    ("gen_ai.usage.cache_creation.input_tokens", "cache_creation_input_tokens"),
    ("gen_ai.usage.reasoning.output_tokens", "reasoning_output_tokens"),
    ("dejavu.usage.cost", "cost"),
)


_FINISH_REASONS = {
    "endturn": "stop", "stopsequence": "stop", "stop": "stop", "completed": "stop",
    "maxtokens": "length", "length": "length",
    "tooluse": "tool_call", "toolcalls": "tool_call", "functioncall": "tool_call",
    "refusal": "content_filter", "safety": "content_filter", "contentfilter": "content_filter",
    "compaction": "compaction", "error": "error",
}  # fmt: skip
"""The schema's `finish_reason` of what providers say, in lower case and without `-` and `_`."""
_UNKNOWN = "unknown"


def as_otel(conversation: Conversation) -> dict[str, Any]:
    """The whole conversation as one OTLP `ExportTraceServiceRequest` in its JSON encoding."""
    return request_of(conversation, list(spans_of(conversation)))


def request_of(conversation: Conversation, spans: list[dict[str, Any]]) -> dict[str, Any]:
    """An `ExportTraceServiceRequest` of some of a conversation's spans."""
    resource = {
        "service.name": conversation.agent,
        "service.version": conversation.agent_version,
        "service.instance.id": conversation.instance,
        "dejavu.workspace": conversation.workspace,
    }
    scope = {"scope": {"name": "dejavu"}, "spans": spans}
    return {
        "resourceSpans": [{"resource": {"attributes": attributes(resource)}, "scopeSpans": [scope]}]
    }


def spans_of(conversation: Conversation) -> Iterator[dict[str, Any]]:
    """The spans of each exchange: a prompt and what followed, up to the next prompt."""
    exchange: list[Turn] = []
    clock, compacted = _first_time(conversation), False
    for turn in conversation.turns:
        if exchange and turn.role is Role.USER and turn.text and exchange[-1].role is not Role.USER:
            yield from _Exchange(conversation, exchange, clock, compacted).spans()
            clock = _ended(exchange, clock)
            compacted = compacted or any(map(is_compaction, exchange))
            exchange = []
        exchange.append(turn)
    if exchange:
        yield from _Exchange(conversation, exchange, clock, compacted).spans()


class _Exchange:
    """One prompt and what followed, as one trace."""

    def __init__(
        self, conversation: Conversation, turns: list[Turn], clock: float, compacted: bool
    ) -> None:
        self.conversation = conversation
        self.compacted = compacted  # whether it was before; then by the turns
        self.turns = turns
        self.started = _time(turns[0], clock)
        self.trace = identity(16, conversation.id, "trace", turns[0].seq)
        self.root = identity(8, conversation.id, "turn", turns[0].seq)
        self.results = _tool_results(turns, self.started)

    def spans(self) -> Iterator[dict[str, Any]]:
        """The agent's span, then those of its model and tools, in order."""
        yield self._agent()
        clock = self.started
        unanswered: list[Turn] = []
        for turn in self.turns:
            at = _time(turn, clock)
            self.compacted = self.compacted or is_compaction(turn)
            if turn.role is Role.ASSISTANT:
                yield self._inference(turn, unanswered, clock, at)
                unanswered = []
                yield from self._tools(turn, at)
            else:
                unanswered.append(turn)
            clock = max(clock, at)

    def _agent(self) -> dict[str, Any]:
        prompts = [turn for turn in self.turns if turn.role is Role.USER and turn.text]
        answers = [turn for turn in self.turns if turn.role is Role.ASSISTANT and turn.text]
        models = {turn.model for turn in self.turns if turn.model}
        return self._span(
            f"invoke_agent {self.conversation.agent}",
            self.root,
            (self.started, _ended(self.turns, self.started)),
            {
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.agent.name": self.conversation.agent,
                "gen_ai.request.model": models.pop() if len(models) == 1 else None,
                "gen_ai.input.messages": _messages(prompts),
                "gen_ai.output.messages": _messages(answers[-1:], output=True),
                "dejavu.conversation.parent": self.conversation.parent,
                "dejavu.conversation.relation": self.conversation.relation,
                "dejavu.turn.seq": self.turns[0].seq,
                "dejavu.turn.vector": self.turns[0].vector,
            },
        )

    def _inference(
        self, turn: Turn, unanswered: list[Turn], started: float, ended: float
    ) -> dict[str, Any]:
        reason = _recorded_reason(turn)
        usage = {} if turn.usage is None else msgspec.structs.asdict(turn.usage)
        return self._span(
            f"chat {turn.model}" if turn.model else "chat",
            identity(8, self.conversation.id, "chat", turn.seq),
            (started, ended),
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.conversation.compacted": True if self.compacted else None,
                "gen_ai.request.model": turn.model,
                "gen_ai.response.model": turn.model,
                "gen_ai.response.finish_reasons": [reason] if reason else None,
                "gen_ai.input.messages": _messages(unanswered),
                "gen_ai.output.messages": _messages([turn], output=True),
                **{name: usage.get(field) for name, field in _USAGE},
                "dejavu.turn.seq": turn.seq,
                "dejavu.turn.vector": turn.vector,
                "dejavu.turn.native_id": turn.native_id,
            },
            kind=_CLIENT,
            model=turn.model,
        )

    def _tools(self, turn: Turn, started: float) -> Iterator[dict[str, Any]]:
        calls = (part for part in turn.parts if isinstance(part, ToolCall))
        for number, call in enumerate(calls):
            result, ended = self.results.get((turn.seq, number), (None, started))
            failed = result is not None and result.is_error
            yield self._span(
                f"execute_tool {call.name}",
                identity(8, self.conversation.id, "tool", turn.seq, number),
                (started, ended),
                {
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": call.name,
                    "gen_ai.tool.type": "function",
                    "gen_ai.tool.call.id": call.id,
                    "gen_ai.tool.call.arguments": json_string(_decoded(call.arguments)),
                    "gen_ai.tool.call.result": (
                        None if result is None else json_string(_decoded(result.response))
                    ),
                    "error.type": "_OTHER" if failed else None,
                    "dejavu.turn.seq": turn.seq,
                },
                failed=failed,
            )

    def _span(
        self,
        name: str,
        identity: str,
        interval: tuple[float, float],
        named: Mapping[str, Value],
        *,
        kind: int = _INTERNAL,
        model: str | None = None,
        failed: bool = False,
    ) -> dict[str, Any]:
        common: dict[str, Value] = {
            "gen_ai.conversation.id": self.conversation.id,
            "session.id": self.conversation.id,
        }
        if not name.startswith("execute_tool"):
            common["gen_ai.provider.name"] = _provider(model, self.conversation.agent)
        started, ended = map(nanoseconds, interval)
        return {
            "traceId": self.trace,
            "spanId": identity,
            **({} if identity == self.root else {"parentSpanId": self.root}),
            "name": clean(name),
            "kind": kind,
            "startTimeUnixNano": str(started),
            "endTimeUnixNano": str(max(started, ended)),
            "attributes": attributes({**named, **common}),
            **({"status": _ERROR} if failed else {}),
        }


_Call = tuple[int, int]
"""The seq of a call's turn, and which of the turn's calls it is."""


def _tool_results(turns: list[Turn], started: float) -> dict[_Call, tuple[ToolCallResponse, float]]:
    """What came back for each call, and when.

    An answer belongs to the last call of its id (ids come again in some agents); one without an
    id belongs to the first call without one that still waits.
    """
    results: dict[_Call, tuple[ToolCallResponse, float]] = {}
    waiting: dict[str | None, list[_Call]] = {}
    clock = started
    for turn in turns:
        clock = _time(turn, clock)
        number = 0
        for part in turn.parts:
            if isinstance(part, ToolCall):
                waiting.setdefault(part.id, []).append((turn.seq, number))
                number += 1
            elif isinstance(part, ToolCallResponse) and waiting.get(part.id):
                calls = waiting[part.id]
                results[calls.pop(0 if part.id is None else -1)] = (part, clock)
    return results


def _time(turn: Turn, otherwise: float) -> float:
    """Return when a turn was finished; `otherwise` if that is not known (or no time after 1970)."""
    return turn.at if turn.at is not None and turn.at > 0 else otherwise


def _first_time(conversation: Conversation) -> float:
    """Return the earliest time known of a conversation, for spans that have none of their own."""
    known = (conversation.started_at, *(turn.at for turn in conversation.turns))
    late = (conversation.ended_at, conversation.captured_at)
    return next((at for at in (*known, *late) if at is not None and at > 0), 0.0)


def _ended(turns: list[Turn], started: float) -> float:
    return max((_time(turn, started) for turn in turns), default=started)


def _provider(model: str | None, agent: str) -> str:
    for name in ((model or "").rpartition("/")[2].lower(), agent.lower()):
        for provider, *prefixes in _PROVIDERS:
            if name.startswith(tuple(prefixes)):
                return provider
    return agent


def _messages(turns: list[Turn], *, output: bool = False) -> str | None:
    """Return messages of the schema as a JSON string; None for no turns."""
    messages = [
        {
            "role": str(turn.role),
            "parts": [_part(part) for part in turn.parts],
            **({"finish_reason": _finish_reason(turn)} if output else {}),
        }
        for turn in turns
    ]
    return json_string(messages) if messages else None


def _part(part: Part) -> dict[str, Any]:
    """Return a part of the schema; `generic` is its type for what it does not define."""
    if isinstance(part, Extension):
        fields = {key: value for key, value in part.data.items() if key != "type"}
        return {**fields, "type": "generic", "generic_type": f"x.{part.kind}"}
    values = part_to_dict(part)
    if isinstance(part, Blob):  # the schema requires it, though it is our default
        values["modality"] = part.modality
    return values


def _recorded_reason(turn: Turn) -> str | None:
    """Return why the model stopped, in its provider's words; None if the agent did not record it."""
    reason = turn.meta.get("stop_reason") or turn.meta.get("finish_reason")
    return str(reason) if reason else None


def _finish_reason(turn: Turn) -> str:
    """Return the schema's finish reason; `unknown` where nothing says it."""
    recorded = _recorded_reason(turn)
    if recorded is not None:
        return _FINISH_REASONS.get(recorded.lower().replace("_", "").replace("-", ""), recorded)
    called = any(isinstance(part, ToolCall) for part in turn.parts)
    return "tool_call" if called else _UNKNOWN


def _decoded(value: Any) -> Any:
    """Return the object in a serialised one, as the conventions ask of arguments and results."""
    if not isinstance(value, str) or not value.lstrip().startswith("{"):
        return value
    try:
        decoded = msgspec.json.decode(value)
    except (ValueError, RecursionError):
        return value
    return decoded if isinstance(decoded, dict) else value  # pyright: ignore[reportUnknownVariableType] - any JSON object
