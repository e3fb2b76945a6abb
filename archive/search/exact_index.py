"""Which turns may hold a text letter by letter: an index of every word, as it is written.

A text's candidates are the runs of turns that have all its words: those within it as they are, its
first and last as the end and the beginning of one, because they may go on outside of it. Derived
like the index of words next to it, and rebuilt whenever in doubt; what is found is compared
with the archive. A document is a run of up to `WINDOW` characters of one conversation: finer ones
would find less by chance, and cost more room.

It costs a second for 50 MB of text (every three letters in a row cost 2.6 times as much, and twice
the room), so it is updated when no search waits. What it does not know yet is for the caller to read.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from functools import cache, partial
from typing import NamedTuple

import tantivy

from dejavu.model import Turn

from .. import derived, log
from ..backends.backend import Backend
from .index import LARGE_HEAP, IndexWriter, SearchIndex
from .indexer import expect_turns, portions, read_turns
from .substring import pieces

FOLDER = "exact"  # below the index of words
WINDOW = 64 << 10
LENGTH = 2  # characters; a single one is nearly everywhere
_TOKENIZER = "tokens"
_ENTRIES = 512  # of the log, read at a time
# Indexed at a time: tantivy queues up to 10,000 documents, which here are of `WINDOW` characters each,
# and its thread is slower than we are. About 30 MB of text.
_TURNS = 16_384
_MOST = 100_000  # runs a text is looked for in
_CHANGED = 5_000  # conversations that changed since; more are not worth telling apart
_ASKED = 48  # words of a text that are asked for
_FEW = 4  # runs that are looked at as soon as some of the words leave no more
_LONG = 16_000  # characters without a space, 64 KB at most; tantivy leaves longer words out
_OVERLAP = 256  # characters that the pieces of such a word share
_LONGEST = 128  # characters of a word that is asked for: within a piece, wherever that was cut


class Run(NamedTuple):
    """Turns `first` to `last` of the conversation with this number; `size` characters of text."""

    number: int
    first: int
    last: int
    size: int


class ExactIndex(SearchIndex):
    """The index in one folder."""

    @staticmethod
    def fields() -> tantivy.Schema:
        """Words, where they stand, and the watermark."""
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("text", tokenizer_name=_TOKENIZER, index_option="basic")
        builder.add_unsigned_field("conversation", indexed=True, fast=True)
        builder.add_unsigned_field("facet", indexed=True)
        for name in ("first", "seq", "size"):
            builder.add_unsigned_field(name, fast=True)
        builder.add_bytes_field("mark", stored=True)
        return builder.build()

    @staticmethod
    def register(index: tantivy.Index) -> None:
        """Teach tantivy the tokeniser of the fields."""
        index.register_tokenizer(_TOKENIZER, _analyzer())

    def runs(self, text: str) -> list[Run] | None:
        """The runs that have every word of `text`; None where that cannot be asked."""
        wanted = _terms(text)
        if not wanted or self.searcher().num_docs > _MOST:
            return None
        wanted = wanted[:: -(-len(wanted) // _ASKED)]
        searcher = self.searcher()
        queries: list[tantivy.Query] = []
        found: list[Run] | None = None
        for cost in _Cost:  # the next is asked only where it may leave less
            asked = [
                term.query(self.schema)
                for term in wanted
                if term.cost is cost and (found is None or term.narrows(found, searcher))
            ]
            if asked and (found is None or len(found) > _FEW):
                queries += asked
                found = _found(searcher, _all_of(queries))
        return found

    def runs_of(self, number: int) -> list[Run]:
        """The runs of a conversation, as they were last committed."""
        own = tantivy.Query.term_query(self.schema, "conversation", number)
        return _found(self.searcher(), own)


def _found(searcher: tantivy.Searcher, query: tantivy.Query) -> list[Run]:
    hits = searcher.search(query, _MOST, count=False).hits
    addresses = [address for _, address in hits]
    columns = [
        searcher.fast_field_values(name, addresses)
        for name in ("conversation", "first", "seq", "size")
    ]
    return [Run(*(int(value or 0) for value in row)) for row in zip(*columns, strict=True)]


def _all_of(queries: Iterable[tantivy.Query]) -> tantivy.Query:
    return tantivy.Query.boolean_query([(tantivy.Occur.Must, query) for query in queries])


@cache
def _analyzer() -> tantivy.TextAnalyzer:
    """Letters and digits in a row, as they are written."""
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).build()


class _Cost(IntEnum):
    """What it costs to ask: a look-up, the words that begin so, every word of the index."""

    WHOLE = 0
    BEGINNING = 1
    ANYWHERE = 2


class _Term(NamedTuple):
    """A word to ask for; with a `pattern`, every word like that (no letter or digit means another)."""

    word: str
    pattern: str = ""

    @property
    def cost(self) -> _Cost:
        """What it costs to ask for it."""
        if not self.pattern:
            return _Cost.WHOLE
        return _Cost.ANYWHERE if self.pattern.startswith(".*") else _Cost.BEGINNING

    def narrows(self, found: Sequence[Run], searcher: tantivy.Searcher) -> bool:
        """Whether it is worth asking: the word alone may be in most of all that was found."""
        if self.cost is not _Cost.ANYWHERE:
            return True
        return 2 * int(searcher.doc_freq("text", self.word)) < len(found)

    def query(self, schema: tantivy.Schema) -> tantivy.Query:
        """The query for it."""
        if self.pattern:
            return tantivy.Query.regex_query(schema, "text", self.pattern)
        return tantivy.Query.term_query(schema, "text", self.word)


def _terms(text: str) -> list[_Term]:
    """What a run that holds `text` has, each once."""
    text = _encodable(text)
    words = _analyzer().analyze(text)
    terms: dict[_Term, None] = {}
    for place, word in enumerate(words):
        # Only a word that begins with the text can have more before it, and likewise at its end.
        before = ".*" if place == 0 and text.startswith(word) else ""
        after = ".*" if place == len(words) - 1 and text.endswith(word) else ""
        if len(word) > _LONGEST:  # it may have been cut anywhere
            word, before, after = word[:_LONGEST], ".*", ".*"
        terms[_Term(word, before + word + after if before or after else "")] = None
    return list(terms)


def _encodable(text: str) -> str:
    """`text` without a lone surrogate, which tantivy does not take."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _has_long_word(text: str) -> bool:
    """Whether `_LONG` characters of `text` may have no space or line break between them."""
    start = 0
    while len(text) - start > _LONG:
        stop = start + _LONG
        start = max(text.rfind(" ", start, stop), text.rfind("\n", start, stop)) + 1
        if not start:
            return True
    return False


def _cut(text: str) -> str:
    """`text` with what is very long without a space in pieces that overlap."""
    pieces_: list[str] = []
    for piece in text.split():
        pieces_ += (
            piece[start : start + _LONG]
            for start in range(0, max(1, len(piece) - _OVERLAP), _LONG - _OVERLAP)
        )
    return "\n".join(pieces_)


def changes_after(backend: Backend, mark: int) -> dict[int, int | None] | None:
    """What changed after `mark`: by number, the first turn that did (None: all are gone).

    None for more than `_CHANGED` conversations.
    """
    changes = derived.changes_after(partial(log.pages, backend.read), mark, _CHANGED)
    if changes is None:
        return None
    return {
        entry.number: None if entry.change is log.Change.REMOVED else entry.start
        for entry in changes
    }


def clip_stale_runs(
    indexed: Iterable[Run], changed: Mapping[int, int | None]
) -> dict[int, list[tuple[int, int | None]]]:
    """Where to look: the runs as far as they still stand, and all that changed since."""
    runs: dict[int, list[tuple[int, int | None]]] = {}
    for run in indexed:
        stop = run.last + 1
        if run.number in changed:
            start = changed[run.number]
            stop = run.first if start is None else min(stop, start)
        if stop > run.first:
            runs.setdefault(run.number, []).append((run.first, stop))
    for number, start in changed.items():
        if start is not None:
            runs.setdefault(number, []).append((start, None))
    return runs


class ExactFollower:
    """The index on its way along the log: `mark` is how far it got. A `derived.Follower`.

    `live`: windows are small and many, so that not each is committed; call `finish` at the end.
    """

    def __init__(self, index: ExactIndex, writer: IndexWriter, *, live: bool = False) -> None:
        """Continue where the index is."""
        self.mark = max(0, index.sequence)
        self._index = index
        self._writer = writer
        self._live = live
        self._texts = self._last = _RunTexts(0)
        self._unseen: set[int] = set()  # conversations with runs that are not committed
        self._uncommitted = 0

    def begin(self, change: log.LogEntry) -> int | None:
        """Take out the runs a change touched; where what takes their place begins."""
        if change.number in self._unseen and not change.is_summary_only:
            if self._last.is_before(change):  # the end of a long session that comes in pieces
                if self._last.texts and self._last.size < WINDOW:
                    self._writer.remove(change.number, self._last.first)
                    self._texts = self._last
                else:
                    self._texts = _RunTexts(change.number)
                return change.start
            self._commit()
        return self.begin_at(change, self.start(change))

    def start(self, change: log.LogEntry) -> int:
        """The turn from which on the runs of a changed conversation are rebuilt."""
        start = change.start
        for run in self._index.runs_of(change.number):
            small = run.last == change.start - 1 and run.size < WINDOW
            if run.last >= change.start or small:
                start = min(start, run.first)
        return start

    def begin_at(self, change: log.LogEntry, start: int) -> int | None:
        """As `begin`, where `start` is known."""
        self._last = _RunTexts(0)
        if change.change is log.Change.REMOVED:
            self._writer.remove(change.number)
            return None
        if change.is_summary_only:
            return None
        self._writer.remove(change.number, start)
        self._texts = _RunTexts(change.number)
        return start

    def take(self, turn: Turn) -> None:
        """Add a turn to the run that is being filled."""
        self._uncommitted += 1
        self._texts.add(turn)
        if self._texts.size >= WINDOW:
            self.end()

    def end(self) -> None:
        """Index the run that is being filled."""
        if self._texts.texts:
            self._writer.add_document(self._texts.document())
        if self._texts.last >= 0:
            self._last = self._texts
        self._unseen.add(self._texts.number)
        self._texts = _RunTexts(self._texts.number)
        if self._uncommitted >= _TURNS:  # what a later window removes is among them
            self._commit()

    def reach(self, sequence: int) -> None:
        """Commit a window: the next one asks for what this one wrote."""
        self.mark = sequence
        if not self._live:
            self._commit()

    def finish(self) -> None:
        """Commit what is left."""
        if self.mark != self._index.sequence:
            self._commit()

    def _commit(self) -> None:
        self._writer.commit(self.mark)
        self._unseen.clear()
        self._uncommitted = 0


def follow(backend: Backend, index: ExactIndex, last: int) -> int:
    """Bring the index up to `last` of the log; return the number of changes applied."""
    mark = max(0, index.sequence)
    writer = index.writer(LARGE_HEAP) if mark < last else None
    if writer is None:
        return 0
    reader = partial(log.pages, backend.read)
    with writer:
        follower = ExactFollower(index, writer)
        for window in derived.windows(reader, mark, size=_ENTRIES, last=last, turns=_TURNS):
            for entries in portions(window.changes):
                starts = [(entry, follower.start(entry)) for entry in entries]
                with backend.view():
                    spans = [(entry.number, start, entry.stop) for entry, start in starts]
                    backend.read(partial(expect_turns, spans=spans))
                    for entry, start in starts:
                        if follower.begin_at(entry, start) is None:
                            continue
                        for _, turns in read_turns(backend, entry.number, start, entry.stop):
                            for turn in turns:
                                follower.take(turn)
                        follower.end()
            follower.reach(window.position.sequence)
    return follower.mark - mark


class _RunTexts:
    """Turns in a row, until they fill a window."""

    def __init__(self, number: int) -> None:
        """None yet, of the conversation with this number."""
        self.number = number
        self.texts: list[str] = []
        self.size = 0
        self.first = self.last = -1

    def is_before(self, change: log.LogEntry) -> bool:
        """Whether a change only adds turns right after the last one."""
        return (change.number, change.start) == (self.number, self.last + 1) and (
            change.change is log.Change.TURNS and not change.replaced
        )

    def add(self, turn: Turn) -> None:
        """Add the text of a turn."""
        self.first = self.first if self.texts else turn.seq
        self.last = turn.seq
        for piece in pieces(turn):
            text = _cut(piece) if _has_long_word(piece) else piece
            self.texts.append(text)
            self.size += len(text)

    def document(self) -> tantivy.Document:
        """The run as a document."""
        document = tantivy.Document()
        for text in self.texts:  # joined, one character beyond Latin-1 would double them all
            try:
                document.add_text("text", text)
            except UnicodeEncodeError:  # rare, and to look for it costs as much as to add it
                document.add_text("text", _encodable(text))
        document.add_unsigned("conversation", self.number)
        document.add_unsigned("first", self.first)
        document.add_unsigned("seq", self.last)
        document.add_unsigned("size", self.size)
        return document
