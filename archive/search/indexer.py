"""Following the log into the index: afterwards from the store, or live from memory.

A change says where turns were replaced, so what stood there is taken out first, and each turn is
in the index once whatever was cut into which window. Costs O(turns that changed).

Tested in: tests/archive/search/test_exact_index.py
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from dejavu.model import Conversation, HiddenTurnsError, Turn

from .. import conversations, derived, log, raw, turns
from ..backends.backend import Backend
from ..backends.transaction import Reader
from ..commit import CommittedChange
from ..keys import number_key
from ..records import SummaryRecord, from_text, unpack
from .index import IndexWriter

_WINDOW = 512  # log entries read at a time
_FIRST = 100  # turns before the first commit of a live feed
_LATER = 40  # times as many before each other: a commit is a segment, with every word in it again
_COMMIT = 20_000  # turns between two commits of a long way: others see what is committed


def record_of(txn: Reader, number: int) -> SummaryRecord | None:
    """The summary of the conversation that has this number now."""
    key = txn.get("numbers", number_key(number))
    value = None if key is None else txn.get("summaries", key)
    return None if value is None else unpack(value, SummaryRecord)


class LogIndexer:
    """An index on its way along the log: `mark` is how far it got."""

    def __init__(
        self, backend: Backend, writer: IndexWriter, mark: int, *, live: bool = False
    ) -> None:
        """Go on from `mark`; what is fed `live` can be found soon."""
        self.mark = mark
        self._backend = backend
        self._writer = writer
        self._added = 0
        self._limit = _FIRST if live else _COMMIT

    def follow(self, last: int) -> None:
        """Index every change up to `last`, from the store."""
        reader = partial(log.pages, self._backend.read)
        for window in derived.windows(reader, self.mark, size=_WINDOW, last=last):
            for changes in portions(window.changes):
                with self._backend.view():
                    spans = [(change.number, change.start, change.stop) for change in changes]
                    self._backend.read(partial(expect_turns, spans=spans))
                    for change in changes:
                        self._change(change)
            self.mark = window.position.sequence
            self._pause()

    def on_commit(self, changes: Sequence[CommittedChange]) -> None:
        """Index what was just committed; what others committed between is read."""
        for entry, conversation, fresh in changes:
            if entry.sequence <= self.mark:
                continue
            if self.mark < entry.sequence - 1:
                self.follow(entry.sequence - 1)
            if fresh is None:
                self._change(entry)
            else:
                self._clear(entry)
                self._add(entry.number, conversation, fresh)
            self.mark = entry.sequence
        self._pause()

    def commit(self) -> None:
        """Let everything up to `mark` be seen."""
        self._writer.commit(self.mark)
        self._added = 0

    def _pause(self) -> None:
        if self._added >= self._limit:
            self.commit()
            self._limit = min(_COMMIT, _LATER * self._limit)

    def _change(self, change: log.LogEntry) -> None:
        self._clear(change)
        blocks = read_turns(self._backend, change.number, change.start, change.stop)
        for conversation, fresh in blocks:
            self._add(change.number, conversation, fresh)

    def _clear(self, change: log.LogEntry) -> None:
        if change.change is log.Change.REMOVED:
            self._writer.remove(change.number)
        elif change.replaced:
            self._writer.remove(change.number, change.start)

    def _add(self, number: int, conversation: Conversation, fresh: Sequence[Turn]) -> None:
        self._writer.add(number, conversation, fresh)
        self._added += len(fresh)


def portions(changes: Iterable[log.LogEntry]) -> Iterator[list[log.LogEntry]]:
    """The changes in lists of some `FAR_TURNS` turns, except those that are longer."""
    portion: list[log.LogEntry] = []
    count = 0
    for change in changes:
        portion.append(change)
        count += max(0, change.stop - change.start)
        if count >= turns.FAR_TURNS:
            yield portion
            portion, count = [], 0
    if portion:
        yield portion


def expect_turns(txn: Reader, spans: Iterable[tuple[int, int, int]]) -> None:
    """A hint that `block_from` will be asked for turns (conversation number, start, stop)."""
    if txn.far:
        first = ((number, start, min(stop, _stretch(start))) for number, start, stop in spans)
        turns.expect(txn, [(number, start, stop) for number, start, stop in first if start < stop])


def _stretch(start: int) -> int:
    """Where the stretch of turns ends that is fetched at once from a store far away."""
    return start - start % turns.FAR_TURNS + turns.FAR_TURNS


def read_turns(
    backend: Backend, number: int, start: int, stop: int
) -> Iterator[tuple[Conversation, list[Turn]]]:
    """Turns [start, stop) of a conversation, a block at a time, as they stand now.

    It ends early where the conversation was cut meanwhile: a later change in the log tells the rest. And
    where this login may not read what its turns lean on.
    """
    chunks = raw.Chunks(lasting=True)
    while start < stop:
        look = partial(block_from, number=number, start=start, stop=stop, chunks=chunks)
        try:
            block = backend.read(look)
        except HiddenTurnsError:
            return
        if block is None:
            return
        conversation, first, texts = block
        yield conversation, [from_text(text, Turn) for text in texts]
        start = first + len(texts)


def block_from(
    txn: Reader, number: int, start: int, stop: int | None, chunks: raw.Chunks
) -> tuple[Conversation, int, list[bytes]] | None:
    """(conversation, first seq, texts) of the next turns from `start` on, some blocks at most."""
    record = record_of(txn, number)
    if record is None:
        return None
    end = stop
    if txn.far:
        end = _stretch(start) if stop is None else min(stop, _stretch(start))
    for limit in dict.fromkeys((end, stop)):
        after, texts = turns.next_texts(txn, number, start, limit, chunks)
        if texts:
            return conversations.summary_of(record), after - len(texts), texts
    return None
