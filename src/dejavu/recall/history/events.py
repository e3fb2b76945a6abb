"""Events: a turn as what happened in it, at four resolutions.

A prompt, a reasoning, a text, a tool call or a tool result, each as a summary (about 160
characters), an excerpt (300 to 600), a search text (up to 2,000) and the full payload. Derived
from the turn alone, so they can be rebuilt at any time. Does no I/O. Costs O(text).
"""

import json
import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from dejavu.model import (
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    part_to_dict,
)
from dejavu.model.json_values import strings_in

SUMMARY = 160
SEARCH = 2_000
_TAIL = 500  # of the search text: what a long text ends with is often its conclusion


_OURS = "<memory-context nonce="
_BLOCK = re.compile(
    r'<memory-context nonce="([0-9a-f]{16,64})">.*?(?:\[end of quoted records \1\]\s*</memory-context>|\Z)',
    re.DOTALL,
)


class Kind(StrEnum):
    """What an event is."""

    PROMPT = "user_prompt"
    REASONING = "assistant_reasoning"
    TEXT = "assistant_text"
    CALL = "tool_call"
    RESULT = "tool_result"
    NOTE = "system_note"
    RATIONALE = "turn_rationale"


EXCERPT = {
    Kind.PROMPT: 600, Kind.TEXT: 600, Kind.REASONING: 400, Kind.CALL: 300, Kind.RESULT: 300,
    Kind.NOTE: 300, Kind.RATIONALE: 600,
}  # fmt: skip
_OF_ROLE = {Role.USER: Kind.PROMPT, Role.ASSISTANT: Kind.TEXT, Role.TOOL: Kind.RESULT}


class Event(NamedTuple):
    """One event of a turn: `seq` is the turn's, `place` its own among the turn's parts."""

    seq: int
    place: int
    kind: Kind
    at: float | None
    text: str
    part: Part

    @property
    def summary(self) -> str:
        """About 160 characters on one line."""
        return clipped(" ".join(self.text.split()), SUMMARY)

    @property
    def excerpt(self) -> str:
        """300 to 600 characters, by kind."""
        return clipped(self.text.strip(), EXCERPT[self.kind])

    @property
    def search(self) -> str:
        """Up to 2,000 characters: the beginning, and the end of what is longer."""
        if len(self.text) <= SEARCH:
            return self.text
        return f"{self.text[: SEARCH - _TAIL]}\n{self.text[-_TAIL + 1 :]}"

    @property
    def payload(self) -> str:
        """All of it, as JSON."""
        return json.dumps(part_to_dict(self.part), ensure_ascii=False)


def events(turn: Turn) -> Iterator[Event]:
    """The events of a turn, in order; parts that say nothing are left out."""
    for place, part in enumerate(turn.parts):
        kind, text = _told(part, turn.role)
        if _OURS in text:
            text = _BLOCK.sub("", text)  # what we put before a prompt was not said by anybody
        if text and not text.isspace():
            yield Event(turn.seq, place, kind, turn.at, text, part)


def clipped(text: str, most: int) -> str:
    """`text`, cut at a word and ended with `…` where it is longer than `most`."""
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    space = cut.rfind(" ", most // 2)
    return (cut[:space] if space > 0 else cut) + "…"


def _told(part: Part, role: Role) -> tuple[Kind, str]:
    if isinstance(part, Text):
        return _OF_ROLE.get(role, Kind.NOTE), part.content
    if isinstance(part, Reasoning):
        return Kind.REASONING, part.content
    if isinstance(part, ToolCall):
        return Kind.CALL, " ".join((part.name, *strings_in(part.arguments)))
    if isinstance(part, ToolCallResponse):
        response = part.response
        return (
            Kind.RESULT,
            response if isinstance(response, str) else " ".join(strings_in(response)),
        )
    return Kind.NOTE, ""
