"""The archive: records in, records out, for as long as its store lives.

What is put is read back exactly. Everything is durable when a call returns, or has not happened.
One writer at a time (a bounded wait, then `ArchiveLockedError`); readers never wait. Must not be
opened before a fork.

Costs: `put` and `commit` O(what is given + one block), `get` O(its turns and their raw), `scan`
O(entries passed), opening a few system calls. Nothing holds a whole source in memory.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from itertools import chain, islice
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

import msgspec

from dejavu.model import (
    ArchiveError,
    Batch,
    Conversation,
    ConversationFilter,
    Receipt,
    Turn,
    TurnUpdate,
)

from . import conversations, log, marks, turns
from .backends.backend import Backend
from .backends.registry import bring_to_format, open_store
from .backends.transaction import Reader, Writer
from .commit import AlsoFed, CommitApplier, CommittedChange, expect_batch, set_pruned
from .counts import Counting, Counts, count
from .keys import number_key
from .log import LogEntry
from .marks import MarkChange
from .namespace import Namespace
from .records import from_text
from .search.snippet import Hit, SearchResult
from .sources import Sources
from .withheld import Mask, MaskCache, masked_batch

if TYPE_CHECKING:
    from .maintenance.maintenance import Maintenance
    from .search.engine import SearchEngine

T = TypeVar("T")


class Archive:
    """The archive in one place. A context manager; `close` it, or leave the block.

    What it knows of sources is `sources`, its care `maintenance`, reading in few round trips `views`.
    `notes` are sentences on what opening had to repair. `also_fed` is fed as the search index is by a
    long import (`indexing`).
    """

    def __init__(
        self, backend: Backend, *, readonly: bool = False, notes: Sequence[str] = ()
    ) -> None:
        """Use `Archive.open`."""
        self.name = backend.name
        self.root = backend.root
        self.readonly = readonly
        self.notes = tuple(notes)
        self.sources = Sources(self)
        self.views = turns.Views(self)
        self.also_fed: AlsoFed | None = None
        self._backend = backend
        self._closed = False
        self._search_engine: SearchEngine | None = None
        self._engine_lock = threading.Lock()
        self._withheld = MaskCache()

    @classmethod
    def open(cls, path_or_url: str | Path, *, create: bool = True, readonly: bool = False) -> Self:
        """The archive in a folder or behind a `postgresql://` URL.

        It is made if it is not there and `create` is true.

        Raises:
            NotFoundError: not there, and `create` is false or `readonly` true.
            ConfigError: a URL that cannot be used, or a folder with other things in it.
            NewerFormatError, CorruptArchiveError, ArchiveLockedError: as their names say; nothing was touched.
            ArchiveError: out of reach, a link, someone else's, or on a network file system.
        """
        opened = open_store(path_or_url, create=create and not readonly, readonly=readonly)
        archive = cls(opened.backend, readonly=readonly, notes=opened.notes)
        try:
            bring_to_format(opened, readonly=readonly)
        except BaseException:
            archive.close()
            raise
        return archive

    def close(self) -> None:
        """Let go of the store; closing twice is fine."""
        if self._search_engine is not None:
            self._search_engine.close()
        if not self._closed:
            self._closed = True
            self._backend.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @property
    def backend(self) -> Backend:
        """The store beneath, for the archive's own tools.

        Raises:
            ArchiveError: this hold was closed.
        """
        if self._closed:
            raise ArchiveError(f"the archive {self.name} is closed")
        return self._backend

    @property
    def writable(self) -> bool:
        """Whether anything may be added: not read-only, and no mere reader on a server."""
        return not self.readonly and bool(getattr(self._backend, "writable", True))

    @cached_property
    def maintenance(self) -> "Maintenance":
        """The care of the archive; loaded when it is first wanted."""
        from .maintenance.maintenance import Maintenance

        return Maintenance(self)

    @property
    def search_engine(self) -> "SearchEngine":
        """The searching side; loaded when it is first wanted."""
        with self._engine_lock:
            if self._search_engine is None:
                from .search.engine import SearchEngine

                self._search_engine = SearchEngine(self.backend)
            return self._search_engine

    def _index_changes(self, changes: Sequence[CommittedChange]) -> None:
        """Tell the searching side, if there is one."""
        if self._search_engine is not None:
            self._search_engine.on_commit(changes)

    def put(self, conversation: Conversation) -> bool:
        """Keep a whole conversation; True if anything changed, so putting twice is harmless.

        More turns extend it, other turns replace those from the first difference on; fewer,
        equal ones take nothing away. What was pruned comes back.
        """
        whole = Batch(updates=[TurnUpdate(conversation, 0, conversation.turns)])

        def apply(txn: Writer, applier: CommitApplier, batch: Batch) -> bool:
            set_pruned(txn, conversation.id, 0)
            return applier.update(batch.updates[0], never_truncate=True)

        changed, _, changes = self._applied(whole, apply)
        self._index_changes(changes)
        return changed

    def commit(self, batch: Batch) -> Receipt:
        """Keep all of a batch, or nothing of it.

        Raises:
            ArchiveError: raw or turns begin beyond what is held of their source.
        """
        _, sequence, changes = self._applied(
            batch, lambda _txn, applier, masked: applier.apply(masked)
        )
        self._index_changes(changes)
        return Receipt(tuple(dict.fromkeys(fed.entry.conversation for fed in changes)), sequence)

    def _applied(
        self, batch: Batch, apply: Callable[[Writer, CommitApplier, Batch], T]
    ) -> tuple[T, int, list[CommittedChange]]:
        """Run `apply` on a batch without what is withheld; what it gives, the last change, and all."""

        def change(txn: Writer) -> tuple[T, CommitApplier]:
            expect_batch(txn, batch)
            txn.movable = True
            mask = self._withheld.mask(txn)
            applier = CommitApplier(txn, log.require_meta(txn), time.time())
            given = apply(txn, applier, batch if mask is None else masked_batch(batch, mask))
            applier.finish()
            return given, applier

        given, applier = self._write(change)
        return given, *applier.outcome()

    def withheld(self) -> Mask | None:
        """What masks bytes as a commit does, where secrets or turns were taken out."""
        return self._read(self._withheld.mask)

    def mark(self, conversation: str, change: MarkChange) -> bool:
        """Star, tag or rename a conversation, by its id or a unique beginning; True if it changed.

        Raises:
            NotFoundError: none or several begin with it.
        """

        def work(txn: Writer) -> bool:
            return marks.apply(txn, log.require_meta(txn), conversation, change) is not None

        return self._write(work)

    def resolve(self, prefix: str) -> str:
        """The full id that `prefix` is, or alone begins; `last` and `last~2` are counted from the newest.

        One without a date, or that an agent held in the background, comes after all others. Also
        the beginning of an agent's own id will do.

        Raises:
            NotFoundError: none or several begin with it; the text names some.
        """
        back = conversations.places_back(prefix)
        if back is None:
            return self._read(lambda txn: conversations.resolve(txn, prefix))
        dated = self.scan(until=inf, side=False, limit=back + 1)
        return conversations.counted_back(prefix, back, chain(dated, self.scan(limit=back + 1)))

    def summary(self, conversation: str) -> Conversation:
        """A conversation without its turns, by its id or a unique beginning of it."""
        return self._read(
            lambda txn: conversations.summary_of(conversations.require(txn, conversation))
        )

    def identity(self, number: int) -> str | None:
        """The id of the conversation that has this number now (`LogEntry.number`)."""
        key = self._read(lambda txn: txn.get("numbers", number_key(number)))
        return None if key is None else key.decode()

    def first_prompt(self, conversation: str) -> str:
        """The first prompt (at most 400 characters), from the summary alone."""
        return from_text(
            self._read(lambda txn: conversations.require(txn, conversation)).prompt, str
        )

    def first_prompts(self, names: Sequence[str]) -> dict[str, str]:
        """As `first_prompt`, of many by their whole ids; those that are gone are left out."""
        found = self._read(lambda txn: {name: conversations.find(txn, name) for name in names})
        held = ((name, record.prompt) for name, record in found.items() if record is not None)
        return {name: from_text(prompt, str) for name, prompt in held}

    def get(self, conversation: str) -> Conversation:
        """A conversation with its turns, by its id or a unique beginning of it.

        Raises:
            NotFoundError: none or several begin with it.
            CorruptArchiveError: a stored value does not match its checksum.
        """
        summary, texts = self._read(lambda txn: turns.read_whole(txn, conversation))
        with conversations.naming(summary.id):
            decoded = tuple(from_text(text, Turn) for text in texts)
        return msgspec.structs.replace(summary, turns=decoded)

    def turns(self, conversation: str, start: int = 0, stop: int | None = None) -> Iterator[Turn]:
        """Turns `start` to `stop` in order, some blocks at a time; that is all in memory.

        Raises:
            NotFoundError: none or several conversations begin with `conversation`.
            CorruptArchiveError: a stored value does not match its checksum, or turns are missing.
        """
        return turns.stream(self, conversation, max(0, start), stop)

    def scan(
        self,
        *,
        workspace: str | None = None,
        instance: str | None = None,
        agent: str | None = None,
        since: float | None = None,
        until: float | None = None,
        limit: int | None = None,
        newest_first: bool = True,
        side: bool = True,
    ) -> Iterator[Conversation]:
        """Heads by their last moment, without turns; what went on between `since` and `until`.

        `side`: also what an agent's harness asked in the background (`Conversation.is_side`).
        Newest first, those without any time of their own come last, as they were captured.
        Moments are Unix seconds. Short transactions: a conversation that moves while one
        iterates may be met twice or not at all.
        """
        wanted = ConversationFilter(
            workspace=workspace, instance=instance, agent=agent, since=since, until=until, side=side
        )
        return self.select(wanted, limit=limit, newest_first=newest_first)

    def select(
        self,
        wanted: ConversationFilter,
        *,
        limit: int | None = None,
        newest_first: bool = True,
    ) -> Iterator[Conversation]:
        """The conversations that pass a filter, as `scan` lists them."""
        found = conversations.select(self._read, wanted, newest_first=newest_first)
        return islice(found, limit)

    def log(self, after: int = 0) -> Iterator[LogEntry]:
        """Changes with a sequence above `after`, in order, up to now."""
        return log.pages(self._read, after)

    def counts(self) -> Counts:
        """What the archive holds, in figures."""
        if isinstance(self.backend, Counting):
            return self.backend.counts()
        size = self.backend.size()
        return self._read(lambda txn: count(txn, size))

    def workspace_around(self, folder: str) -> str | None:
        """The workspace that a folder is in: itself, or the nearest above it that has conversations."""
        folders = [str(path) for path in (Path(folder), *Path(folder).parents)]
        if isinstance(self.backend, Counting):
            known = self.backend.counts().by_workspace
            return next((path for path in folders if path in known), None)
        return self._read(lambda txn: conversations.first_workspace(txn, folders))

    def search(
        self,
        query: str,
        *,
        limit: int = 20,
        workspace: str | None = None,
        instance: str | None = None,
        agent: str | None = None,
        role: str | None = None,
        tool: str | None = None,
        path: str | None = None,
        since: float | None = None,
        until: float | None = None,
        exact: bool = False,
        side: bool = True,
    ) -> SearchResult:
        """The turns that answer `query`, best first (see `query.py` for what it may hold).

        `side`: also in what an agent's harness asked in the background (`Conversation.is_side`).

        A list of `Hit`; its `behind` says how many conversations could not be looked in whole.

        `exact` looks for the query letter by letter, in everything, newest first. Any text will do
        for a query; without words in it, the newest turns that fit the filters.
        """
        wanted = ConversationFilter(
            workspace=workspace, instance=instance, agent=agent, role=role, tool=tool, path=path,
            since=since, until=until, side=side,
        )  # fmt: skip
        return self.find(query, wanted, limit=limit, exact=exact)

    def find(
        self, query: str, wanted: ConversationFilter, *, limit: int = 20, exact: bool = False
    ) -> SearchResult:
        """The turns that answer `query` and pass a filter, as `search` has them."""
        find = self.search_engine.exact if exact else self.search_engine.search
        most = limit
        while True:
            result = find(query, wanted, most)
            if wanted.side or result.visible:
                return result
            visible = self._without_side(result)
            if len(visible) >= limit or len(result) < most:
                return SearchResult(visible[:limit], result.behind, result.notes)
            most *= 4

    def _without_side(self, hits: Sequence[Hit]) -> list[Hit]:
        """The hits in conversations that a person held. O(conversations among them)."""
        names = {hit.conversation for hit in hits}
        with self.views.shared():
            self.views.expect_summaries(names)
            visible = {name for name in names if not self.summary(name).is_side}
        return [hit for hit in hits if hit.conversation in visible]

    def update_index(self) -> int:
        """Bring the search index up to now; return the number of changes applied."""
        return self.search_engine.catch_up()

    def indexing(self) -> AbstractContextManager[None]:
        """A block in which what is committed is indexed from memory: for long imports."""
        return self.search_engine.live_indexing(self.also_fed)

    def namespace(self, name: str) -> Namespace:
        """Small named records of another part, kept and backed up with the archive."""
        return Namespace(self.backend, name)

    def _read(self, look: Callable[[Reader], T]) -> T:
        return self.backend.read(look)

    def _write(self, change: Callable[[Writer], T]) -> T:
        if self.readonly:
            raise ArchiveError(f"the archive {self.name} was opened read-only")
        return self.backend.write(change)
