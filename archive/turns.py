"""Turns in blocks of up to 64 (or about 24 KiB), leaning on the raw bytes they were parsed from.

Turns are read back as JSON texts, by seq. A block is compressed with the bytes of its turns' spans
as prefix, so text that is in raw is stored once. A turn without spans, or whose raw is not
held, is compressed on its own.

Appending costs O(appended + one block); reading O(blocks + their raw).
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from dejavu.model import Conversation, CorruptArchiveError, HiddenTurnsError, Span, Turn

from . import conversations, raw
from .backends.transaction import Reader, Writer, unwrap
from .keys import TABLES, block_key, block_of, number_key
from .raw import Chunks, read
from .records import (
    Block,
    Source,
    SummaryRecord,
    compress,
    compress_parts,
    decompress,
    from_text,
    pack,
    packed_texts,
    spans_of,
    unpack,
    unpack_texts,
    unpack_views,
)

if TYPE_CHECKING:
    from .store import Archive

BLOCK_TURNS = 64
BLOCK_BYTES = 24 << 10  # frames of 32 to 64 KiB would leave more room in LMDB's pages
# More raw than this costs more to load than it saves; what is beyond it is stored on its own.
PREFIX_BYTES = 2 << 20
_LONG = 16 << 20  # texts of a block beyond this are not copied once more
FAR_TURNS = 256
"""Turns that are fetched at once from a store far away, some megabytes at the most."""
_FAR_BYTES = 1 << 20  # of texts, after which no further block is unpacked at once
_FAR_BLOCKS = 48  # whose raw is fetched at once
_NEAR_BYTES = 64 << 10  # as `_FAR_BYTES`, of a store on this machine

Origin = tuple[int, int]  # source number, generation


class EncodedTurn(NamedTuple):
    """A turn's text, and where in its source it is."""

    text: bytes
    spans: Sequence[Span]


def read_blocks(
    txn: Reader, conversation: int, start: int, stop: int | None, chunks: Chunks
) -> Iterator[tuple[int, list[bytes]]]:
    """(first seq, texts) of each block that holds a turn in [start, stop)."""
    # No block begins before turn 0: from there on nothing need be looked up.
    if txn.far and stop is not None and stop - start <= FAR_TURNS:
        edges = block_key(conversation, 0), block_key(conversation, start)
        txn.expect_spans("turns", [(*edges, block_key(conversation, stop))])
    first = _block_at(txn, conversation, start) if start > 0 else None
    last = number_key(conversation + 1) if stop is None else block_key(conversation, stop)
    items = txn.items("turns", first or block_key(conversation, start), last)
    while some := list(islice(items, _FAR_BLOCKS if txn.far else 1)):
        blocks = [(block_of(key)[1], unpack(value, Block)) for key, value in some]
        if txn.far:
            raw.expect(txn, (one for _, block in blocks for one in _raw_of(block)))
        for seq, block in blocks:
            yield seq, _readable_texts(txn, conversation, seq, block, chunks)


def next_texts(
    txn: Reader, conversation: int, start: int, stop: int | None, chunks: Chunks
) -> tuple[int, list[bytes]]:
    """(where they end, texts) of the turns from `start` on: some blocks', from afar `FAR_TURNS`."""
    found: list[bytes] = []
    end, size = start, 0
    if txn.far:
        stop = start + FAR_TURNS if stop is None else min(stop, start + FAR_TURNS)
    for first, texts in read_blocks(txn, conversation, start, stop, chunks):
        if first + len(texts) > start:
            found += texts[max(0, start - first) : None if stop is None else stop - first]
            end = first + len(texts) if stop is None else min(stop, first + len(texts))
            if (size := size + sum(map(len, texts))) > (_FAR_BYTES if txn.far else _NEAR_BYTES):
                break
    return end, found


def read_whole(txn: Reader, conversation: str) -> tuple[Conversation, list[bytes]]:
    """A conversation without its turns, by its id or a unique beginning of it, and their texts.

    Raises:
        NotFoundError: none or several begin with it.
        CorruptArchiveError: a stored value does not match its checksum, or turns are missing.
    """
    record = conversations.require(txn, conversation)
    summary = conversations.summary_of(record)
    with conversations.naming(summary.id):
        texts = read_texts(txn, record.number, 0, None, Chunks())
        if len(texts) != summary.turn_count:
            raise CorruptArchiveError(
                f"{len(texts)} of {summary.turn_count} turns are there; "
                "run `dejavu archive verify --repair`"
            )
    return summary, texts


def stream(archive: "Archive", conversation: str, start: int, stop: int | None) -> Iterator[Turn]:
    """Turns `start` to `stop` in order, some blocks at a time; raises as `Archive.turns`."""
    number = archive.backend.read(lambda txn: conversations.require(txn, conversation).number)
    chunks = Chunks(lasting=True)
    while stop is None or start < stop:

        def look(txn: Reader, start: int = start) -> tuple[int, list[bytes]]:
            with conversations.naming(conversation):
                found = next_texts(txn, number, start, stop, chunks)
                if not found[1]:
                    conversations.expect_none(txn, conversation, start, stop)
                return found

        start, texts = archive.backend.read(look)
        if not texts:
            return
        texts.reverse()
        while texts:  # a text may be of many megabytes: none outlives its turn
            yield from_text(texts.pop(), Turn)


def expect(txn: Reader, wanted: Sequence[tuple[int, int, int]]) -> None:
    """A hint that turns (conversation number, start, stop) will be read, with their summaries.

    For a store far away two round trips, one more where raw leans on raw; nothing for another.
    """
    if not txn.far:
        return
    txn.expect_conversations(number for number, _, _ in wanted)
    spans = [
        (block_key(number, 0), block_key(number, start), block_key(number, stop))
        for number, start, stop in wanted
    ]
    txn.expect_spans("turns", spans)
    ranges: list[tuple[int, int, int, int]] = []
    for low, start, stop in spans:
        for key, value in txn.stored_items("turns", low, stop, reverse=True):
            with suppress(CorruptArchiveError):  # reading it says so
                ranges += _raw_of(unpack(unwrap(TABLES["turns"] + key, value), Block))
            if key <= start:
                break
    raw.expect(txn, ranges)


def _raw_of(block: Block) -> Iterable[tuple[int, int, int, int]]:
    """The ranges of raw (source, generation, offset, length) that a block leans on."""
    ranges = block.ranges if block.source else []
    return [(block.source, block.generation, offset, length) for offset, length in ranges]


def read_texts(
    txn: Reader, conversation: int, start: int, stop: int | None, chunks: Chunks
) -> list[bytes]:
    """The texts of turns [start, stop)."""
    texts: list[bytes] = []
    for first, block in read_blocks(txn, conversation, start, stop, chunks):
        low = max(0, start - first)
        texts += block[low : None if stop is None else max(low, stop - first)]
    return texts


def _readable_texts(
    txn: Reader, conversation: int, seq: int, block: Block, chunks: Chunks
) -> list[bytes]:
    """The texts of a block; where its raw is hidden, as a server shows them.

    Raises:
        HiddenTurnsError: it is to be written again, which takes all of its text; or none are shown.
    """
    try:
        return texts_of(txn, block, chunks)
    except HiddenTurnsError:
        shown = (
            [] if isinstance(txn, Writer) else txn.shown_turns(conversation, seq, seq + block.count)
        )
        if len(shown) != block.count:
            raise
        return shown


def texts_of(txn: Reader, block: Block, chunks: Chunks) -> list[bytes]:
    """The texts of one block.

    Raises:
        CorruptArchiveError: its frame or its raw is damaged.
    """
    texts = unpack_texts(_packed(txn, block, chunks))
    if len(texts) != block.count:
        raise CorruptArchiveError(
            f"a block holds {len(texts)} turns, not {block.count}; run `dejavu archive verify`"
        )
    return texts


def compare(
    txn: Reader, conversation: int, start: int, texts: Sequence[bytes], chunks: Chunks
) -> tuple[int, int]:
    """(turns from `start` on that are `texts`, turns held from `start` on).

    One block in memory at a time; those behind the first difference are only counted.
    """
    same = end = 0
    first = _block_at(txn, conversation, start)
    last = number_key(conversation + 1)
    for key, value in txn.items("turns", first or block_key(conversation, start), last):
        block, seq = unpack(value, Block), block_of(key)[1]
        position, end = max(0, seq - start), seq + block.count - start
        if position > same:
            continue
        stored = unpack_views(_packed(txn, block, chunks))[max(0, start - seq) :]
        for mine, theirs in zip(texts[position:], stored, strict=False):
            if mine != theirs:
                break
            same += 1
    return same, max(0, end)


def _packed(txn: Reader, block: Block, chunks: Chunks) -> bytes:
    origin = (block.source, block.generation)
    prefix = _prefix(txn, origin, block.ranges, chunks) if block.source else b""
    try:
        return decompress(block.frame, prefix)
    except CorruptArchiveError:
        raw.refuse_hidden(txn, block.source)
        raise


def replace(
    txn: Writer,
    conversation: int,
    start: int,
    pieces: Sequence[EncodedTurn],
    source: Source | None,
    chunks: Chunks,
) -> None:
    """Make `pieces` the turns from `start` on; what was there from `start` on goes."""
    origin: Origin = (0, 0) if source is None else (source.number, source.generation)
    pending, first = _cut(txn, conversation, start, origin, chunks)
    pending += pieces
    done = 0
    while done < len(pending):
        count = size = 0
        while done + count < len(pending) and count < BLOCK_TURNS and size < BLOCK_BYTES:
            size += len(pending[done + count].text)
            count += 1
        _put(txn, conversation, first + done, pending[done : done + count], origin, chunks)
        done += count


def _cut(
    txn: Writer, conversation: int, start: int, origin: Origin, chunks: Chunks
) -> tuple[list[EncodedTurn], int]:
    """Remove every turn from `start` on; return the texts to be written again before it.

    The last block is opened again if it was cut, or has room and the same origin.
    """
    key = _block_at(txn, conversation, start)
    stop = number_key(conversation + 1)
    for dead, _ in list(txn.stored_items("turns", block_key(conversation, start), stop)):
        txn.delete("turns", dead)
    if key is None or block_of(key)[1] == start:
        key = _block_at(txn, conversation, start - 1) if start else None
    if key is None:
        return [], start
    value = txn.get("turns", key)
    if value is None:
        raise CorruptArchiveError(
            "a block of turns vanished inside a transaction; run `dejavu archive verify`"
        )
    block = unpack(value, Block)
    first = block_of(key)[1]
    block_origin = (block.source, block.generation)
    whole = first + block.count <= start
    full = block.count >= BLOCK_TURNS or block.size >= BLOCK_BYTES
    if whole and (full or block_origin != origin):
        return [], start
    texts = texts_of(txn, block, chunks)[: start - first]
    pieces = [EncodedTurn(text, spans_of(text)) for text in texts]
    txn.delete("turns", key)
    if block_origin == origin:
        return pieces, first
    _put(txn, conversation, first, pieces, block_origin, chunks)
    return [], start


def _block_at(txn: Reader, conversation: int, seq: int) -> bytes | None:
    """The key of the last block that begins at or before `seq`."""
    low, high = block_key(conversation, 0), block_key(conversation, seq + 1)
    return next((key for key, _ in txn.stored_items("turns", low, high, reverse=True)), None)


def _put(
    txn: Writer,
    conversation: int,
    first: int,
    pieces: list[EncodedTurn],
    origin: Origin,
    chunks: Chunks,
) -> None:
    ranges, prefix = list[tuple[int, int]](), b""
    if origin[0]:
        ranges = raw.joined([span for piece in pieces for span in piece.spans], PREFIX_BYTES)
        # Only what is held now: raw may grow, and the prefix must stay what it was.
        prefix_pieces = [
            (offset, read(txn, *origin, offset, length, chunks)) for offset, length in ranges
        ]
        ranges = [(offset, len(piece)) for offset, piece in prefix_pieces]
        prefix = b"".join(piece for _, piece in prefix_pieces)
    texts = [piece.text for piece in pieces]
    if sum(map(len, texts)) >= _LONG:  # leaning on its raw would not pay: see PREFIX_BYTES
        ranges, origin = [], (0, 0)
        frame = compress_parts(packed_texts(texts))
    else:
        frame = compress(pack(texts), prefix)
    block = Block(len(texts), sum(map(len, texts)), *origin, ranges, frame)
    txn.put("turns", block_key(conversation, first), pack(block))


def _prefix(txn: Reader, origin: Origin, ranges: list[tuple[int, int]], chunks: Chunks) -> bytes:
    pieces = [read(txn, *origin, offset, length, chunks) for offset, length in ranges]
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


class Views:
    """`Archive.views`: reading in few round trips, as for a screen.

    Within `shared` a store on a server is asked once for what several reads have in common, and the
    hints (`expect_...`) for many records in one round trip. For a store on this machine all of it
    is nothing.
    """

    def __init__(self, archive: "Archive") -> None:
        """Use `Archive.views`."""
        self._archive = archive

    @property
    def far(self) -> bool:
        """Whether each question costs a round trip, so that hints are worth making."""
        return self._archive.backend.far

    @property
    def searched_there(self) -> bool:
        """Whether a server finds whatever an index here would, so that none is made unasked."""
        return self._archive.backend.answers

    def shared(self) -> AbstractContextManager[None]:
        """A block whose reads in this thread share what they fetch where the store is far away.

        They see one moment there. Not for blocks that wait for people.
        """
        return self._archive.backend.view()

    def expect_turns(self, wanted: Sequence[tuple[int, int, int]]) -> None:
        """Within `shared`: fetch turns (a conversation's number, start, stop) that will be read.

        With their summaries and raw; two or three round trips.
        """
        self._archive.backend.read(lambda txn: expect(txn, wanted))

    def expect_turns_of(self, wanted: Sequence[tuple[str, int, int]]) -> None:
        """As `expect_turns`, of conversations by their ids; one round trip more."""

        def look(txn: Reader) -> None:
            spans = [(name.encode("utf-8", "replace"), start, stop) for name, start, stop in wanted]
            txn.expect("summaries", [key for key, _, _ in spans])
            known = [(txn.get("summaries", key), start, stop) for key, start, stop in spans]
            expect(
                txn,
                [
                    (unpack(value, SummaryRecord).number, start, stop)
                    for value, start, stop in known
                    if value is not None
                ],
            )

        if self.far:
            self._archive.backend.read(look)

    def expect_summaries(self, ids: Iterable[str]) -> None:
        """Within `shared`: let the next read fetch the summaries of these ids, too."""
        keys = [name.encode("utf-8", "replace") for name in ids]
        self._archive.backend.read(lambda txn: txn.expect("summaries", keys))
