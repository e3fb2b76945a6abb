"""Search: the index proposes, the archive disposes.

Hits come best first. Before each search the index is brought up to the log; what it finds is
looked up in the archive, so a turn that is gone or changed never shows.

Costs: a search O(postings of its words + hits), catching up O(what changed). The index is the
archive's to write even for readers: it says nothing the archive does not. While another process
writes it, it is used as it is; on read-only media a private copy is used, rebuilt where it
is behind.
"""

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from dejavu.model import (
    ArchiveError,
    ConversationFilter,
    CorruptArchiveError,
    Turn,
)

from .. import log, marks
from ..backends.backend import Backend
from ..backends.layout import SEARCH
from ..backends.transaction import Reader
from ..commit import AlsoFed, CommittedChange, OnCommit
from ..derived import Follower, Lag
from ..keys import META
from ..namespace import expect_unfinished_syncs, unfinished_sync
from ..records import from_text
from . import direct, exact_index, exact_search, remote, tokenize
from .corrections import full_workspace, impossible_filters, missing_in_summaries, respelled
from .index import LARGE_HEAP, LIVE_HEAP, SMALL_HEAP, IndexWriter, Place, SearchIndex
from .indexer import LogIndexer
from .query import Query, narrowed, parse, split_expression, tokens
from .query_plan import SearchPlan, confirmed, stored_turns
from .snippet import Hit, SearchResult
from .substring import Runs

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

T = TypeVar("T")

_SMALL = 100  # changes that a small heap is enough for
_ROUNDS = 6  # times the net is cast wider where what it held was stale


class SearchEngine:
    """The searching side of one archive. Safe to use from several threads."""

    def __init__(self, backend: Backend) -> None:
        """Search what `backend` holds."""
        self._backend = backend
        self._scratch: TemporaryDirectory[str] | None = None
        self._guard = threading.RLock()
        self._index: SearchIndex | None = None
        self._exact: exact_index.ExactIndex | None = None
        self._feed: LogIndexer | None = None
        self._on_commit: OnCommit | None = None

    def search(self, text: str, wanted: ConversationFilter, limit: int) -> SearchResult:
        """The turns that answer `text`, best first; without words, the newest that fit.

        What the index does not know yet is looked at directly; `direct.MOST_TURNS` turns at most.
        Raises InvalidValueError where an expression in `text` is none.
        """
        expression, rest = split_expression(text)
        query = narrowed(parse(rest), wanted)
        if limit <= 0 or query is None or query.unanswerable:
            return SearchResult(notes=query.notes if query is not None else ())
        with self._backend.view():
            self._backend.read(_expect_beginning)
            if query.wanted.needs_summary:
                query.numbers = self._backend.read(partial(marks.numbers, wanted=query.wanted))
                if not query.numbers:
                    return SearchResult(
                        notes=[*query.notes, *missing_in_summaries(self._backend, query)]
                    )
            if expression is not None:
                query.notes += full_workspace(self._backend, query)
                return exact_search.matching(self._backend, expression, query, limit, self._runs)
            return self._search(query, limit)

    def _search(self, query: Query, limit: int) -> SearchResult:
        if isinstance(self._backend, remote.TextSearch):
            found = remote.search(self._backend, query, limit, self._mark)
            if found is not None:
                return found
        hits: dict[tuple[str, int], Hit] = {}
        notes = [*query.notes, *full_workspace(self._backend, query)]
        mark = self._catch_up_if_possible()
        if mark >= 0:
            with self._guard:
                query, replaced = self._retry_reopened(partial(self._respelled, query))
            notes += replaced
        for thorough in (False, True) if mark >= 0 else ():
            with self._guard:
                retrieval = self._retry_reopened(partial(self._plan, query, thorough=thorough))
            for hit in self._confirmed_hits(retrieval, query, limit):
                hits.setdefault((hit.conversation, hit.seq), hit)
            if len(hits) >= limit or not retrieval.incomplete:
                break
        unindexed = self._unindexed(query, max(0, mark))
        # A hit without a score cannot be ranked among the others: half of the room is theirs.
        room = max(limit // 2, limit - len(hits), 1)
        newest = [hit for hit in unindexed.hits if (hit.conversation, hit.seq) not in hits]
        merged = [*list(hits.values())[: limit - len(newest[:room])], *newest[:room]]
        if not merged:
            notes += impossible_filters(self._backend, query)
        if (extent := unfinished_sync(self._backend)) is not None:
            notes = [*notes, str(extent)]
        return SearchResult(merged[:limit], unindexed.behind, notes)

    @property
    def is_kept(self) -> bool:
        """Whether this machine has an index, or makes one unasked: where no server answers in its place."""
        return not self._backend.answers or (self._backend.root / SEARCH).is_dir()

    def _mark(self) -> int | None:
        """How far along the log the index is; None where none is kept."""
        return self._opened().sequence if self.is_kept else None

    def _respelled(self, query: Query) -> tuple[Query, list[str]]:
        index = self._opened()
        return respelled(query, index.searcher(), index.schema, self._tokens_at)

    def _tokens_at(self, places: list[Place]) -> Iterator[tuple[str, ...]]:
        for _, _, text in self._backend.read(partial(stored_turns, places=places)):
            yield tokens(tokenize.searchable_text(from_text(text, Turn)).text)

    def _catch_up_if_possible(self) -> int:
        """How far along the log the index is; -1 where there is none that can be used."""
        with self._guard:
            try:
                self._retry_reopened(self._catch_up)
            except CorruptArchiveError:
                raise
            except ArchiveError:  # a full disk: the index is used as it is
                pass
            try:
                return self._retry_reopened(lambda: self._opened().sequence)
            except CorruptArchiveError:
                raise
            except ArchiveError:
                return -1

    @property
    def name(self) -> str:
        """What people call this index."""
        return "search index"

    def lag(self) -> Lag:
        """What the index of words lacks, in conversations and turns of them; nothing where none is kept.

        Changes nothing.

        Raises:
            ArchiveError: there is an index, but it cannot be used.
        """
        if not self.is_kept:
            return Lag()
        with self._guard:
            known = (self._backend.root / SEARCH).is_dir()
            mark = self._retry_reopened(lambda: self._opened().sequence) if known else 0
        changed = direct.changed_turns(self._backend, max(0, mark))
        return Lag(
            len(changed), len(changed), sum(stop - start for start, stop in changed.values())
        )

    def _unindexed(self, query: Query, mark: int) -> direct.DirectResult:
        """What the index lacks and the archive has."""
        last = self._backend.read(log.last_sequence)
        if mark >= last:
            return direct.DirectResult([], 0)
        return direct.scan(self._backend, query, mark, last)

    def _confirmed_hits(self, retrieval: SearchPlan, query: Query, limit: int) -> list[Hit]:
        """Up to `limit` hits; the net is cast wider where what it held was stale."""
        hits: list[Hit] = []
        examined, wide = 0, limit + 4
        for _ in range(_ROUNDS):
            places = retrieval.places(wide, examined)
            examined += len(places)
            hits += confirmed(self._backend, places, query, limit - len(hits))
            if len(hits) >= limit or len(places) < wide:
                break
            wide *= 2
        return hits

    def exact(self, text: str, wanted: ConversationFilter, limit: int) -> SearchResult:
        """The newest turns that hold `text` letter by letter; no index is asked."""
        if not text or limit <= 0:
            return SearchResult()
        with self._backend.view():
            return exact_search.exact(self._backend, text, wanted, limit, self._runs)

    def _runs(self, text: str) -> Runs | None:
        """Where `text` may be; None where that is unknown and all must be read."""
        folder = self._folder() / exact_index.FOLDER
        with self._guard:
            try:
                if len(text) < exact_index.LENGTH or not folder.is_dir():
                    return None
                index = self._exact_index()
                mark = index.sequence
                runs = index.runs(text) if mark > 0 else None
            except (ValueError, OSError):  # tantivy says everything by ValueError
                self._exact = None
                return None
        changed = None if runs is None else exact_index.changes_after(self._backend, mark)
        return (
            None if runs is None or changed is None else exact_index.clip_stale_runs(runs, changed)
        )

    def catch_up(self) -> int:
        """Bring the indexes of words and of exact text up to the log.

        Return how many changes the words took. Exact text costs more: only this indexes it.
        """
        with self._guard:
            taken = self._retry_reopened(self._catch_up)
            last = self._backend.read(log.last_sequence)
            self._retry_reopened(
                lambda: exact_index.follow(self._backend, self._exact_index(), last)
            )
            return taken

    @contextmanager
    def exact_followers(self, *, live: bool = False) -> Generator[list[Follower]]:
        """Bring the index of words up to the log, then let another index feed the one of exact text.

        Nothing is offered that is up to date (but `live`: more will come) or cannot be written.
        Call `catch_up` for what is left.
        """
        with self._guard:
            self._retry_reopened(self._catch_up)
        writer: IndexWriter | None = None
        followers: list[exact_index.ExactFollower] = []
        with self._guard, suppress(ValueError, OSError):
            index = self._exact_index()
            missing = self._backend.read(log.last_sequence) - index.sequence
            if live or missing > 0:
                writer = index.writer(LIVE_HEAP if live else _heap(missing))
            if writer is not None:
                followers.append(exact_index.ExactFollower(index, writer, live=live))
        with writer or nullcontext():
            yield [*followers]
            with suppress(ValueError, OSError):
                for follower in followers:
                    follower.finish()

    def _exact_index(self) -> exact_index.ExactIndex:
        """The index of exact text of the store as it is now."""
        archive_id = self._opened().archive_id
        if self._exact is None or self._exact.archive_id != archive_id:
            self._exact = exact_index.ExactIndex(self._folder() / exact_index.FOLDER, archive_id)
        return self._exact

    def _retry_reopened(self, work: Callable[[], T]) -> T:
        """What `work` gives; an index that fails it is reopened or rebuilt, and tried again.

        Raises:
            ArchiveError: it cannot be made to work: a full disk, or no permission.
        """
        failure: Exception | None = None
        for _ in range(_ROUNDS):
            try:
                return work()
            except (ValueError, OSError) as error:  # tantivy says everything by ValueError
                self._index, self._exact, failure = None, None, error
        raise ArchiveError(
            f"the search index of {self._backend.name} cannot be used ({failure}); "
            "free some space or repair its permissions; the archive itself is whole"
        ) from failure

    def _plan(self, query: Query, *, thorough: bool) -> SearchPlan:
        index = self._opened()
        return SearchPlan(index, index.searcher(), query, thorough=thorough)

    def _catch_up(self) -> int:
        if self._feed is not None:
            self._feed.commit()
            return 0
        index = self._opened()
        mark, last = index.sequence, self._backend.read(log.last_sequence)
        writer = None
        if mark != last:
            writer = index.writer(_heap(last - mark))
        if writer is None:
            return 0
        with writer:
            follower = LogIndexer(self._backend, writer, max(0, index.sequence))
            follower.follow(last)
            follower.commit()
        return last - mark

    def rebuild(self) -> None:
        """Throw the index away and rebuild it: no word of what was pruned is left in it."""
        with self._guard:
            if self._feed is not None:
                return
            self._index = self._exact = None
            import shutil  # here, since every search loads this module

            shutil.rmtree(self._folder(), ignore_errors=True)
            self._retry_reopened(self._catch_up)

    @contextmanager
    def live_indexing(self, also_fed: AlsoFed | None = None) -> Generator[None]:
        """Index what is committed inside the block as it comes, from memory.

        `also_fed` gives what else takes in each commit; it must not fail, nor commit.
        """
        writer: IndexWriter | None = None
        others = ExitStack()
        with self._guard:
            if self._feed is None and self.is_kept:
                self._retry_reopened(self._catch_up)
                index = self._opened()
                writer = index.writer(LARGE_HEAP if also_fed is None else LIVE_HEAP)
                if writer is not None:
                    mark = max(0, index.sequence)
                    with suppress(ArchiveError, OSError, ValueError):
                        self._on_commit = also_fed and others.enter_context(also_fed())
                    self._feed = LogIndexer(self._backend, writer, mark, live=True)
        try:
            yield
        finally:
            with self._guard, others:
                self._on_commit = None
                if writer is not None:
                    feed, self._feed = self._feed, None
                    # What cannot be kept now, the next search catches up with.
                    with suppress(OSError, ValueError), writer:
                        if feed is not None:
                            feed.commit()

    def on_commit(self, changes: Sequence[CommittedChange]) -> None:
        """What was just committed; indexed at once if someone is feeding.

        The index is not worth a commit: where it fails it is left behind, to catch up later.
        """
        with self._guard:
            if self._feed is not None:
                try:
                    self._feed.on_commit(changes)
                except (OSError, ValueError):
                    self._feed = None
            if self._on_commit is not None:
                self._on_commit(changes)

    def _opened(self) -> SearchIndex:
        """The index of the store as it is now."""
        meta = self._backend.read(log.load_meta)
        archive_id = b"" if meta is None else meta.archive_id
        if self._index is None or self._index.archive_id != archive_id:
            self._index = SearchIndex(self._folder(), archive_id)
        return self._index

    def _folder(self) -> Path:
        """Where the index is: in the archive, or where that cannot be written, a private copy.

        tantivy takes a lock on disk even to read.
        """
        folder = self._backend.root / SEARCH
        if not self._backend.readonly:
            return folder
        if self._scratch is None:
            import shutil  # as above
            from tempfile import TemporaryDirectory

            self._scratch = TemporaryDirectory(prefix="dejavu-search-")
            if folder.is_dir():
                shutil.copytree(folder, Path(self._scratch.name) / SEARCH)
        return Path(self._scratch.name) / SEARCH

    def close(self) -> None:
        """Let go of the index, and of the private copy of it."""
        with self._guard:
            self._index = self._exact = None
            if self._scratch is not None:
                self._scratch.cleanup()
                self._scratch = None


def _expect_beginning(txn: Reader) -> None:
    """A hint at what every search begins with."""
    txn.expect("meta", [META])
    expect_unfinished_syncs(txn)


def _heap(changes: int) -> int:
    """What an index may hold in memory on its way over so many changes, bytes."""
    return SMALL_HEAP if changes < _SMALL else LARGE_HEAP
