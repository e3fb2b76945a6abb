"""Exact search: any substring, read from the archive itself, newest first.

Takes a text; gives the turns that hold it letter by letter, tool outputs and all. It compares
bytes of JSON before it decodes anything: some 200 MB a second, of the turns that `trigrams` says
may hold the text, or of all; less where enough is found among the newest.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from dejavu.model import Conversation, Text, Turn

from .. import conversations as heads
from .. import raw, turns
from ..backends.backend import Environment
from ..backends.transaction import Reader
from ..records import from_text, to_text
from .indexer import head_of

_PAGE = 16
_HEADS = 256  # read at a time


Runs = Mapping[int, Sequence[tuple[int, int | None]]]
"""By a conversation's number, turns from a first one up to another (None: the end)."""

Found = tuple[Conversation, Turn, str]
"""A conversation, a turn, and the piece of it that holds the text."""


def containing(environment: Environment, text: str, listed: heads.Filter) -> Iterator[Found]:
    """The turns that hold `text`, last ones first; all are read."""
    resume: bytes | None = None
    while True:
        page, resume = environment.read(
            partial(heads.page, wanted=listed, resume=resume, most=_PAGE)
        )
        for conversation in page:
            head = environment.read(partial(heads.find, conversation=conversation.id))
            if head is not None:
                stop = head.first + heads.conversation_of(head).turn_count
                blocks = _blocks(environment, head.number, head.first, stop)
                yield from _matching(conversation, blocks, text)
        if resume is None:
            return


def within(
    environment: Environment, text: str, listed: heads.Filter, runs: Runs
) -> Iterator[Found]:
    """The turns of `runs` that hold `text`, last ones first; only these are read."""
    numbers = list(runs)
    held: list[tuple[float, int, Conversation, int]] = []
    for low in range(0, len(numbers), _HEADS):
        held += environment.read(
            partial(_listed, numbers=numbers[low : low + _HEADS], listed=listed)
        )
    held.sort(key=lambda one: one[:2], reverse=True)
    for _, number, conversation, end in held:
        for first, stop in sorted(runs[number], reverse=True):
            stop = end if stop is None else min(stop, end)
            yield from _matching(conversation, _blocks(environment, number, first, stop), text)


def _listed(
    txn: Reader, numbers: Sequence[int], listed: heads.Filter
) -> list[tuple[float, int, Conversation, int]]:
    """Last moment, number, head and end of those conversations that are asked for."""
    found: list[tuple[float, int, Conversation, int]] = []
    for number in numbers:
        head = head_of(txn, number)
        if head is None:
            continue
        conversation = heads.conversation_of(head)
        if heads.fits(conversation, listed):
            end = head.first + conversation.turn_count
            found.append((heads.last_moment(conversation) or 0.0, number, conversation, end))
    return found


def _matching(
    conversation: Conversation, blocks: Iterable[list[bytes]], text: str
) -> Iterator[Found]:
    """The turns of the blocks that hold `text`, last ones first."""
    needle = to_text(text)[1:-1]
    for block in blocks:
        for data in reversed(block):
            if needle not in data:
                continue
            turn = from_text(data, Turn)
            piece = next((piece for piece in pieces(turn) if text in piece), None)
            if piece is not None:
                yield conversation, turn, piece


def pieces(turn: Turn) -> Iterator[str]:
    """Every text of a turn, whole: what was said first, then what tools were given and gave."""
    for part in turn.parts:
        if isinstance(part, Text):
            yield part.content
    for part in turn.parts:
        if not isinstance(part, Text):
            yield from _strings([getattr(part, name) for name in part.__struct_fields__])


def _strings(value: Any) -> Iterator[str]:
    """The strings in a JSON value, in order, however deep."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting += reversed(list(item.values()))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] - any JSON
        elif isinstance(item, list | tuple):
            waiting += reversed(item)  # pyright: ignore[reportUnknownArgumentType] - any JSON


def _blocks(environment: Environment, number: int, first: int, stop: int) -> Iterator[list[bytes]]:
    """The texts of turns `first` to `stop`, the last block first, each in a transaction."""
    while stop > first:
        found = environment.read(partial(_last, number=number, stop=stop))
        if found is None:
            return
        low, texts = found
        yield texts[max(0, first - low) : stop - low]
        stop = low


def _last(txn: Reader, number: int, stop: int) -> tuple[int, list[bytes]] | None:
    return next(turns.read_blocks(txn, number, stop - 1, stop, raw.Chunks()), None)
