"""The one way into the archive: raw, turns, cursors and parser states of sources, committed together.

Every vector has an adapter that reads its bytes and calls the `Ingestor` here: `open` a channel,
`add` (or `replace`) its deltas, `flush`; or `commit`, which does all three for lines that are
pushed to us. What is committed is durable, whole or not at all, so a crash loses nothing that was
acknowledged and doubles nothing. Adapters only read: the stale state of a parser, other vectors of
a conversation, times and merging are dealt with here.

Memory is O(`BATCH` + the longest delta); time O(new bytes), and see `merge.arbitrate` where several
sources hold a conversation.
"""

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain
from typing import Any

import msgspec

from dejavu.archive import Archive, Batch
from dejavu.config.projects import ProjectNames
from dejavu.model import (
    ArchiveError,
    Conversation,
    CorruptArchiveError,
    RawDelta,
    TurnUpdate,
    Vector,
)
from dejavu.providers import Kind
from dejavu.providers.formats.long_lines import TRUNCATED

from .channel import Channel, ParserFactory, SourceRecords, resolve_alias, resume
from .import_lock import ImportLock
from .open_channel import (
    OpenChannel,
    accumulate_all,
    commit_channels,
    is_shared,
    merge_beside,
    other_logs,
    own_turns,
    stored_turns,
    take_beside,
    take_companions,
    unparsed_batch,
)
from .report import Report
from .rewrite import decode_state, merge, position
from .source_failures import (
    Drift,
    Key,
    SourceFailures,
    describe,
    log_failure,
    record_long_records,
    sample_keys,
)

BATCH = 4 << 20
"""Bytes of raw that are committed together, at the most (a longer delta alone)."""

_FIRST = 256 << 10  # bytes of the first batch, so that something is there at once; then it doubles

_SOURCES = 256  # sources in a batch
_REWRITTEN = 64 << 20  # bytes of a rewritten source that are compared with its turns at once


class Ingestor:
    """Commits what adapters read into one archive. `clock` returns Unix seconds."""

    def __init__(self, archive: Archive, *, clock: Callable[[], float] = time.time) -> None:
        self.report = Report()
        self.failures = SourceFailures(archive)
        self.lock = ImportLock(archive.root)
        self._archive = archive
        self._clock = clock
        self._pending: dict[str, OpenChannel] = {}
        self._bytes = 0
        self._batch = _FIRST
        self._owners: dict[str, OpenChannel] = {}  # of what waits, by conversation
        self._records = SourceRecords()
        self._to_merge: set[str] = set()
        self._drift = Drift()
        self.projects = ProjectNames()
        self._long_records: list[tuple[str, str, int]] = []
        self._index = ExitStack()
        self._indexing = False

    # -- adapters call these ---------------------------------------------------------------------

    def open(
        self, channel: Channel, make: ParserFactory | None = None, *, fresh: bool = False
    ) -> OpenChannel:
        """A channel ready for what follows its archived raw; with `fresh`, for a new writing.

        `make` is used instead of the channel's own parser factory.
        """
        stored = decode_state(None if fresh else self._archive.sources.state(channel.key))
        parser = resume(
            self._archive, channel, stored.parser, make or channel.parser, stale=stored.stale
        )
        return OpenChannel(channel, parser, stored.retained)

    def add(
        self, opened: OpenChannel, delta: RawDelta, at: float | None = None, *, more: bool = False
    ) -> None:
        """Parse a delta and keep it for the next `flush`; `at` is when live bytes came.

        `more`: it is a piece of a document that is parsed with the last one.
        """
        self._feed(opened, delta, at)
        if not more:
            for update in opened.parser.take():
                self._apply(opened, update)
        self._observe(opened, delta.data)

    def end(self, opened: OpenChannel) -> None:
        """A stream ended: take what its parser held back."""
        if (close := getattr(opened.parser, "close", None)) is not None:
            close()
        for update in opened.parser.take():
            self._apply(opened, update)
        self.report.drift += opened.parser.drift

    def replace(
        self, opened: OpenChannel, first: RawDelta, more: Iterator[RawDelta]
    ) -> RawDelta | None:
        """Parse a rewritten source as one change; the delta that did not fit any more, if any.

        What the archive holds of its conversations and the source lacks now stays.
        """
        latest: dict[str, TurnUpdate] = {}
        size, following = 0, chain((first,), more)
        whole = opened.channel.source.kind is Kind.WHOLE
        for delta in following:
            self._feed(opened, delta)
            size += len(delta.data)
            if not whole:
                accumulate_all(opened, latest)
            self._observe(opened, delta.data)
            if size >= _REWRITTEN:
                break
        else:
            if whole:
                accumulate_all(opened, latest)
        for name, update in latest.items():
            if self._has_other_form(opened, name):
                continue
            old = stored_turns(self._archive, opened, name, 0)
            turns, opened.retained[name] = merge(old, update.turns, opened.outlives)
            change = TurnUpdate(update.conversation, 0, turns, opened.key)
            self._change(
                opened, merge_beside(old, change) if is_shared(self._archive, name) else change
            )
        return next(following, None)

    def register(self, channel: Channel, *, merged: bool = False) -> None:
        """Keep a record of a new source with the next flush; `merged`: others hold the same."""
        self._records.add(channel, merged=merged)

    @property
    def full(self) -> bool:
        """Whether it is time to flush."""
        return self._bytes >= min(self._batch, BATCH) or len(self._pending) >= _SOURCES

    @property
    def waiting(self) -> int:
        """Sources of which something waits to be committed."""
        return len(self._pending)

    def pending(self, key: str) -> bool:
        """Whether something of a source waits to be committed."""
        return key in self._pending

    def drop(self, key: str) -> None:
        """Forget what waits of a source whose reading failed; it is read again next time."""
        if (opened := self._pending.pop(key, None)) is not None:
            self._bytes -= sum(len(delta.data) for delta in opened.raw)
            self._records.drop(key)
            self._owners = {name: one for name, one in self._owners.items() if one is not opened}

    def flush(self, *, more: bool = False) -> None:
        """Commit what is pending; when this returns it is durable. `more`: it is one of many.

        Raises:
            ArchiveError: it could not be stored (locked, disk full, damaged).
        """
        pending, self._pending, self._bytes = list(self._pending.values()), {}, 0
        self._owners = {}
        merging, self._to_merge = self._to_merge, set()
        self._batch *= 2
        with self.archiving():
            if more and not self._indexing:  # what is committed is indexed as it comes
                self._indexing = True
                self._index.enter_context(self._archive.indexing())
            for opened in pending:
                for channel in take_companions(self._archive, opened):
                    self.register(channel)
            self._records.save(self._archive)
            if pending:
                self._commit(pending)
            for name in sorted(merging):
                self._merge(name)
            now = self._clock()
            self._drift.save(self._archive, now)
            self.failures.save(now)
            if self._long_records:
                record_long_records(self._archive, self._long_records, now)
                self._long_records = []
        self.lock.release()

    def close(self) -> None:
        """Let go of the lock and of the index; what was not flushed is dropped."""
        self.lock.release()
        self._index.close()

    def commit(
        self,
        channel: Channel,
        delta: RawDelta,
        make: ParserFactory | None = None,
        *,
        final: bool = False,
    ) -> set[str]:
        """Store bytes that were pushed to us; the conversations that they belong to.

        Bytes that a parser stumbles over are kept as raw; they are parsed with the next ones.
        `final`: the stream ended, nothing comes after them.
        """
        opened: OpenChannel | None = None
        try:
            opened = self.open(channel, make, fresh=delta.reset)
            self.add(opened, delta)
            if final:
                self.end(opened)
        except ArchiveError:
            raise
        except Exception as error:
            self.fail(channel.source.agent, str(channel.source.path), error)
            self.drop(channel.key)
            self.commit_raw(channel, delta)
        self.register(channel, merged=True)
        self.flush()
        return set() if opened is None else opened.links

    def commit_raw(self, channel: Channel, delta: RawDelta) -> None:
        """Store bytes without parsing them; the next `commit` of their channel does.

        Raises:
            ArchiveError: they could not be stored (locked, disk full, damaged).
        """
        with self.archiving():
            self._archive.commit(unparsed_batch(self._archive, channel, delta))

    def commit_turns(self, update: TurnUpdate) -> None:
        """Store turns that have no raw: what a screen showed, redacted by the caller.

        They stand from `update.start` on, whatever stood there; under `lock` where they were merged
        with what the archive holds.

        Raises:
            ArchiveError: they could not be stored (locked, disk full, damaged).
        """
        summary = self._completed(update.conversation)
        with self.archiving():
            self._archive.commit(Batch(updates=[update._replace(conversation=summary)]))
        self.report.conversations.add(summary.id)

    def fail(self, agent: str, location: str, error: BaseException) -> None:
        """A source failed: name it in the report, and keep a record of it."""
        reason = describe(error)
        log_failure(agent, location, error)
        self.report.unreadable.append((location, reason))
        self.failures.record(agent, location, reason)

    @contextmanager
    def archiving(self) -> Generator[None]:
        """What the system refuses the archive is no fault of the source that is being read."""
        try:
            yield
        except OSError as error:
            raise ArchiveError(
                f"the archive {self._archive.root} could not be written ({error}); nothing of this "
                "change was kept, everything before it is there: free some space or repair the disk"
            ) from error

    # -- parsing ---------------------------------------------------------------------------------

    def _feed(self, opened: OpenChannel, delta: RawDelta, at: float | None = None) -> None:
        if delta.data:
            live: tuple[Any, ...] = () if at is None else (at,)
            opened.parser.feed(delta.data, delta.offset, *live)
        if opened.key not in self._pending:
            self._pending[opened.key] = opened
            opened.raw, opened.updates, opened.links, opened.side_files = [], [], set(), {}
        opened.raw.append(delta)
        for channel in take_beside(self._archive, opened):
            self.register(channel)
            self._bytes += len(opened.side_files[channel.key].data)
        opened.cursor = delta.cursor or opened.cursor
        self._bytes += len(delta.data)
        self.report.bytes += len(delta.data)

    def _apply(self, opened: OpenChannel, update: TurnUpdate) -> None:
        """Put an update where its turns are in the archive, next to what other sources hold."""
        name = update.conversation.id
        if opened.channel.vector is not Vector.NATIVE:
            self._apply_pushed(opened, update)
            return
        if self._has_other_form(opened, name):
            return
        retained = opened.retained.get(name, ())
        shared = is_shared(self._archive, name)
        # A session log counts its own turns only.
        stored = partial(own_turns if shared else stored_turns, self._archive, opened, name)
        change, left = position(update, opened.key, retained, stored)
        if left != retained:
            opened.retained = {**opened.retained, name: left}
        if shared:
            change = merge_beside(stored_turns(self._archive, opened, name, 0), change)
        self._change(opened, change)

    def _apply_pushed(self, opened: OpenChannel, update: TurnUpdate) -> None:
        """Turns of a vector besides the session log stay only while no other holds them."""
        from .merge.arbitrate import is_sole_source

        given = update.conversation
        name = resolve_alias(self._archive, given.id)
        opened.links.add(name)
        if name == given.id and is_sole_source(self._archive, name, opened.channel):
            parent = None if given.parent is None else resolve_alias(self._archive, given.parent)
            given = msgspec.structs.replace(given, parent=parent)
            self._change(opened, TurnUpdate(given, update.start, update.turns, opened.key))

    def _has_other_form(self, opened: OpenChannel, name: str) -> bool:
        """Whether another form or copy of the same session log holds the conversation, too.

        Then its turns are those of all, merged once this one's raw is committed.
        """
        others = other_logs(self._archive, opened, name)
        if (first := self._owners.setdefault(name, opened)).key != opened.key:
            others.append(first.channel)
        if not others:
            return False
        for channel in (*others, opened.channel):
            self.register(channel, merged=True)
        opened.links.add(name)
        self._to_merge.add(name)
        self.report.conversations.add(name)
        return True

    def _change(self, opened: OpenChannel, change: TurnUpdate) -> None:
        given = self._completed(change.conversation)
        opened.append(change._replace(conversation=given))
        self.report.conversations.add(given.id)

    def _completed(self, conversation: Conversation) -> Conversation:
        """A conversation with what adapters do not know: when it was captured, and its project."""
        return msgspec.structs.replace(
            conversation, captured_at=self._clock(), project=self.projects.of(conversation)
        )

    def _observe(self, opened: OpenChannel, data: bytes) -> None:
        """Note what the records of a delta look like."""
        if data and opened.channel.vector is Vector.NATIVE:
            key = Key(opened.channel.source.agent, opened.version)
            self._drift.observe(key, {}, sample_keys(data))

    def count_drift(self, opened: OpenChannel) -> None:
        """Add what a session log's parser did not understand to the report and the statistics."""
        self.report.drift += opened.parser.drift
        source = opened.channel.source
        self._drift.observe(Key(source.agent, opened.version), opened.parser.drift, ())
        if count := opened.parser.drift[TRUNCATED]:
            self.report.truncated.append((str(source.path), count))
            self._long_records.append((source.agent, str(source.path), count))

    # -- committing ------------------------------------------------------------------------------

    def _merge(self, conversation: str) -> None:
        from .merge.arbitrate import merge_conversation  # rarely wanted

        try:
            merge_conversation(self._archive, conversation)
        except CorruptArchiveError as error:
            self.report.unreadable.append((conversation, describe(error)))
            self.report.unkept += 1

    def _commit(self, pending: list[OpenChannel]) -> None:
        for opened, reason in commit_channels(self._archive, pending):
            source = opened.channel.source
            self.fail(source.agent, str(source.path), reason)
            self.report.unkept += 1
            self.report.read -= 1
            self.report.conversations -= {change.conversation.id for change in opened.updates}
