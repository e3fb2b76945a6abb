"""The index of events: derived from the archive's log, thrown away and made anew when in doubt.

It is fed with the changes of the log, in order: one tantivy document an event. How far it got is a
document of the index itself and moves with the commit it speaks of; it names the log entry it
stands at, so an index never outlives a restore. One writer at a time, by tantivy's own lock; who
does not get the place uses the index as it stands.

Costs O(text of the turns that changed), about 5 MB a second.
"""

import shutil
from collections.abc import Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec
import tantivy

from dejavu.archive import Archive, Change, LogEntry
from dejavu.model import Conversation, NotFoundError, Role, ToolCall, Turn

from ..rationale import is_own_prompt
from ..terms import STEMS, analyzer, content_stems, seams
from .entities import entities, files, path_suffixes
from .events import Event, Kind, events

VERSION = 3
FOLDER = "recall"
_HEAP = 32_000_000  # bytes; tantivy takes no less than 15 MB a thread
_COMMIT = 100_000  # events between two commits of a long way
_WINDOW = 512
_STEP = 64  # events after which whoever takes steps is asked
_BACK = 40  # turns before a change in which the prompt it answers is looked for
_NAMED = 600  # characters of a tool's output in which names are looked for
_ASKED = 1_000  # characters of it that count
_MARK = "mark"
_KINDS = {kind: number for number, kind in enumerate(Kind)}
KINDS = tuple(Kind)


class Mark(msgspec.Struct, frozen=True):
    """How far the index got, and which entry of the log stands there."""

    version: int
    sequence: int
    at: float


class Document(NamedTuple):
    """A document found: which event of which turn, how well it answers, when it was."""

    conversation: int
    seq: int
    kind: Kind
    score: float
    at: float
    address: tantivy.DocAddress


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in ("text", "asked"):
        builder.add_text_field(name, tokenizer_name=STEMS, index_option="freq")
    for name in ("entity", "file", "facet"):
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="basic")
    builder.add_bytes_field("id", stored=True)
    builder.add_unsigned_field("conversation", indexed=True, fast=True)
    builder.add_unsigned_field("seq", indexed=True, fast=True)
    builder.add_unsigned_field("kind", fast=True)
    builder.add_float_field("at", fast=True)
    builder.add_bytes_field(_MARK, stored=True)
    return builder.build()


@lru_cache(maxsize=8_192)
def token(text: str) -> str:
    """A term for `text` as a whole, whatever is in it."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


class EventIndex:
    """The index in one folder of the archive."""

    def __init__(self, archive: Archive) -> None:
        """The index of `archive`; nothing is opened before it is needed."""
        self._archive = archive
        self._folder: Path = archive.root / FOLDER
        self.schema = _schema()
        self._index: tantivy.Index | None = None

    def searcher(self) -> tantivy.Searcher | None:
        """A view of the last commit, whichever process made it; None where there is none."""
        index = self._opened(create=False)
        if index is None:
            return None
        index.reload()
        return index.searcher()

    def behind(self) -> int:
        """How many changes of the log the index has not seen; -1 if it must be made anew."""
        searcher = self.searcher()
        mark = None if searcher is None else self._mark(searcher)
        if mark is None or not self._stands(mark):
            return -1 if next(self._archive.log(0), None) else 0
        return sum(1 for _ in self._archive.log(mark.sequence))

    def conversations_behind(self) -> int:
        """How many conversations changed since the index was last written. Costs O(changes)."""
        searcher = self.searcher()
        mark = None if searcher is None else self._mark(searcher)
        start = mark.sequence if mark is not None and self._stands(mark) else 0
        return len({entry.number for entry in self._archive.log(start)})

    def sequence(self, searcher: tantivy.Searcher) -> int:
        """How far along the log a view of the index is."""
        mark = self._mark(searcher)
        return 0 if mark is None else mark.sequence

    def pending(self, most: int) -> int:
        """How many turns the index has not seen, counted up to a little above `most`."""
        searcher = self.searcher()
        mark = None if searcher is None else self._mark(searcher)
        start = mark.sequence if mark is not None and self._stands(mark) else 0
        waiting = 0
        for entry in self._archive.log(start):
            waiting += 1 + max(0, entry.stop - entry.start)
            if waiting > most:
                break
        return waiting

    def catch_up(self) -> int:
        """Bring the index up to the log; return the changes applied (0 if another writes)."""
        return sum(self.catching_up())

    def catching_up(self) -> Iterator[int]:
        """As `catch_up`, in steps: yield the number of changes each applied.

        What was taken in is committed at the end, and where the iterator is closed before it.
        """
        if self._archive.readonly or not (lag := self.behind()):
            return
        if lag < 0:
            self._index = None
            shutil.rmtree(self._folder, ignore_errors=True)
        index = self._opened(create=True)
        if index is None:
            return
        try:
            writer = index.writer(_HEAP, 1)
        except ValueError:  # LockBusy comes as a ValueError
            return
        index.reload()
        mark = self._mark(index.searcher())
        done: LogEntry | None = None
        added = 0
        try:
            for window in _windows(self._archive.log(0 if mark is None else mark.sequence)):
                for events_ in self._changes(writer, window):
                    added += events_
                    yield 0
                done = window[-1]
                if added >= _COMMIT:
                    self._commit(writer, done)
                    done, added = None, 0
                yield len(window)
        finally:
            # Left in the middle of a window, what is half in goes with it: it is taken in again.
            if done is not None:
                self._commit(writer, done)
            writer.wait_merging_threads()

    def _changes(self, writer: tantivy.IndexWriter, window: Iterable[LogEntry]) -> Iterator[int]:
        """Apply changes, those of one conversation as one; yield the events added, in steps."""
        starts: dict[int, tuple[int, LogEntry]] = {}
        for entry in window:
            pending = starts.get(entry.number)
            start = entry.start if pending is None else min(pending[0], entry.start)
            starts[entry.number] = start, entry
        for number, (start, entry) in starts.items():
            added = 0
            self._remove(writer, number, 0 if entry.change is Change.REMOVED else start)
            if entry.change is Change.REMOVED:
                continue
            try:
                if is_own_prompt(self._archive, entry.conversation):
                    continue
                head = self._archive.summary(entry.conversation)
                prompt = ""
                for turn in self._archive.turns(entry.conversation, max(0, start - _BACK)):
                    if turn.role is Role.USER and turn.text.strip():
                        prompt = turn.text[:_ASKED]
                    if turn.seq >= start:
                        added += self._add(writer, number, head, turn, prompt)
                    if added >= _STEP:
                        yield added
                        added = 0
            except NotFoundError:  # gone meanwhile: its removal is a later entry of the log
                pass
            yield added

    def _remove(self, writer: tantivy.IndexWriter, number: int, start: int) -> None:
        query = tantivy.Query.term_query(self.schema, "conversation", number)
        if start:
            later = tantivy.Query.range_query(
                self.schema, "seq", tantivy.FieldType.Unsigned, start, None
            )
            query = query.and_must_match(later)
        writer.delete_documents_by_query(query)

    def _add(
        self,
        writer: tantivy.IndexWriter,
        number: int,
        head: Conversation,
        turn: Turn,
        prompt: str,
    ) -> int:
        moments = (turn.at, head.ended_at, head.started_at)
        at = next((moment for moment in moments if moment is not None), 0.0)
        turn_events = list(events(turn))
        for event in turn_events:
            document = tantivy.Document()
            _fill(document, event, head, prompt)
            document.add_bytes("id", head.id.encode())
            document.add_unsigned("conversation", number)
            document.add_unsigned("seq", event.seq)
            document.add_unsigned("kind", _KINDS[event.kind])
            document.add_float("at", at)
            writer.add_document(document)
        return len(turn_events)

    def _commit(self, writer: tantivy.IndexWriter, entry: LogEntry) -> None:
        writer.delete_documents_by_term("facet", _MARK)
        mark = tantivy.Document()
        mark.add_text("facet", _MARK)
        mark.add_bytes(_MARK, msgspec.msgpack.encode(Mark(VERSION, entry.sequence, entry.at)))
        writer.add_document(mark)
        writer.commit()
        for path in self._folder.iterdir():
            path.chmod(0o600)

    def _opened(self, *, create: bool) -> tantivy.Index | None:
        if self._index is None:
            if not create and not (self._folder / "meta.json").exists():
                return None
            self._folder.mkdir(mode=0o700, exist_ok=True)
            try:
                self._index = tantivy.Index(self.schema, path=str(self._folder))
            except ValueError:  # another schema, or damaged
                if not create:
                    return None
                shutil.rmtree(self._folder)
                self._folder.mkdir(mode=0o700)
                self._index = tantivy.Index(self.schema, path=str(self._folder))
            self._index.register_tokenizer(STEMS, analyzer())
        return self._index

    def _mark(self, searcher: tantivy.Searcher) -> Mark | None:
        query = tantivy.Query.term_query(self.schema, "facet", _MARK)
        hits = searcher.search(query, 1, count=False).hits
        if not hits:
            return None
        stored = searcher.doc(hits[0][1]).get_first(_MARK)
        try:
            mark = msgspec.msgpack.decode(bytes(stored or b""), type=Mark)
        except (msgspec.MsgspecError, TypeError):
            return None
        return mark if mark.version == VERSION else None

    def _stands(self, mark: Mark) -> bool:
        """Whether the log still has, at the mark, the entry the mark was made at."""
        entry = next(self._archive.log(mark.sequence - 1), None)
        return entry is not None and (entry.sequence, entry.at) == (mark.sequence, mark.at)

    def identity(self, searcher: tantivy.Searcher, document: Document) -> str:
        """The id of the conversation a document is of."""
        stored = searcher.doc(document.address).get_first("id")
        return bytes(stored or b"").decode()

    def find(self, searcher: tantivy.Searcher, query: tantivy.Query, most: int) -> list[Document]:
        """The best documents for a query."""
        hits = searcher.search(query, most, count=False).hits
        addresses = [address for _, address in hits]
        columns = [
            searcher.fast_field_values(name, addresses)
            for name in ("conversation", "seq", "kind", "at")
        ]
        return [
            Document(
                int(c or 0), int(s or 0), KINDS[int(k or 0)], score, float(at or 0.0), doc_address
            )
            for (score, doc_address), c, s, k, at in zip(hits, *columns, strict=True)
        ]


def _windows(log: Iterable[LogEntry]) -> Iterator[list[LogEntry]]:
    """The changes of a log, some at a time."""
    rest = iter(log)
    while window := list(islice(rest, _WINDOW)):
        yield window


@lru_cache(maxsize=64)
def _asked(prompt: str) -> tuple[str, str]:
    """What an answer answers: its question's words and names, which it seldom repeats."""
    return " ".join(content_stems(prompt)), " ".join(token(name) for name in entities(prompt))


def _fill(document: tantivy.Document, event: Event, head: Conversation, prompt: str) -> None:
    text = event.search
    document.add_text("text", seams(text))
    indexed_text = text if event.kind is not Kind.RESULT else text[:_NAMED]
    named = " ".join(token(name) for name in entities(indexed_text))
    if event.kind is Kind.TEXT and prompt:
        words, names = _asked(prompt)
        document.add_text("asked", words)
        named = f"{named} {names}"
    if named:
        document.add_text("entity", named)
    if isinstance(event.part, ToolCall):
        touched = {
            suffix for path in files(event.part.arguments)[:8] for suffix in path_suffixes(path)
        }
        if touched:
            document.add_text("file", " ".join(token(suffix) for suffix in touched))
    facets = (f"workspace:{head.workspace}", f"agent:{head.agent}", f"kind:{event.kind}")
    document.add_text("facet", " ".join(token(facet) for facet in facets))
