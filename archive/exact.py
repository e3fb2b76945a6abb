"""Exact search: any substring, read from the archive itself, newest first.

Takes a text; gives the turns that hold it letter by letter, tool outputs and all. It compares
bytes of JSON before it decodes anything. Costs O(archive) at some 200 MB a second, less where
enough is found among the newest.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from dejavu.record import Conversation, Text, Turn

from . import heads, raw, turns
from .environment import Environment
from .records import from_text, to_text
from .transaction import Reader

_PAGE = 16


def containing(
    environment: Environment, text: str, listed: heads.Filter
) -> Iterator[tuple[Conversation, Turn, str]]:
    """(conversation, turn, the piece of it that holds `text`), last turns first."""
    needle = to_text(text)[1:-1]
    resume: bytes | None = None
    while True:
        page, resume = environment.read(
            partial(heads.page, wanted=listed, resume=resume, most=_PAGE)
        )
        for conversation in page:
            for block in _blocks(environment, conversation):
                for data in reversed(block):
                    if needle not in data:
                        continue
                    turn = from_text(data, Turn)
                    piece = next((piece for piece in pieces(turn) if text in piece), None)
                    if piece is not None:
                        yield conversation, turn, piece
        if resume is None:
            return


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


def _blocks(environment: Environment, conversation: Conversation) -> Iterator[list[bytes]]:
    """The blocks of a conversation, last first, each in its own short transaction."""
    head = environment.read(lambda txn: heads.find(txn, conversation.id))
    if head is None:
        return
    stop = head.first + heads.conversation_of(head).turn_count
    while stop > head.first:
        found = environment.read(partial(_last, number=head.number, stop=stop))
        if found is None:
            return
        first, texts = found
        yield texts[: stop - first]
        stop = first


def _last(txn: Reader, number: int, stop: int) -> tuple[int, list[bytes]] | None:
    return next(turns.read_blocks(txn, number, stop - 1, stop, raw.Chunks()), None)
