"""A conversation as OpenTelemetry traces, in OTLP's JSON encoding.

Takes a conversation; gives an `ExportTraceServiceRequest` as plain JSON values. The names are those
of the OpenTelemetry semantic conventions for generative AI as they stood on 2026-11-21: the
development version after v1.41.0 (repository semantic-conventions-genai at 024a4f9,
`client-inference.md`, `gen-ai-agent-spans.md`, `migration.md`), message schema included.

* A prompt and all that followed from it is one trace: `invoke_agent`, and under it a `chat` span
  for each answer of the model and an `execute_tool` span for each tool call. What came before the
  first prompt is a trace of its own. `gen_ai.conversation.id` holds them together.
* Ids are made from the conversation's id and the turn's `seq`: sending twice changes nothing.
* `gen_ai.input.messages` of a `chat` span are those since the model last spoke; the ones before are
  in the spans before, for a history in every span would cost O(turns squared). Messages, arguments
  and results are JSON strings, which every receiver can hold.
* Usage stands on `chat` spans only, so that nothing is counted twice. The number of tokens written
  to the cache is said under its present name and the one v1.41.0 had.
* Agents note when a turn was finished: a span begins where the turn before it ended.

Costs O(turns).
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from dejavu.model import (
    Blob,
    Conversation,
    Part,
    Role,
    ToolCall,
    ToolCallResponse,
    Turn,
    part_to_dict,
)

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
_USAGE = (
    ("gen_ai.usage.input_tokens", "input_tokens"),
    ("gen_ai.usage.output_tokens", "output_tokens"),
    ("gen_ai.usage.cache_read.input_tokens", "cache_read_input_tokens"),
    ("gen_ai.usage.cache_write.input_tokens", "cache_creation_input_tokens"),
    ("gen_ai.usage.cache_creation.input_tokens", "cache_creation_input_tokens"),
    ("gen_ai.usage.reasoning.output_tokens", "reasoning_output_tokens"),
    ("dejavu.usage.cost", "cost"),
)


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
    clock = conversation.started_at or 0.0
    for turn in conversation.turns:
        if exchange and turn.role is Role.USER and turn.text and exchange[-1].role is not Role.USER:
            yield from _Exchange(conversation, exchange, clock).spans()
            clock = _ended(exchange, clock)
            exchange = []
        exchange.append(turn)
    if exchange:
        yield from _Exchange(conversation, exchange, clock).spans()


class _Exchange:
    """One prompt and what followed, as one trace."""

    def __init__(self, conversation: Conversation, turns: list[Turn], clock: float) -> None:
        self.conversation = conversation
        self.turns = turns
        self.began = turns[0].at if turns[0].at is not None else clock
        self.trace = identity(16, conversation.id, "trace", turns[0].seq)
        self.root = identity(8, conversation.id, "turn", turns[0].seq)
        self.answers = _answers(turns, self.began)

    def spans(self) -> Iterator[dict[str, Any]]:
        """The agent's span, then those of its model and tools, in order."""
        yield self._agent()
        clock = self.began
        heard: list[Turn] = []
        for turn in self.turns:
            at = turn.at if turn.at is not None else clock
            if turn.role is Role.ASSISTANT:
                yield self._inference(turn, heard, clock, at)
                heard = []
                yield from self._tools(turn, at)
            else:
                heard.append(turn)
            clock = max(clock, at)

    def _agent(self) -> dict[str, Any]:
        prompts = [turn for turn in self.turns if turn.role is Role.USER and turn.text]
        answers = [turn for turn in self.turns if turn.role is Role.ASSISTANT and turn.text]
        models = {turn.model for turn in self.turns if turn.model}
        return self._span(
            f"invoke_agent {self.conversation.agent}",
            self.root,
            (self.began, _ended(self.turns, self.began)),
            {
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.agent.name": self.conversation.agent,
                "gen_ai.request.model": models.pop() if len(models) == 1 else None,
                "gen_ai.input.messages": _messages(prompts),
                "gen_ai.output.messages": _messages(answers[-1:]),
                "dejavu.conversation.parent": self.conversation.parent,
                "dejavu.conversation.relation": self.conversation.relation,
                "dejavu.turn.seq": self.turns[0].seq,
                "dejavu.turn.vector": self.turns[0].vector,
            },
        )

    def _inference(
        self, turn: Turn, heard: list[Turn], begun: float, ended: float
    ) -> dict[str, Any]:
        reason = turn.meta.get("stop_reason") or turn.meta.get("finish_reason")
        usage = {} if turn.usage is None else msgspec.structs.asdict(turn.usage)
        return self._span(
            f"chat {turn.model}" if turn.model else "chat",
            identity(8, self.conversation.id, "chat", turn.seq),
            (begun, ended),
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.request.model": turn.model,
                "gen_ai.response.model": turn.model,
                "gen_ai.response.finish_reasons": [str(reason)] if reason else None,
                "gen_ai.input.messages": _messages(heard),
                "gen_ai.output.messages": _messages([turn]),
                **{name: usage.get(field) for name, field in _USAGE},
                "dejavu.turn.seq": turn.seq,
                "dejavu.turn.vector": turn.vector,
                "dejavu.turn.native_id": turn.native_id,
            },
            kind=_CLIENT,
            model=turn.model,
        )

    def _tools(self, turn: Turn, begun: float) -> Iterator[dict[str, Any]]:
        calls = (part for part in turn.parts if isinstance(part, ToolCall))
        for number, call in enumerate(calls):
            answer, ended = self.answers.get((turn.seq, number), (None, begun))
            failed = answer is not None and answer.is_error
            yield self._span(
                f"execute_tool {call.name}",
                identity(8, self.conversation.id, "tool", turn.seq, number),
                (begun, ended),
                {
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": call.name,
                    "gen_ai.tool.type": "function",
                    "gen_ai.tool.call.id": call.id,
                    "gen_ai.tool.call.arguments": json_string(call.arguments),
                    "gen_ai.tool.call.result": (
                        None if answer is None else json_string(answer.response)
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
        lasted: tuple[float, float],
        said: Mapping[str, Value],
        *,
        kind: int = _INTERNAL,
        model: str | None = None,
        failed: bool = False,
    ) -> dict[str, Any]:
        common: dict[str, Value] = {"gen_ai.conversation.id": self.conversation.id}
        if not name.startswith("execute_tool"):
            common["gen_ai.provider.name"] = _provider(model, self.conversation.agent)
        begun, ended = map(nanoseconds, lasted)
        return {
            "traceId": self.trace,
            "spanId": identity,
            **({} if identity == self.root else {"parentSpanId": self.root}),
            "name": clean(name),
            "kind": kind,
            "startTimeUnixNano": str(begun),
            "endTimeUnixNano": str(max(begun, ended)),
            "attributes": attributes({**said, **common}),
            **({"status": _ERROR} if failed else {}),
        }


_Call = tuple[int, int]
"""The seq of a call's turn, and which of the turn's calls it is."""


def _answers(turns: list[Turn], begun: float) -> dict[_Call, tuple[ToolCallResponse, float]]:
    """What came back for each call, and when.

    An answer belongs to the last call of its id (ids come again in some agents); one without an
    id belongs to the first call without one that still waits.
    """
    found: dict[_Call, tuple[ToolCallResponse, float]] = {}
    waiting: dict[str | None, list[_Call]] = {}
    clock = begun
    for turn in turns:
        clock = turn.at if turn.at is not None else clock
        number = 0
        for part in turn.parts:
            if isinstance(part, ToolCall):
                waiting.setdefault(part.id, []).append((turn.seq, number))
                number += 1
            elif isinstance(part, ToolCallResponse) and waiting.get(part.id):
                calls = waiting[part.id]
                found[calls.pop(0 if part.id is None else -1)] = (part, clock)
    return found


def _ended(turns: list[Turn], begun: float) -> float:
    return max((turn.at for turn in turns if turn.at is not None), default=begun)


def _provider(model: str | None, agent: str) -> str:
    for name in ((model or "").rpartition("/")[2].lower(), agent.lower()):
        for provider, *beginnings in _PROVIDERS:
            if name.startswith(tuple(beginnings)):
                return provider
    return agent


def _messages(turns: list[Turn]) -> str | None:
    said = [
        {"role": str(turn.role), "parts": [_part(part) for part in turn.parts]} for turn in turns
    ]
    return json_string(said) if said else None


def _part(part: Part) -> dict[str, Any]:
    plain = part_to_dict(part)
    if isinstance(part, Blob):  # the schema requires it, though it is our default
        plain["modality"] = part.modality
    return plain
