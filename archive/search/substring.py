"""Exact search: any substring, read from the archive itself, newest first.

Tool outputs are read whole. It compares bytes of JSON before it decodes anything: some 200 MB a
second, of the turns that `exact_index` says may hold the text, or of all; less where enough is found
among the newest.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from dejavu.model import Conversation, ConversationFilter, Text, Turn
from dejavu.model.json_values import strings_in

from .. import conversations, raw, turns
from ..backends.backend import Backend
from ..backends.transaction import Reader
from ..records import from_text, to_text
from .indexer import record_of

_PAGE = 16
_HEADS = 256  # read at a time
_AT_ONCE = 16  # conversations whose turns are fetched at once from a store far away


Runs = Mapping[int, Sequence[tuple[int, int | None]]]
"""By a conversation's number, turns from a first one up to another (None: the end)."""

MatchingText = tuple[Conversation, Turn, str]
"""A conversation, a turn, and the piece of it that holds the text."""


Find = Callable[[str], tuple[int, int] | None]
"""Where in a text a match is."""


def scan_all(
    backend: Backend, text: str, listed: ConversationFilter, find: Find | None = None
) -> Iterator[MatchingText]:
    """The turns that hold `text`, last ones first; all are read.

    With `find`, `text` is what a turn must hold for `find` to be worth a try; it may be empty.
    """
    resume: bytes | None = None
    chunks = _chunks()
    while True:
        page, resume = backend.read(
            partial(conversations.page, wanted=listed, resume=resume, most=_PAGE)
        )
        for conversation in page:
            record = backend.read(partial(conversations.find, conversation=conversation.id))
            if record is not None:
                stop = record.first + conversations.summary_of(record).turn_count
                blocks = _blocks(backend, conversation, record.number, record.first, stop, chunks)
                yield from _matching(conversation, blocks, text, find)
        if resume is None:
            return


def scan_candidates(
    backend: Backend, text: str, listed: ConversationFilter, runs: Runs, find: Find | None = None
) -> Iterator[MatchingText]:
    """As `scan_all`, of the turns of `runs`; only these are read."""
    numbers = list(runs)
    candidates: list[tuple[float, int, Conversation, int]] = []
    for low in range(0, len(numbers), _HEADS):
        candidates += backend.read(
            partial(_listed, numbers=numbers[low : low + _HEADS], listed=listed)
        )
    candidates.sort(key=lambda candidate: candidate[:2], reverse=True)
    chunks = _chunks()
    for position, (_, number, conversation, end) in enumerate(candidates):
        if not position % _AT_ONCE:
            backend.read(partial(_expect, runs=runs, candidates=candidates[position:][:_AT_ONCE]))
        for first, stop in sorted(runs[number], reverse=True):
            stop = end if stop is None else min(stop, end)
            blocks = _blocks(backend, conversation, number, first, stop, chunks)
            yield from _matching(conversation, blocks, text, find)


def _expect(
    txn: Reader, runs: Runs, candidates: Sequence[tuple[float, int, Conversation, int]]
) -> None:
    """A hint at the turns of some candidates that will be read, as far as they are one screen."""
    spans = [
        (number, first, end if stop is None else min(stop, end))
        for _, number, _, end in candidates
        for first, stop in runs[number]
    ]
    turns.expect(txn, [span for span in spans if 0 < span[2] - span[1] <= turns.FAR_TURNS])


def _listed(
    txn: Reader, numbers: Sequence[int], listed: ConversationFilter
) -> list[tuple[float, int, Conversation, int]]:
    """Last timestamp, number, summary and end of those conversations that are asked for."""
    txn.expect_conversations(numbers)
    candidates: list[tuple[float, int, Conversation, int]] = []
    for number in numbers:
        record = record_of(txn, number)
        if record is None:
            continue
        conversation = conversations.summary_of(record)
        if conversations.fits(conversation, listed):
            end = record.first + conversation.turn_count
            candidates.append(
                (conversations.last_timestamp(conversation) or 0.0, number, conversation, end)
            )
    return candidates


def _matching(
    conversation: Conversation, blocks: Iterable[list[bytes]], text: str, find: Find | None
) -> Iterator[MatchingText]:
    """The turns of the blocks that hold `text`, last ones first."""
    needle = to_text(text)[1:-1]
    for block in blocks:
        for data in reversed(block):
            if needle not in data:
                continue
            turn = from_text(data, Turn)
            held = (piece for piece in pieces(turn) if text in piece)
            piece = next((one for one in held if find is None or find(one)), None)
            if piece is not None:
                yield conversation, turn, piece


def pieces(turn: Turn) -> Iterator[str]:
    """Every text of a turn, whole: what was said first, then what tools were given and gave."""
    for part in turn.parts:
        if isinstance(part, Text):
            yield part.content
    for part in turn.parts:
        if not isinstance(part, Text):
            for name in part.__struct_fields__:
                yield from strings_in(getattr(part, name))


def _chunks() -> raw.Chunks:
    """For turns that are read from the end: what is first unpacked of a chunk has the rest."""
    return raw.Chunks(lasting=True, scattered=True)


def _blocks(
    backend: Backend,
    conversation: Conversation,
    number: int,
    first: int,
    stop: int,
    chunks: raw.Chunks,
) -> Iterator[list[bytes]]:
    """The texts of turns `first` to `stop`, the last block first, each in a transaction."""
    while stop > first:
        with conversations.naming(conversation.id):
            block = backend.read(partial(_last, number=number, stop=stop, chunks=chunks))
        if block is None:
            return
        low, texts = block
        yield texts[max(0, first - low) : stop - low]
        stop = low


def _last(
    txn: Reader, number: int, stop: int, chunks: raw.Chunks
) -> tuple[int, list[bytes]] | None:
    return next(turns.read_blocks(txn, number, stop - 1, stop, chunks), None)
