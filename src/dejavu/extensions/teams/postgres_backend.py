"""PostgreSQL beneath an archive: a table of keys and values, for as many machines as share it.

Next to the records are relations that SQL can read, made from them in the same transaction
(`postgres_migrations.py` says why both).

`open_server` returns the `Backend` behind a URL. A read is a snapshot (repeatable read), a write
is committed under an advisory lock of its schema (`postgres_writing.py`). A connection that breaks is
made again and the function run again, up to ten seconds. Whether a commit whose answer was lost
took place is looked up (`dejavu_commits`), so it never happens twice, and never gets lost.

What this machine derives (indexes, locks) is in `root`. Costs: a read two round trips, and one for each
key or page read (`postgres_reader.py`); within `view` reads share one snapshot and what it knows.
Must not be used after a fork.
"""

import os
import threading
import time
import uuid
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import psycopg

from dejavu.archive.backends import atomic_swap, layout
from dejavu.archive.backends.transaction import Reader, Writer
from dejavu.archive.counts import Counts, count
from dejavu.archive.search.remote import Candidate, FoundTurn, ServerTerm, TextQuestion
from dejavu.archive.usage import Bounds, UsageRow
from dejavu.config.paths import local_folder, private_folder
from dejavu.model import ArchiveError, ConversationFilter
from dejavu.recall.history.minilm import DIMENSIONS

from . import postgres_attempts as attempts
from . import postgres_migrations as migrations
from . import postgres_opening as opening
from . import postgres_schema as schema
from . import postgres_search as search
from . import postgres_storage as storage
from . import postgres_usage as sums
from . import postgres_vectors as vectors
from .postgres_connection import ConnectionLostError, Connections
from .postgres_reader import PostgresReader
from .postgres_records import RECORDS, script
from .postgres_relations import Relations
from .postgres_retention import hold_on
from .postgres_transaction import PostgresWriter
from .postgres_view import View
from .postgres_writing import Writing

T = TypeVar("T")
Cursor = psycopg.Cursor[Any]

_open: dict[str, "PostgresBackend"] = {}
_opening = threading.RLock()


class PostgresBackend:
    """One archive on a server, shared by every `Archive` of this process with the same URL."""

    def __init__(self, url: str, *, create: bool) -> None:
        """Open it; use `open_server`, which shares.

        Raises:
            NotFoundError: there is none, and `create` is false.
            ConfigError: the URL cannot be read, or the tables of those names are not ours.
            ArchiveError: out of reach, or refused.
        """
        self.readonly, self.far, self.users = False, True, 0
        self._url = url
        self._pid = os.getpid()
        self._connections = Connections(url)
        self._attempts = attempts.Attempts(self._connections, self._refuse_closed)
        self.name = self._connections.name
        self._writing = Writing(self._attempts, self._connections)
        self._views = threading.local()
        try:
            find = partial(
                opening.find_archive, self._connections, create=create, patience=attempts.PATIENCE
            )
            # Who came to write waits as a write does; a reader gets the error at once.
            self.place = (
                attempts.Attempts(self._connections, lambda: None).repeat(find)
                if create
                else find()
            )
            self.root = local_folder(url)
            private_folder(self.root)
        except BaseException as error:
            self._connections.drop()
            if isinstance(error, ConnectionLostError):
                raise self._connections.unreachable(error) from error
            raise

    def upgrade(self) -> None:
        """Bring the archive to this program's schema; again it changes nothing.

        Raises:
            ArchiveError: this role does not own the tables, or the server refused.
            ArchiveLockedError: others wrote all the time.
        """
        self.place = opening.upgrade(self._connections, self.place, attempts.PATIENCE)

    def read(self, look: Callable[[Reader], T]) -> T:
        """Return the result of `look` on one snapshot: that of the view around it, if there is one."""
        view: View | None = getattr(self._views, "view", None)
        if view is not None:
            return self._attempts.repeat(lambda: view.read(look))

        def once(cursor: Cursor) -> T:
            reader = PostgresReader(cursor, schema.opening(self.place))
            result = look(reader)
            if reader.began:
                self._connections.end_later(cursor)
            return result

        return self._attempts.on_cursor(once)

    @contextmanager
    def view(self) -> Generator[None]:
        """Let this thread's reads within the block share one snapshot, and what was fetched.

        A write within it begins another one.
        """
        if getattr(self._views, "view", None) is not None:
            yield
            return
        view = self._views.view = View(self._connections, self.place)
        try:
            yield
        finally:
            self._views.view = None
            view.end()

    def inspect(self, look: Callable[[Reader], T]) -> T:
        """As `read`: the server looks after its own pages. Within `rebuild`, what was there before."""
        old: PostgresReader | None = getattr(self._views, "old", None)
        return self.read(look) if old is None else look(old)

    def write(self, change: Callable[[PostgresWriter], T], *, patience: float | None = None) -> T:
        """What `change` gives, durable on the server when this returns."""
        patience = attempts.PATIENCE if patience is None else patience
        migrations.refuse_writing(self.name, self.place.versions)
        view: View | None = getattr(self._views, "view", None)
        if view is not None:
            view.end()
        try:
            return self._writing.run(self.place, change, patience)
        except ArchiveError as error:
            refused = isinstance(error.__cause__, psycopg.errors.InsufficientPrivilege)
            if self.place.writable or not refused:
                raise
            raise ArchiveError(
                f"this login may only read the archive {self.name}; a writer adds and deletes their own "
                "conversations, a curator all; an owner gives the right with `dejavu team grant`, and "
                "`dejavu team status` names them"
            ) from error

    def rehearse(self, change: Callable[[PostgresWriter], object], patience: float) -> None:
        """Make `change` with all that the server judges at its end, and take it back.

        Raises:
            ArchiveLockedError: others kept the writer's place for `patience` seconds.
            ArchiveError: refused, or out of reach.
        """
        migrations.refuse_writing(self.name, self.place.versions)
        try:
            with self._connections.cursor() as cursor:
                schema.begin_writing(cursor, self.place, patience, self.name)
                writer = PostgresWriter(cursor)
                change(writer)
                writer.flush(
                    lambda: Relations(writer, self.place.reached).write(cursor, writer.touched)
                )
                schema.note(cursor, uuid.uuid4(), 1)
                script(cursor, "set constraints all immediate; rollback")
        except ConnectionLostError as lost:
            raise self._connections.unreachable(lost) from lost

    @contextmanager
    def writer(self) -> Generator[None]:
        """Keep other writers out for the length of the block."""
        with self._attempts.alone():
            try:
                with self._connections.cursor() as cursor:
                    schema.begin_writing(cursor, self.place, attempts.PATIENCE, self.name)
                    yield
            except ConnectionLostError as lost:
                raise self._connections.unreachable(lost) from lost

    def _refuse_closed(self) -> None:
        """Raise `ArchiveError` where this process may not use it any more."""
        if self.forked:
            raise ArchiveError(
                f"the archive {self.name} was opened before a fork; open it again here"
            )
        if self.users == 0:
            raise ArchiveError(f"the archive {self.name} is closed")

    def find_text(
        self,
        questions: Sequence[TextQuestion],
        wanted: ConversationFilter,
        most: int,
        *,
        shown: Sequence[str] = (),
        paths: str | None = None,
        numbers: Sequence[int] | None = None,
    ) -> list[FoundTurn] | None:
        """The newest turns that answer; one statement. None: an older schema cannot tell."""
        asked = self.place.quoted, questions, wanted, most
        if self.answers:
            return self.read(partial(search.find_text, *asked, shown, paths, numbers))
        if paths or numbers is not None or not all(question.index for question in questions):
            return None
        return self.read(partial(search.find_text_before, *asked))

    @property
    def answers(self) -> bool:
        """Whether the server finds whatever an index here would."""
        return self.place.reached >= search.WITH_ANSWERS

    def find_exchanges(
        self,
        terms: Sequence[ServerTerm],
        places: Sequence[str] | None,
        project: str | None,
        most: int,
        near: tuple[str, Sequence[float]] | None = None,
    ) -> str:
        """The exchanges that hold most of a question, as JSON; one statement."""
        vector = (near[0], vectors.as_text(near[1])) if near and self.compares_meanings else None
        asked = self.place.quoted, terms, places, project, most, vector
        return self.read(partial(search.find_exchanges, *asked))

    @property
    def compares_meanings(self) -> bool:
        """Whether the server keeps and compares vectors."""
        return self.answers and self.place.meanings

    def vector_store(self, model: str, dimensions: int) -> vectors.SharedVectors | None:
        """The store of a model's vectors; None where the server keeps none of that length."""
        if not self.compares_meanings or dimensions != DIMENSIONS:
            return None
        return vectors.SharedVectors(self.root, self.place.quoted, model, self._attempts.on_cursor)

    def has_project(self, name: str) -> bool:
        """Whether a workspace that this login may read is of a project; only where it `answers`."""
        return self.read(partial(search.has_project, name))

    def find_exact(
        self, patterns: tuple[str, str], wanted: ConversationFilter, most: int
    ) -> list[Candidate] | None:
        """The turns that may hold a text, at most `most`; one statement. None: an older schema."""
        if self.place.reached < search.WITH_EXACT:
            return None
        return self.read(partial(search.find_exact, self.place.quoted, patterns, wanted, most))

    def bytes_of(self, turns: Sequence[tuple[int, int, int]]) -> int:
        """Bytes of the blocks that hold turns (conversation number, start, stop), without their raw."""
        return self.read(partial(search.bytes_of, turns))

    def copy(self, target: Path) -> None:
        """The archive as it is now, as an LMDB store in the empty folder `target`."""
        self.read(partial(storage.copy_records, target=target))
        atomic_swap.fsync_private(target / layout.DATA)

    def rebuild(self, fill: Callable[[Writer], None]) -> str | None:
        """Let `fill` write another archive in this one's place; return the old one's new name.

        The old table stays on the server under that name; an empty one goes.

        Raises:
            ArchiveError: this login does not own the tables; nothing was touched.
        """
        if not self.place.owned:
            raise ArchiveError(
                f"only the keeper of the archive {self.name} may replace it; "
                "`DEJAVU_ARCHIVE=FOLDER dejavu archive restore` puts a backup in a folder of your own"
            )
        aside = f"{RECORDS}_replaced_{time.time_ns()}"

        def change(txn: PostgresWriter) -> str | None:
            kept_old = txn.set_aside(aside)
            # Only this transaction sees the old records, and no other gets past its lock.
            self._views.old = txn.reader_of(aside) if kept_old else None
            try:
                fill(txn)
            finally:
                self._views.old = None
            return aside if kept_old else None

        return self.write(change)

    def compact(self) -> int:
        """Rewrite the table without removed rows; return the number of bytes freed."""
        before = self.size()
        with self._attempts.alone():
            self._attempts.on_cursor(lambda cursor: storage.compact(cursor, self.place))
        return before - self.size()

    def hold_on(self, conversation: str) -> str | None:
        """The reason of the hold that a conversation is under. Two round trips."""
        return self._attempts.on_cursor(
            lambda cursor: hold_on(cursor, self.place.quoted, conversation)
        )

    def stale_readers(self) -> int:
        """How many notes of processes that died were freed; 0 where that is not allowed."""
        try:
            return self._attempts.on_cursor(lambda cursor: schema.forget_dead(cursor, self.place))
        except ArchiveError:
            return 0

    def size(self) -> int:
        """Bytes of the tables on the server, their indexes and free space included."""
        return self._attempts.on_cursor(lambda cursor: storage.table_bytes(cursor, self.place))

    def counts(self) -> Counts:
        """What the archive holds, as far as this login may read it; one statement."""
        if not self.answers:
            return self.read(partial(count, stored_bytes=self.size()))
        return self.read(partial(storage.counts, place=self.place))

    def usage(
        self, wanted: ConversationFilter, bounds: Bounds, *, each: bool, blocks: bool
    ) -> list[UsageRow] | None:
        """Sums of turns, as far as this login may read them; None where the schema keeps none."""
        if self.place.reached < sums.WITH_USAGE:
            return None
        return self.read(partial(sums.usage, self.place.quoted, wanted, bounds, each, blocks))

    def note_work(self, action: str, name: str, detail: dict[str, int | str]) -> None:
        """Add a line to the audit, where the schema has it."""
        if self.place.reached >= storage.WITH_NOTES:
            line = partial(storage.note_work, place=self.place, line=(action, name, detail))
            self._attempts.on_cursor(line)

    def marked(self, newest: int) -> int | None:
        """Nothing is noted next to the store: its own record speaks for itself."""
        return newest

    def mark(self, written: int) -> None:
        """Nothing is noted next to the store."""

    @property
    def writable(self) -> bool:
        """Whether this role may add to the archive at all."""
        return self.place.writable

    @property
    def forked(self) -> bool:
        """True in a child of the process that opened it, where it must not be used."""
        return os.getpid() != self._pid

    def close(self) -> None:
        """Let go; the last user closes the connections."""
        with _opening:
            self.users -= 1
            if self.users > 0:
                return
            _open.pop(self._url, None)
        if self.forked:
            return
        if self._writing.commits:
            with suppress(ConnectionLostError, ArchiveError), self._connections.cursor() as cursor:
                self._writing.forget(cursor, self.place)
        self._connections.drop()


def open_server(url: str, *, create: bool) -> PostgresBackend:
    """The backend behind `url`: the one this process has open, or a new one."""
    with _opening:
        backend = _open.get(url)
        if backend is None or backend.forked:
            backend = _open[url] = PostgresBackend(url, create=create)
        backend.users += 1
        return backend
