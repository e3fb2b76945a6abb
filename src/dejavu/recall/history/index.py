"""The index of exchanges: derived from the archive's log, thrown away and rebuilt when in doubt.

It is fed with the changes of the log, in order: one tantivy document a passage (`passages`). How
far it got is a document of the index itself and moves with the commit it speaks of; it names the log entry it
is at, so an index never outlives a restore. One writer at a time, by tantivy's own lock; who
does not get the place uses the index as it is.

Rationales are written without a change of their conversation; they have a log of their own
(`rationale.written_since`), and the mark says how far that was read, too.

Costs O(text of the turns that changed, and of the passage they go on).
"""

import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from functools import cached_property, partial
from pathlib import Path

import msgspec
import tantivy

from dejavu.archive import Archive, Change, Lag, LogEntry, Position, derived
from dejavu.archive.derived import CommittedWindows, Follower, SharedReading
from dejavu.model import NotFoundError, Turn

from ..rationale import is_own_prompt, last_written, rationales, written_since
from ..terms import STEMS, index_analyzer
from . import skipped
from .documents import (
    MARK,
    VERSION,
    Document,
    ExchangeStart,
    Mark,
    Resume,
    about,
    begins_exchange,
    mark_document,
    mark_of,
    passages,
    read_documents,
    resume_at,
    schema,
    to_document,
    token,
)

FOLDER = "recall"
MAX_INDEX_LAG = 1_000
"""Turns an index may lack and still be brought up to date before a prompt."""
_HEAP, _LEAST_HEAP = 32_000_000, 15_000_000  # bytes; a program that runs for long keeps them
_COMMIT = 50_000  # passages between two commits of a long way
_WINDOW = 2_000  # changes taken together: each conversation among them is read once
_SHORT = 64  # of a caller who waits: what is half in when time is up is lost
_STEP = 16  # passages after which the caller of steps is asked
_WHOLE = 100_000  # passages of one conversation


class ExchangeIndex:
    """The index in one folder of the archive."""

    def __init__(self, archive: Archive) -> None:
        """The index of `archive`; nothing is opened before it is needed."""
        self._archive = archive
        self._folder: Path = archive.root / FOLDER
        self._index: tantivy.Index | None = None
        # Conversations indexed since the last commit: where the next turn is, and what continues there.
        self._fresh: dict[int, tuple[int, Resume]] = {}
        self._turns: Callable[[str, int], Iterator[Turn]] = archive.turns

    @cached_property
    def schema(self) -> tantivy.Schema:
        """The fields of a passage."""
        return schema()

    @property
    def is_kept(self) -> bool:
        """Whether this machine has it, or makes it unasked: where no server answers in its place."""
        return not self._archive.views.searched_there or (self._folder / "meta.json").exists()

    def searcher(self) -> tantivy.Searcher | None:
        """A view of the last commit, whichever process made it; None where there is none."""
        index = self._opened(create=False)
        if index is None:
            return None
        index.reload()
        return index.searcher()

    def lag(self, most: int | None = None) -> Lag:
        """What the index has not seen; counting ends where turns and entries exceed `most`.

        Nothing where none is kept.
        """
        if not self.is_kept:
            return Lag()
        return derived.lag_after(self._archive.log, self._start().sequence, most)

    def pending(self, most: int) -> int:
        """How many turns the index has not seen, counted up to a little above `most`."""
        lag = self.lag(most)
        return lag.turns + lag.entries

    def _start(self) -> Mark:
        """Where to go on; the beginning where there is no index, or it is not of this archive."""
        searcher = self.searcher()
        mark = None if searcher is None else mark_of(searcher, self.schema)
        if mark is None or not derived.holds(self._archive.log, Position(mark.sequence, mark.at)):
            return Mark(VERSION, 0, 0.0)
        return mark

    def sequence(self, searcher: tantivy.Searcher) -> int:
        """How far along the log a view of the index is."""
        mark = mark_of(searcher, self.schema)
        return 0 if mark is None else mark.sequence

    def catch_up(self, patience: float | None = None, followers: Iterable[Follower] = ()) -> int:
        """Bring the index up to the log; return the changes applied (0 if another writes).

        patience: seconds after which the rest is left, some changes are always applied.
        followers: are given the turns on the way where they are at the same place of the log.
        """
        if patience is None:
            return sum(self.catching_up(followers=followers))
        deadline, applied = time.monotonic() + patience, 0
        with closing(self.catching_up(_SHORT)) as steps:
            for changes in steps:
                applied += changes
                if changes and time.monotonic() > deadline:
                    break
        return applied

    def catching_up(
        self,
        window_size: int = _WINDOW,
        followers: Iterable[Follower] = (),
        committed: CommittedWindows | None = None,
    ) -> Generator[int]:
        """As `catch_up`, in steps: yield the number of changes each applied.

        What was taken in is committed at the end, and where the iterator is closed before it.
        committed: what to follow in place of the log; it has no end.
        """
        start = self._start()
        if self._archive.readonly or (committed is None and self._is_current(start)):
            return
        lag = derived.lag_after(self._archive.log, start.sequence, MAX_INDEX_LAG)
        long = committed is not None or lag.turns > MAX_INDEX_LAG
        writer, index = self._writer(_HEAP if long else _LEAST_HEAP)
        if writer is None or index is None:
            return
        start = self._start()  # as it is now that no other process writes
        done: Mark | None = None
        added = 0
        self._fresh, self._turns = {}, self._archive.turns if committed is None else committed.turns
        shared = SharedReading(followers, start.sequence)
        if not start.sequence:  # everything is read with its rationales
            writer.delete_all_documents()
            start = msgspec.structs.replace(start, rationales=last_written(self._archive))
        if committed is None:
            windows = derived.windows(self._archive.log, start.sequence, size=window_size)
        else:
            windows = committed.windows(Position(start.sequence, start.at), window_size)
        try:
            for window in windows:
                for passages_ in self._changes(writer, window.changes, shared):
                    added += passages_
                    yield 0
                if not window.entries:
                    yield 0
                    continue
                end = window.position
                shared.reach(end.sequence)
                done = start = msgspec.structs.replace(start, sequence=end.sequence, at=end.at)
                if added >= _COMMIT:
                    kept, done = self._commit(writer, done), None
                    if not kept:
                        return
                    index.reload()
                    added, self._fresh = 0, {}
                yield window.entries
            for sequence, conversation, seq in written_since(self._archive, start.rationales):
                yield from self._explained(writer, conversation, seq)
                done = start = msgspec.structs.replace(start, rationales=sequence)
                yield 1
        except skipped.RefusedError as error:
            done = None
            skipped.log_behind(error)
        finally:
            # Left in the middle of a window, what is half in goes with it: it is taken in again.
            if done is not None:
                self._commit(writer, done)
            with suppress(ValueError):  # its threads died with a commit that failed
                writer.wait_merging_threads()

    def _writer(self, heap: int) -> "tuple[tantivy.IndexWriter | None, tantivy.Index | None]":
        """The writer and its index; none where another writes. What cannot be written is built again.

        Nothing is removed before the place is ours: another writer would lose its files and fail.
        """
        for attempt in range(2):
            index = self._opened(create=True)
            if index is None:
                break
            try:
                return index.writer(heap, 1), index
            except ValueError as error:
                if "LockBusy" in str(error) or attempt:
                    break
            self._index = None
            skipped.remove_index(self._folder)
        return None, None

    def _is_current(self, start: Mark) -> bool:
        """Whether the log and the rationales have nothing after a mark."""
        return not derived.lag_after(self._archive.log, start.sequence, 0).entries and (
            last_written(self._archive) <= start.rationales or not start.sequence
        )

    def _changes(
        self, writer: tantivy.IndexWriter, changes: Sequence[LogEntry], shared: SharedReading
    ) -> Iterator[int]:
        """Apply changes; yield the passages added, in steps."""
        for change in changes:
            conversation = change.conversation
            shared.begin(change)
            if change.change is Change.REMOVED:
                self._remove(writer, change.number, 0)
            else:
                yield from self._index_from(
                    writer, change.number, conversation, change.start, shared, change.stop
                )
            shared.end(partial(self._turns, conversation))

    def _index_from(
        self,
        writer: tantivy.IndexWriter,
        number: int,
        conversation: str,
        start: int,
        shared: SharedReading,
        stop: int = -1,
    ) -> Iterator[int]:
        """Index a conversation's passages from the one that turn `start` continues; yield counts.

        `stop`: where the turns end, where that is known.
        """
        begin = self._resume_at(number, conversation, start)
        self._remove(writer, number, begin.seq)
        added = 0
        try:
            if is_own_prompt(self._archive, conversation):
                return
            summary = self._archive.summary(conversation)
            why = {
                seq: rationale.event
                for seq, rationale in rationales(
                    self._archive, conversation, begin.seq, sys.maxsize
                ).items()
            }
            turns = shared.turns(partial(self._turns, conversation), begin.seq)
            for passage in passages(turns, begin.exchange, why):
                self._fresh[number] = stop, resume_at(passage)
                try:
                    writer.add_document(to_document(passage, number, summary))
                except Exception as error:
                    if skipped.is_dead(error):
                        raise skipped.RefusedError(str(error)) from error
                    skipped.add(self._folder, conversation, passage.seq, error)
                    continue
                added += 1
                if added >= _STEP:
                    yield added
                    added = 0
        except NotFoundError:  # gone meanwhile: its removal is a later entry of the log
            pass
        yield added

    def _resume_at(self, number: int, conversation: str, start: int) -> Resume:
        """Where to begin again for turns from `start` on: at a passage's beginning.

        What was added since the last commit cannot be seen: a conversation that comes twice
        between two commits is begun at its first turn, unless turns were only added.
        """
        from_start = Resume(0, ExchangeStart())
        stop, last = self._fresh.get(number, (-1, from_start))
        try:
            searcher = self.searcher() if start and number not in self._fresh else None
        except ValueError as error:
            raise skipped.RefusedError(str(error)) from error
        self._fresh[number] = -1, from_start
        if start == stop:
            return last
        if searcher is None:
            return from_start
        touched = self.find(searcher, self._of(number, "stop", start - 1), _WHOLE)
        if not touched:
            return from_start
        first = min(touched, key=lambda document: document.seq)
        try:
            prompt = next(self._archive.turns(conversation, first.exchange, first.exchange + 1))
        except (NotFoundError, StopIteration):
            return from_start
        if not first.ordinal:  # before any prompt
            return Resume(first.seq, ExchangeStart())
        if not begins_exchange(prompt):  # turns before `start` are others, too
            return from_start
        before = self._before(searcher, number, conversation, first)
        if first.seq == first.exchange:  # its prompt is met again, and counted again
            return Resume(first.seq, ExchangeStart(first.ordinal - 1, before=before))
        earlier = self._archive.turns(conversation, first.exchange, first.seq)
        subject = next(filter(None, (about(turn, prompt.text) for turn in earlier)), "")
        start_ = ExchangeStart(first.ordinal, first.exchange, prompt.text, before, subject)
        return Resume(first.seq, start_)

    def _before(
        self, searcher: tantivy.Searcher, number: int, conversation: str, document: Document
    ) -> str:
        """What the exchange before a passage's is about."""
        prompt = ""
        for previous in self.exchange(searcher, number, document.ordinal - 1)[:1]:
            for turn in self._archive.turns(conversation, previous.exchange, document.exchange):
                prompt = turn.text if begins_exchange(turn) else prompt
                if subject := about(turn, prompt):
                    return subject
        return ""

    def _explained(self, writer: tantivy.IndexWriter, conversation: str, seq: int) -> Iterator[int]:
        """Index an exchange again whose rationale was written."""
        searcher = self.searcher()
        own = tantivy.Query.term_query(self.schema, "facet", token(f"id:{conversation}"))
        documents = [] if searcher is None else self.find(searcher, own, 1)
        for document in documents:
            alone = SharedReading((), 0)
            yield from self._index_from(writer, document.conversation, conversation, seq, alone)

    def _of(self, number: int, field: str, least: int) -> tantivy.Query:
        """The passages of a conversation, those whose `field` is not below `least`."""
        query = tantivy.Query.term_query(self.schema, "conversation", number)
        if not least:
            return query
        later = tantivy.Query.range_query(
            self.schema, field, tantivy.FieldType.Unsigned, least, None
        )
        return query.and_must_match(later)

    def _remove(self, writer: tantivy.IndexWriter, number: int, start: int) -> None:
        writer.delete_documents_by_query(self._of(number, "stop", start))

    def _commit(self, writer: tantivy.IndexWriter, at: Mark) -> bool:
        """Commit up to a mark; False where the disk refused: it is all taken in again next time."""
        try:
            self._commit_at(writer, at)
        except (OSError, ValueError) as error:  # tantivy has no other for what the disk refuses
            skipped.log_behind(error)
            with suppress(ValueError):
                writer.rollback()
            return False
        return True

    def _commit_at(self, writer: tantivy.IndexWriter, at: Mark) -> None:
        writer.delete_documents_by_term("facet", MARK)
        writer.add_document(mark_document(at))
        writer.commit()
        for path in self._folder.iterdir():
            with suppress(FileNotFoundError):  # merged away meanwhile
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
                skipped.remove_index(self._folder)
                self._folder.mkdir(mode=0o700, exist_ok=True)
                self._index = tantivy.Index(self.schema, path=str(self._folder))
            self._index.register_tokenizer(STEMS, index_analyzer())
        return self._index

    def find(self, searcher: tantivy.Searcher, query: tantivy.Query, most: int) -> list[Document]:
        """The best documents for a query."""
        return read_documents(searcher, searcher.search(query, most, count=False).hits)

    def exchange(
        self, searcher: tantivy.Searcher, conversation: int, ordinal: int
    ) -> list[Document]:
        """The passages of one exchange, in order."""
        own, its = ("conversation", conversation), ("ordinal", ordinal)
        both = [tantivy.Query.term_query(self.schema, *term) for term in (own, its)]
        documents = self.find(searcher, both[0].and_must_match(both[1]), _WHOLE)
        return sorted(documents, key=lambda document: document.seq)
