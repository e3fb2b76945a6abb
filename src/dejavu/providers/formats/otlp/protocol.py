"""Parsers of telemetry: an agent's OTLP export requests, one a line of a spool, as turns.

Prompts and texts are in an export only where the agent was told to log them; a text that it says is
withheld is no turn. Receiving requests is a service's business (`extensions.otlp`).
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from dejavu.model import Span, Text, ToolCallResponse, Usage, Vector

from ...conversation_builder import ConversationBuilder
from ...parsing import facts_of
from ...protocol import Source
from ..json_lines import UNREADABLE, as_dict, as_int, as_str, decode_lenient
from ..streams.jsonl import LineParser
from ..streams.partial_message import Answer
from .export import OtlpEvent, body_of, events

WITHHELD = frozenset({"<REDACTED>", "[REDACTED]", "REDACTED", "redacted"})
"""What agents write in the place of a text that they were not told to log."""
_SLACK = 64  # turns that stay open: spans come later than the logs they complete
_KEPT = 256


class TelemetryParser(LineParser):
    """Turns from events. Subclasses give `prefix`, `session` and `event`."""

    vector = Vector.OTLP
    prefix = ""
    """What the names of this agent's events begin with."""

    def memory(self) -> dict[str, Any]:
        """What must be remembered between feeds."""
        return {**super().memory(), "calls": self._calls}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse of `memory`."""
        super().remember(memory)
        self._calls: list[str] = memory.get("calls", [])
        """Calls whose results are told, so that none is given twice."""

    def record(self, line: memoryview, span: Span) -> None:
        """Take one line."""
        value = as_dict(decode_lenient(line))
        body = body_of(value)
        if body is None:
            self.drift[UNREADABLE] += 1
            return
        for event in events(body):
            if not self.event(event, event.attributes, span) and event.name:
                self.drift[event.name[:200]] += 1

    @abstractmethod
    def event(self, event: OtlpEvent, facts: dict[str, Any], span: Span) -> bool:
        """Take one event; False if it is not known."""

    # -- for subclasses ------------------------------------------------------------------------

    def prompt(self, content: Any, span: Span, event: OtlpEvent, **fields: Any) -> None:
        """A prompt, if it was logged."""
        if as_str(content) and content not in WITHHELD:
            self.add_prompt([Text(as_str(content))], span, at=event.at, **fields)

    def fresh(self, span: Span, event: OtlpEvent, sub: str | None = None, **fields: Any) -> Answer:
        """A new answer: each event of this kind is its own response."""
        self.end_answer(sub)
        return self.answer(span, None, sub, at=event.at, **fields)

    def is_repeated_result(self, call: str) -> bool:
        """Whether the result of this call was told before; from now on it was."""
        if call in self._calls:
            return True
        self._calls = [*self._calls, call][-_KEPT:]
        return False

    def amend_result(self, call: str, output: Any) -> bool:
        """Put what a tool gave into its turn, if that is still open and has nothing yet."""
        thread = self.threads.get(self._main)
        for seq in range(len(thread) - 1, -1, -1) if thread is not None else ():
            turn = thread.get(seq) if thread is not None else None
            if thread is None or turn is None:
                break
            for index, part in enumerate(turn.parts):
                if isinstance(part, ToolCallResponse) and part.id == call:
                    if part.response is None:
                        filled = ToolCallResponse(call, output, part.is_error)
                        parts = (*turn.parts[:index], filled, *turn.parts[index + 1 :])
                        thread.replace(seq, replace(turn, parts=parts))
                    return True
        return False

    def _settle(self, key: str, thread: ConversationBuilder, seq: int) -> None:
        super()._settle(key, thread, max(0, seq - _SLACK))


def tokens(facts: dict[str, Any], *names: str) -> Usage | None:
    """Usage from attributes: names of input, output, cached, written, reasoning and cost.

    An empty name is one that the agent does not say. Input includes what came from the cache.
    """
    counts = [as_int(_number(facts.get(name))) if name else None for name in names[:5]]
    if not any(counts[:2]):
        return None
    cost = _number(facts.get(names[5])) if len(names) > 5 else None
    return Usage(
        input_tokens=counts[0],
        output_tokens=counts[1],
        cache_read_input_tokens=counts[2],
        cache_creation_input_tokens=counts[3],
        reasoning_output_tokens=counts[4],
        cost=cost,
    )


def _number(value: Any) -> float | None:
    try:
        return None if value is None or isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return None


@dataclass(frozen=True, slots=True)
class Telemetry:
    """One agent's telemetry."""

    agent: str
    parser_class: type[TelemetryParser]
    services: tuple[str, ...]
    """What the agent calls itself in `service.name`."""

    def parser(
        self, source: Source, state: bytes | None = None, *, restart: bool = False
    ) -> TelemetryParser:
        """A parser at the start of a spool, or where `state` left off.

        Raises:
            StaleStateError: another version of the parser wrote `state`; parse the raw again.
        """
        parser = self.parser_class(source, {} if state is None else facts_of(state))
        if state is not None and not restart:
            parser.resume(state)
        return parser
