"""Session logs into the archive: one boundary around each, whatever reading or parsing it raises.

Costs a stat a source that did not change and O(new bytes) otherwise. Importers take turns
(`ImportLock`), a batch each; what was read under an older cursor is read again.

A cursor belongs to a source of one kind. Where an agent changed the form of a session (a document
became a log, a log is left in a database alone), each form is a separate source with its own
cursor, raw and parser, and the conversation is what all of them hold.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self

import msgspec

from dejavu.archive import Archive
from dejavu.config.projects import ProjectNames
from dejavu.model import (
    ArchiveError,
    CorruptArchiveError,
    RawDelta,
    UnreadableSessionError,
    Vector,
)
from dejavu.providers import Cursor, Home, Kind, Provider, Source

from .channel import Channel, decode_cursor, load_session_log
from .ingestor import Ingestor
from .open_channel import OpenChannel

if TYPE_CHECKING:
    from .copies import Copies

__all__ = ["Importer"]


class Importer:
    """Reads session logs into an archive. A context manager: leaving the block commits the rest."""

    def __init__(
        self,
        archive: Archive,
        keys: Iterable[str] | None = None,
        *,
        clock: Callable[[], float] = time.time,
        stop: Callable[[], bool] = lambda: False,
        projects: Mapping[str, str] | None = None,
    ) -> None:
        """Import into `archive`; with `keys` each cursor is looked up when it is wanted.

        `stop` is asked between two batches of a log: what is left of it is for the next time.
        `projects`: those that other machines said of themselves, by instance.
        """
        self._archive = archive
        self._keys = keys
        self._stop = stop
        self.stopped = False
        self._cursors: dict[str, bytes | None] = {}
        self._ingestor = Ingestor(archive, clock=clock)
        self._ingestor.projects = ProjectNames(projects)
        self._machines: set[str] = set()
        self.report = self._ingestor.report

    def __enter__(self) -> Self:
        """Begin; the cursors are read at once."""
        if self._keys is None:
            self._cursors = dict(self._archive.sources.cursors())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Commit what is pending, unless the block failed."""
        try:
            if kind is None:
                self._ingestor.flush()
        finally:
            self._ingestor.close()

    @property
    def archive(self) -> Archive:
        """Where to."""
        return self._archive

    @property
    def committed(self) -> int:
        """Sources that were looked at and of which nothing waits to be committed."""
        return self.report.sources - self._ingestor.waiting

    def knows(self, source: Source) -> bool:
        """Whether anything of a source had been read when this began."""
        return self._stored(source.key) is not None

    def _stored(self, key: str) -> bytes | None:
        """The cursor of a source as it was when this began, or is now."""
        if self._keys is not None and key not in self._cursors:
            self._cursors[key] = self._archive.sources.cursor(key)
        return self._cursors.get(key)

    def discover(self, provider: Provider, home: Home) -> Iterator[Source]:
        """The sources of a provider; one that fails to look for them is named with the home."""
        where, outside = str(home.path), False
        sources = provider.discover(home)
        while True:
            try:
                source = next(sources, None)
            except Exception as error:
                self._ingestor.fail(provider.agent, where, error)
                return
            if source is None:
                self._ingestor.failures.clear(provider.agent, where)
                return
            if home.holds(source.path):
                yield source
            elif not outside:
                outside = True
                link = UnreadableSessionError(
                    "a link leads out of this home, which is not followed"
                )
                self._ingestor.fail(provider.agent, str(source.path), link)

    def read(self, provider: Provider, source: Source, *, afresh: bool = False) -> bool:
        """Read what is new in one source, or all of it (`afresh`); whether there was anything.

        Whatever that raises is the source's failure: it is reported, and tried again next time.

        Raises:
            ArchiveError: it could not be stored (locked, full).
        """
        self.report.sources += 1
        form = source
        try:
            if not self.knows(source) and self._is_copy(provider, source):
                self.report.copies += 1
                return False
            form, cursor = self._form(source)
            if self._keys is not None:  # it is asked of once, and may be read again
                for key in {source.key, form.key}:
                    self._cursors.pop(key, None)
            news = self._read(provider, form, None if afresh else cursor, afresh=afresh)
        except ArchiveError as error:
            if not isinstance(error, CorruptArchiveError):
                raise
            self._ingestor.drop(form.key)
            self._ingestor.fail(source.agent, str(source.path), error)
            self.report.unkept += 1
            return False
        except Exception as error:  # also MemoryError and RecursionError
            self._ingestor.drop(form.key)
            self._ingestor.fail(source.agent, str(source.path), error)
            return False
        self._ingestor.failures.clear(source.agent, str(source.path))
        return news

    def _is_copy(self, provider: Provider, source: Source) -> bool:
        """Whether it is another machine's file and the archive has the same from a third one."""
        if source.instance == self._own:
            return False
        for other in self._copies.others(source, self._machines):
            if self._ingestor.pending(other.key):
                self._ingestor.flush()
            if self._copies.holds(provider, source, other):
                return True
        return False

    @cached_property
    def _own(self) -> str:
        from dejavu.config.settings import load_config, own_instance  # of no use to known sources

        return own_instance(load_config())

    @cached_property
    def _copies(self) -> "Copies":
        from .copies import Copies  # of no use to this machine's files

        return Copies(self._archive)

    def _form(self, source: Source) -> tuple[Source, Cursor | None]:
        """The source under the key of its form, and the cursor of that form."""
        stored = self._stored(source.key)
        kind, cursor = decode_cursor(stored)
        if kind is None and cursor is not None and not _may_be_of(cursor, source.kind):
            # An older version did not note the kind; its record of the source has the first one.
            recorded = load_session_log(self._archive, source.key)
            kind = recorded.kind if recorded is not None else None
        if kind in (None, source.kind):
            return source, cursor
        form = replace(source, variant=str(source.kind))
        stored = self._stored(form.key) or self._archive.sources.cursor(form.key)
        if stored is None and (first := load_session_log(self._archive, source.key)) is not None:
            for one in (first, form):
                self._ingestor.register(Channel(Vector.NATIVE, one), merged=True)
        return form, decode_cursor(stored)[1]

    def _read(
        self, provider: Provider, source: Source, cursor: Cursor | None, *, afresh: bool = False
    ) -> bool:
        key = source.key
        if self._ingestor.pending(key):  # two names of one source
            self._ingestor.flush()
            cursor = self._cursor(key)
        deltas = provider.follow(source, cursor)
        first = next(deltas, None)
        if first is None:
            return False
        with self._ingestor.archiving():
            self._ingestor.lock.claim()
        now = self._cursor(key)
        if now != cursor and not afresh:  # another importer continued meanwhile
            cursor, deltas = now, provider.follow(source, now)
            first = next(deltas, None)
            if first is None:
                return False
        if cursor is None and not first.reset and self._archive.sources.knows(key):
            # A repair took the cursor away. As after a rewriting, nothing else is lost by it.
            first = first._replace(reset=True)
        channel = Channel(Vector.NATIVE, source)
        opened = self._ingestor.open(channel, provider.parser, fresh=first.reset)
        if cursor is None:
            self._ingestor.register(channel)
            self._machines.add(source.instance)
        try:
            self._add_all(opened, first, deltas)
        finally:
            self._ingestor.count_drift(opened)
        self.report.read += 1
        return True

    def _add_all(self, opened: OpenChannel, first: RawDelta, deltas: Iterator[RawDelta]) -> None:
        ingestor = self._ingestor
        delta: RawDelta | None = first
        while delta is not None:
            if delta.reset:
                delta = ingestor.replace(opened, delta, deltas)
            else:
                whole = opened.channel.source.kind is Kind.WHOLE
                following = next(deltas, None) if whole else None
                ingestor.add(opened, delta, more=following is not None)
                delta = following if whole else next(deltas, None)
            if ingestor.full:
                ingestor.flush(more=True)
                if delta is None:
                    return
                if opened.channel.source.kind is Kind.APPEND and self._stop():
                    self.stopped = True
                    return
                if not self._go_on(opened):
                    return

    def _go_on(self, opened: OpenChannel) -> bool:
        """Wait for those who want the lock; False if another importer read on meanwhile."""
        with self._ingestor.archiving():
            self._ingestor.lock.pause()
        return self._cursor(opened.key) == opened.cursor

    def _cursor(self, key: str) -> Cursor | None:
        return decode_cursor(self._archive.sources.cursor(key))[1]


def _may_be_of(cursor: Cursor, kind: Kind) -> bool:
    """Whether a cursor without a kind can be one of `kind`, judged by its first value.

    An offset begins a log's cursor, a hash a document's, and a stamp or a watermark a database's.
    """
    try:
        values = msgspec.msgpack.decode(cursor)
    except msgspec.MsgspecError:
        return False
    first = values[0] if isinstance(values, list) and values else None  # pyright: ignore[reportUnknownVariableType]
    return {Kind.APPEND: isinstance(first, int), Kind.WHOLE: isinstance(first, bytes)}.get(
        kind, not isinstance(first, int | bytes)
    )
