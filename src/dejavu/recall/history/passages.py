"""Exchanges as passages: what is indexed, ranked and embedded.

An exchange is a prompt with everything up to the next one: what was answered, called and shown.
It is one passage, or several where it is long; each of those begins with its prompt, because the
later part of an answer seldom repeats what it answers. What was said and what tools did are kept
apart, so that a page of output does not drown a sentence. Does no I/O. Costs O(text).

Tested in: tests/recall/history/test_index.py
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from dejavu.model import Role, ToolCall, Turn

from .entities import files
from .events import Event, Kind, events

SPOKEN = (Kind.PROMPT, Kind.TEXT, Kind.RATIONALE)
_LENGTH = 3_000  # characters of what was said in a passage
_TOOL_LENGTH = 8_000  # characters of what tools did in a passage
_PROMPT = 600  # characters of the prompt that every later passage begins with
_BEFORE = 300  # characters of the prompt before, and of its answer
_LONGEST = 60_000  # characters of one text that are looked at
_FILES = 8  # files of one call that are looked at


class ExchangeStart(NamedTuple):
    """Where an exchange begins: its number in the conversation, its first turn, its prompt.

    `before` is what the exchange before it was about: "and where do we store them?" needs that.
    """

    ordinal: int = 0
    seq: int = 0
    prompt: str = ""
    before: str = ""


class Passage(msgspec.Struct):
    """The turns `seq` to `stop` (inclusive) of the exchange that begins at turn `exchange`."""

    ordinal: int
    exchange: int
    seq: int
    stop: int
    at: float | None = None
    before: str = ""
    prompt: str = ""
    answer: int = 0
    spoken: list[str] = msgspec.field(default_factory=list[str])
    tools: list[str] = msgspec.field(default_factory=list[str])
    files: set[str] = msgspec.field(default_factory=set[str])
    size: int = 0
    tool_size: int = 0

    @property
    def text(self) -> str:
        """What was said in it, its prompt first."""
        return "\n".join(self.spoken)


def begins_exchange(turn: Turn) -> bool:
    """Whether a turn is a prompt."""
    return turn.role is Role.USER and bool(turn.text.strip())


def passages(
    turns: Iterable[Turn], start: ExchangeStart, rationales: Mapping[int, Event] | None = None
) -> Iterator[Passage]:
    """Yield the passages of turns in order.

    start: the exchange that turns before the first prompt of `turns` belong to.
    rationales: by turn, why it was done; part of what was said.
    """
    current: Passage | None = None
    subject = start.before
    for turn in turns:
        prompts = begins_exchange(turn)
        if prompts:
            start = ExchangeStart(start.ordinal + 1, turn.seq, turn.text, subject)
            subject = ""
        subject = subject or about(turn, start.prompt)
        pieces = _pieces(turn, (rationales or {}).get(turn.seq))
        if not pieces.spoken and not pieces.tools:
            continue
        full = current is not None and (
            current.size + pieces.size > _LENGTH
            or current.tool_size + pieces.tool_size > _TOOL_LENGTH
        )
        if current is not None and (prompts or full or pieces.size > _LENGTH):
            yield current
            current = None
        if pieces.size > _LENGTH:  # separate passages: none shares a turn with another's
            yield from _long(turn, start, pieces)
            continue
        if current is None:
            current = _begin(turn, start)
        _extend(current, turn, pieces)
    if current is not None:
        yield current


def indexed_text(event: Event) -> str:
    """What is searched of an event: all that was said, and the two ends of long output."""
    return event.text[:_LONGEST] if event.kind in SPOKEN else event.search


def about(turn: Turn, prompt: str) -> str:
    """What an exchange is about, by its prompt and its first answer; empty for other turns."""
    if turn.role is not Role.ASSISTANT or not turn.text.strip():
        return ""
    return f"{prompt[:_BEFORE]}\n{turn.text[:_BEFORE]}"


def _pieces(turn: Turn, rationale: Event | None) -> Passage:
    """What a turn says and does, as a separate passage without its prompt."""
    found = Passage(0, 0, turn.seq, turn.seq, turn.at)
    for event in (*events(turn), *((rationale,) if rationale else ())):
        text = indexed_text(event)
        if event.kind in SPOKEN:
            found.spoken.append(text)
            found.size += len(text)
            if event.kind is not Kind.PROMPT:
                found.answer = max(found.answer, len(text))
        else:
            found.tools.append(text)
            found.tool_size += len(text)
        if isinstance(event.part, ToolCall):
            found.files.update(files(event.part.arguments)[:_FILES])
    return found


def _begin(turn: Turn, start: ExchangeStart) -> Passage:
    """A passage that begins at `turn`; with the prompt, where that is not its own turn."""
    passage = Passage(
        start.ordinal, start.seq, turn.seq, turn.seq, turn.at, start.before, start.prompt
    )
    if start.prompt and turn.seq != start.seq:
        passage.spoken.append(start.prompt[:_PROMPT])
    return passage


def _extend(passage: Passage, turn: Turn, pieces: Passage) -> None:
    passage.stop = turn.seq
    passage.at = turn.at if turn.at is not None else passage.at
    passage.spoken += pieces.spoken
    passage.tools += pieces.tools
    passage.files |= pieces.files
    passage.size += pieces.size
    passage.tool_size += pieces.tool_size
    passage.answer = max(passage.answer, pieces.answer)


def _long(turn: Turn, start: ExchangeStart, pieces: Passage) -> Iterator[Passage]:
    """The passages of a turn that is too long for one: cut at a word, the tools in the first."""
    text, first = "\n".join(pieces.spoken), True
    while text:
        cut = len(text) if len(text) <= _LENGTH else text.rfind(" ", _LENGTH // 2, _LENGTH)
        cut = cut if cut > 0 else _LENGTH
        passage = _begin(turn, start)
        if not first and turn.seq == start.seq:
            passage.spoken.append(start.prompt[:_PROMPT])
        passage.spoken.append(text[:cut])
        if first:
            passage.tools, passage.files = pieces.tools, pieces.files
        passage.answer = pieces.answer
        yield passage
        text, first = text[cut:], False
