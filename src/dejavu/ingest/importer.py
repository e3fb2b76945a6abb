"""Importing: sources in, one archive out, many small changes in one transaction.

Takes sources and their providers; commits raw, turns, cursors and parsers' states together, so a
crash at any moment loses nothing that was acknowledged and doubles nothing. Costs a stat a source
that did not change and O(new bytes) otherwise; memory is O(`BATCH` + the longest delta).

Importers take turns (`ImportLock`), a batch each; what was read under an older cursor is read
again.
"""

from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from types import TracebackType
from typing import Self

import msgspec

from dejavu.archive import Archive, Batch
from dejavu.config.clock import now as clock
from dejavu.model import ArchiveError, NotFoundError, ProviderError, Turn, Vector
from dejavu.providers import (
    PROVIDERS,
    Kind,
    Parser,
    Provider,
    RawDelta,
    Source,
    StaleStateError,
    TurnUpdate,
)

from .import_lock import ImportLock
from .rewrite import Kept, is_kept, merged, placed, unwrapped, wrapped
from .schema_drift import Drift, Key, sample
from .source_registry import remember

BATCH = 4 << 20
"""Bytes of raw that are committed together, at the most (a longer delta alone)."""

_SOURCES = 256  # sources in a batch
_REWRITTEN = 64 << 20  # bytes of a rewritten source that are compared with its turns at once


@dataclass(slots=True)
class Report:
    """What a sync did."""

    sources: int = 0
    read: int = 0
    bytes: int = 0
    conversations: set[str] = field(default_factory=set[str])
    unreadable: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    unkept: int = 0
    """Of the unreadable, those that could be read but not be kept."""
    drift: Counter[str] = field(default_factory=Counter[str])

    def merge(self, other: "Report") -> None:
        """Add what `other` did."""
        self.sources += other.sources
        self.read += other.read
        self.bytes += other.bytes
        self.conversations |= other.conversations
        self.unreadable += other.unreadable
        self.unkept += other.unkept
        self.drift += other.drift


@dataclass(slots=True)
class _Piece:
    """What is to be committed of one source."""

    source: Source
    parser: Parser
    cursor: bytes
    new: bool
    version: str = ""
    raw: list[RawDelta] = field(default_factory=list[RawDelta])
    updates: list[TurnUpdate] = field(default_factory=list[TurnUpdate])
    places: dict[str, tuple[Kept, ...]] = field(default_factory=dict[str, tuple[Kept, ...]])


class Importer:
    """Reads sources into an archive. A context manager: leaving the block commits the rest."""

    def __init__(self, archive: Archive, keys: Iterable[str] | None = None) -> None:
        """Import into `archive`; `keys` are those of the sources, where it is known."""
        self.report = Report()
        self._archive = archive
        self._keys = keys
        self._cursors: dict[str, bytes] = {}
        self._pending: dict[str, _Piece] = {}
        self._bytes = 0
        self._lock = ImportLock(archive.root)
        self._now = clock()
        self._long = False
        self._drift = Drift()
        self._index = ExitStack()

    def __enter__(self) -> Self:
        """Begin; the cursors are read at once."""
        if self._keys is None:
            self._cursors = self._archive.cursors()
        else:
            found = {key: self._archive.cursor(key) for key in self._keys}
            self._cursors = {key: cursor for key, cursor in found.items() if cursor is not None}
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
                self.flush()
        finally:
            self._lock.release()
            self._index.close()

    def read(self, provider: Provider, source: Source) -> bool:
        """Take what is new in one source; whether there was anything.

        Raises:
            ArchiveError: it could not be kept (locked, full, damaged).
        """
        self.report.sources += 1
        try:
            return self._read(provider, source)
        except (OSError, ProviderError) as error:
            self.report.unreadable.append((str(source.path), str(error)))
            return False

    def flush(self) -> None:
        """Commit what is pending; when this returns it is durable."""
        if self._pending:
            pieces = list(self._pending.values())
            self._pending, self._bytes = {}, 0
            with self._archiving():
                remember(self._archive, [piece.source for piece in pieces if piece.new])
                self._commit(pieces)
        with self._archiving():
            self._drift.keep(self._archive, self._now)
        self._lock.release()

    @contextmanager
    def _archiving(self) -> Generator[None]:
        """What the system refuses the archive is no fault of the source that is being read."""
        try:
            yield
        except OSError as error:
            raise ArchiveError(
                f"the archive {self._archive.root} could not be written ({error}); nothing of this "
                "change was kept, everything before it is there: free some space or repair the disk"
            ) from error

    def _read(self, provider: Provider, source: Source) -> bool:
        cursor = self._cursors.get(source.key)
        if source.key in self._pending:  # two names of one source
            self.flush()
            cursor = self._archive.cursor(source.key)
        deltas = provider.follow(source, cursor)
        first = next(deltas, None)
        if first is None:
            return False
        with self._archiving():
            self._lock.claim()
        now = self._archive.cursor(source.key)
        if now != cursor:  # another importer went on meanwhile
            cursor, deltas = now, provider.follow(source, now)
            first = next(deltas, None)
            if first is None:
                return False
        self._take(provider, source, cursor, first, deltas)
        self.report.read += 1
        return True

    def _take(
        self,
        provider: Provider,
        source: Source,
        cursor: bytes | None,
        first: RawDelta,
        deltas: Iterator[RawDelta],
    ) -> None:
        """Parse and keep the deltas of one source."""
        delta: RawDelta | None = first
        state, places = unwrapped(None if first.reset else self._archive.state(source.key))
        parser = self._parser(provider, source, state)
        new, version = cursor is None, ""
        try:
            while delta is not None:
                piece = self._pending.get(source.key)
                if piece is None:
                    piece = _Piece(source, parser, delta.cursor or b"", new, version, places=places)
                    self._pending[source.key] = piece
                delta = self._step(piece, delta, deltas)
                parser, places, version, new = piece.parser, piece.places, piece.version, False
                if self._bytes >= BATCH or len(self._pending) >= _SOURCES:
                    with self._archiving():
                        self._index_along()
                    self.flush()
                    if delta is not None and not self._resume(source.key, piece.cursor):
                        return
        finally:
            self.report.drift += parser.drift
            self._drift.met(Key(source.agent, version), parser.drift, ())

    def _step(self, piece: _Piece, delta: RawDelta, deltas: Iterator[RawDelta]) -> RawDelta | None:
        """Take one delta (of a rewritten source, all of them); gives the next."""
        if delta.reset:
            return self._rewritten(piece, delta, deltas)
        self._feed(piece, delta)
        for update in piece.parser.take():
            name = update.conversation.id
            kept = piece.places.get(name, ())
            held = partial(self._held, piece, name)
            others = self._others(name)
            if others:  # a file counts its own turns only
                held = partial(self._own, piece, name)
            change, left = placed(update, piece.source.key, kept, held)
            if left != kept:
                piece.places = {**piece.places, name: left}
            if others:
                change = _beside(self._held(piece, name, 0), change)
            self._change(piece, change)
        self._met(piece, delta.data)
        return next(deltas, None)

    def _feed(self, piece: _Piece, delta: RawDelta) -> None:
        if delta.data:
            piece.parser.feed(delta.data, delta.offset)
        piece.raw.append(delta)
        piece.cursor = delta.cursor or piece.cursor
        self._bytes += len(delta.data)
        self.report.bytes += len(delta.data)

    def _rewritten(
        self, piece: _Piece, delta: RawDelta, deltas: Iterator[RawDelta]
    ) -> RawDelta | None:
        """Take a rewritten source as one change; gives the delta that did not fit any more.

        What the archive holds of its conversations and the source lacks now stays.
        """
        parser = PROVIDERS[piece.source.agent].parser(piece.source)
        piece.parser, piece.places = parser, {}
        latest: dict[str, TurnUpdate] = {}
        size, following = 0, chain((delta,), deltas)
        for part in following:
            self._feed(piece, part)
            size += len(part.data)
            for update in parser.take():
                name = update.conversation.id
                latest[name] = joined(latest.get(name), update)
            self._met(piece, part.data)
            if size >= _REWRITTEN:
                break
        # A document told while it is written has turns that are nameless and will change.
        nameless = piece.source.kind is Kind.APPEND

        def wanted(turn: Turn) -> bool:
            named = nameless or turn.native_id is not None or is_kept(turn)
            return named and turn.vector is Vector.NATIVE

        for name, update in latest.items():
            old = self._held(piece, name, 0)
            turns, kept = merged(old, update.turns, wanted)
            piece.places[name] = kept
            change = TurnUpdate(update.conversation, 0, turns, piece.source.key)
            self._change(piece, _beside(old, change) if self._others(name) else change)
        return next(following, None)

    def _change(self, piece: _Piece, change: TurnUpdate) -> None:
        head = msgspec.structs.replace(change.conversation, captured_at=self._now)
        last = piece.updates[-1] if piece.updates else None
        if (
            last is not None
            and last.conversation.id == head.id
            and 0 <= change.start - last.start <= len(last.turns)
        ):
            # Several deltas of one conversation are one change: its last block is packed once.
            told = [*last.turns[: change.start - last.start], *change.turns]
            piece.updates[-1] = TurnUpdate(head, last.start, told, change.source)
        else:
            piece.updates.append(change._replace(conversation=head))
        piece.version = head.agent_version or piece.version
        self.report.conversations.add(head.id)

    def _held(self, piece: _Piece, conversation: str, start: int) -> list[Turn]:
        """The turns of a conversation from `start` on, as they stand once `piece` is committed."""
        try:
            turns = list(self._archive.turns(conversation, start))
        except NotFoundError:
            turns = []
        for change in piece.updates:
            if change.conversation.id == conversation:
                turns[max(0, change.start - start) :] = change.turns[max(0, start - change.start) :]
        return turns

    def _own(self, piece: _Piece, conversation: str, start: int) -> list[Turn]:
        """The same without what other vectors told between them."""
        held = self._held(piece, conversation, 0)
        return [turn for turn in held if turn.vector is Vector.NATIVE][start:]

    def _others(self, conversation: str) -> bool:
        """Whether other vectors, too, told of a conversation."""
        try:
            return any(
                one is not Vector.NATIVE for one in self._archive.summary(conversation).vectors
            )
        except NotFoundError:
            return False

    def _met(self, piece: _Piece, data: bytes) -> None:
        """Note what the records of a delta look like."""
        if data:
            self._drift.met(Key(piece.source.agent, piece.version), {}, sample(data))

    def _resume(self, key: str, cursor: bytes) -> bool:
        """Go on in the middle of a source; False if another importer read on meanwhile."""
        with self._archiving():
            self._lock.pause()
        return self._archive.cursor(key) == cursor

    def _index_along(self) -> None:
        """A batch was full, so there may be many: what is committed is indexed as it comes."""
        if not self._long:
            self._long = True
            self._index.enter_context(self._archive.indexing())

    def _commit(self, pieces: list[_Piece]) -> None:
        """Commit the pieces together, or each alone where one of them cannot be kept."""
        try:
            self._archive.commit(_batch(pieces))
        except ArchiveError as error:
            if type(error) is not ArchiveError or len(pieces) == 1:
                raise
            failed = list(self._refused(pieces))
            if len(failed) == len(pieces):
                raise
            for piece, why in failed:
                self.report.unreadable.append((str(piece.source.path), str(why)))
                self.report.unkept += 1
                self.report.read -= 1
                self.report.conversations -= {one.conversation.id for one in piece.updates}

    def _refused(self, pieces: list[_Piece]) -> Iterator[tuple[_Piece, ArchiveError]]:
        """Commit each piece alone; gives those that cannot be kept."""
        for piece in pieces:
            try:
                self._archive.commit(_batch([piece]))
            except ArchiveError as why:
                yield piece, why

    def _parser(self, provider: Provider, source: Source, state: bytes | None) -> Parser:
        """A parser that stands where the archived raw of `source` ends; without `state`, new."""
        if state is None:
            return provider.parser(source)
        try:
            return provider.parser(source, state)
        except StaleStateError:
            # A newer parser does not know the old one's state: it reads our own raw again.
            parser = provider.parser(source, state, restart=True)
            at = 0
            for piece in self._archive.raw(source.key):
                parser.feed(piece, at)
                at += len(piece)
            parser.drift.clear()  # it was counted when it was new
            return parser


def _beside(old: list[Turn], change: TurnUpdate) -> TurnUpdate:
    from .merge.arbitrate import (
        beside,  # it loads the parsers of every vector, and is rarely wanted
    )

    return beside(old, change)


def joined(before: TurnUpdate | None, update: TurnUpdate) -> TurnUpdate:
    """Both as one update from the first turn on."""
    if before is None or update.start == 0:
        return update
    return TurnUpdate(update.conversation, 0, (*before.turns[: update.start], *update.turns))


def _batch(pieces: list[_Piece]) -> Batch:
    return Batch(
        raw={piece.source.key: piece.raw for piece in pieces},
        updates=[update for piece in pieces for update in piece.updates],
        cursors={piece.source.key: piece.cursor for piece in pieces},
        states={piece.source.key: wrapped(piece.parser.state(), piece.places) for piece in pieces},
    )
