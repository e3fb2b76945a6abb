"""Applying a batch to the store, inside one write transaction.

`CommitApplier.changes` holds what changed. Decides what is new: equal turns and heads are left
alone, so the same batch twice changes nothing the second time, and the log names only what moved.
Costs O(raw + turns given + one block), not the size of the conversation.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import chain, count
from typing import NamedTuple

import msgspec

from dejavu.model import AT_END, ArchiveError, Batch, Conversation, RawDelta, Role, Turn, TurnUpdate

from . import conversations, log, raw, turns
from .backends.transaction import Reader, Writer
from .keys import META, number_key, text_hash
from .marks import with_marks_of
from .records import Entry, Meta, Source, SummaryRecord, from_text, pack, to_text, unpack
from .withheld import WITHHELD_VERSION

_FILLED = (
    "workspace", "native_id", "title", "parent", "relation", "source",
    "agent_version", "project",
)  # fmt: skip


_JOINED = 1 << 20  # appends are joined up to here; beyond, joining is only copying


class CommittedChange(NamedTuple):
    """A change with what it brought; `turns` None where they must be read from the archive."""

    entry: log.LogEntry
    conversation: Conversation
    turns: Sequence[Turn] | None


OnCommit = Callable[[Sequence[CommittedChange]], None]
AlsoFed = Callable[[], AbstractContextManager[OnCommit]]
"""What takes in commits inside a block."""


class CommitApplier:
    """One batch being applied: the transaction and what it has open."""

    def __init__(self, txn: Writer, meta: Meta, now: float) -> None:
        """Apply to `txn`; `meta` counts along and is saved by `finish`."""
        self.txn = txn
        self.meta = meta
        self.now = now
        self.changes: list[CommittedChange] = []
        self._chunks = raw.Chunks()
        self._sources: dict[str, Source] = {}

    def outcome(self) -> tuple[int, list[CommittedChange]]:
        """The log's last number and the changes, as the store has them; for after the commit."""
        moved = self.txn.moved
        sequence = self.meta.sequence + moved
        if not moved:
            return sequence, self.changes
        return sequence, [
            fed._replace(entry=fed.entry._replace(sequence=fed.entry.sequence + moved))
            for fed in self.changes
        ]

    def apply(self, batch: Batch) -> None:
        """Raw first, so that turns can lean on it; then turns, cursors, states and links."""
        self._expect_ends(batch)
        for key, deltas in batch.raw.items():
            source = self.source(key)
            for delta in joined(deltas):
                if delta.reset:
                    raw.begin_generation(source)
                self.meta.raw_bytes += raw.append(
                    self.txn, source, delta.offset, delta.data, self._chunks
                )
        for update in batch.updates:
            self.update(update, never_truncate=False)
            if update.source is not None:
                self.link(update.source, update.conversation.id)
        for key, cursor in batch.cursors.items():
            self.source(key).cursor = cursor
        for key, state in batch.states.items():
            self.txn.put("states", number_key(self.source(key).number), state)
        for key, linked in batch.links.items():
            for conversation in linked:
                self.link(key, conversation)

    def _expect_ends(self, batch: Batch) -> None:
        """Say which ends will be looked up, so that a store far away is asked once."""
        named = [update.conversation.id for update in batch.updates]
        self.txn.expect_ends("turns", self._turns(named))
        self.txn.expect_ends("raw", self._raw(batch.raw))

    def _turns(self, named: Iterable[str]) -> Iterator[bytes]:
        """Where the turns of conversations lie, or will lie."""
        fresh = count(self.meta.conversations + 1)
        for name in dict.fromkeys(named):
            record = conversations.find(self.txn, name)
            if record is not None:
                conversations.expect_places(self.txn, record)
            yield number_key(next(fresh) if record is None else record.number)

    def _raw(self, keys: Iterable[str]) -> Iterator[bytes]:
        """Where the raw of sources is, or will be."""
        fresh = count(self.meta.sources + 1)
        for key in dict.fromkeys(keys):
            source = raw.find_source(self.txn, key)
            yield number_key(next(fresh) if source is None else source.number)

    def finish(self) -> None:
        """Keep the sources and the counters."""
        for source in self._sources.values():
            raw.save_source(self.txn, source)
        log.save_meta(self.txn, self.meta)

    def source(self, key: str) -> Source:
        """The source under `key`, made if it is new; saved by `finish`."""
        source = self._sources.get(key) or raw.find_source(self.txn, key)
        if source is None:
            self.meta.sources += 1
            name = key.encode("utf-8", "surrogatepass")
            source = Source(number=self.meta.sources, name=name)
        self._sources[key] = source
        return source

    def link(self, source: str, conversation: str) -> None:
        """Note that `source` holds `conversation`."""
        stored = self.source(source)
        number, key = number_key(stored.number), conversations.check_id(conversation)
        record = conversations.find(self.txn, conversation)
        if record is None:
            return
        self.txn.put("links", b"s" + number + key, b"")
        self.txn.put("links", b"c" + number_key(record.number) + number, stored.name)

    def update(self, update: TurnUpdate, *, never_truncate: bool) -> bool:
        """Turns from `update.start` on are `update.turns`; True if anything changed.

        `never_truncate`: where the given turns only repeat the beginning of what is held, the rest
        stays (an older copy put again takes nothing away).

        Raises:
            ArchiveError: the turns begin beyond the end of what is held.
        """
        incoming = update.conversation
        record = conversations.find(self.txn, incoming.id)
        old = None if record is None else conversations.summary_of(record)
        given = update.start
        if given == AT_END:
            given = 0 if record is None or old is None else record.first + old.turn_count
        start, new = self._unpruned(incoming.id, given, update.turns)
        if record is None:
            if start > given and not new:
                return False  # all of it was pruned
            self.meta.conversations += 1
            record = SummaryRecord(number=self.meta.conversations, conversation=b"", first=start)
        was = record.first + (0 if old is None else old.turn_count)
        record, end = self._reopened(record, start, was)
        if start > end:
            raise ArchiveError(
                f"turns of conversation {incoming.id} are held from {record.first} to {end}, cannot "
                f"go on at {start}; run `dejavu archive reparse {incoming.id}`"
            )
        texts = [to_text(turn) for turn in new]
        same = stored_count = 0
        if start < end:
            same, stored_count = turns.compare(self.txn, record.number, start, texts, self._chunks)
        if never_truncate and same == len(texts) and stored_count > same:
            new = [*new, *self._read(record.number, start + same)]
            texts, same = [*texts, *(b"" for _ in range(stored_count - same))], stored_count
        moved = same < max(len(texts), stored_count)
        if moved:
            source = None if update.source is None else self.source(update.source)
            pieces = [
                turns.EncodedTurn(text, turn.spans)
                for text, turn in zip(texts[same:], new[same:], strict=True)
            ]
            number = record.number
            turns.replace(self.txn, number, start + same, pieces, source, self._chunks)
        stop = start + len(texts)
        captured = None if old is None else old.captured_at
        if captured is not None and (incoming.captured_at is None or not never_truncate):
            incoming = msgspec.structs.replace(incoming, captured_at=captured)  # the first time
        conversation, prompt = _derive(incoming, old, record, start, new)
        record = msgspec.structs.replace(record, prompt=prompt)
        if not moved and conversation == old:
            return False
        conversations.save(self.txn, record, conversation, old)
        self.meta.turns += stop - end
        self._log_change(
            old, conversation, record, (start + same if moved else stop, stop, was), new
        )
        return True

    def _reopened(self, record: SummaryRecord, start: int, end: int) -> tuple[SummaryRecord, int]:
        """The record and its end, emptied where turns come back that were pruned before it."""
        if start >= record.first:
            return record, end
        turns.replace(self.txn, record.number, start, (), None, self._chunks)
        self.meta.turns -= end - record.first
        return msgspec.structs.replace(record, first=start), start

    def _log_change(
        self,
        old: Conversation | None,
        conversation: Conversation,
        record: SummaryRecord,
        moved: tuple[int, int, int],
        new: list[Turn],
    ) -> None:
        """Log a change: turns `moved` = (start, stop, where it ended before)."""
        start, stop, was = moved
        fresh: list[Turn] | None = new[len(new) - (stop - start) :] if stop > start else []
        if old is not None and _place(old) != _place(conversation):
            start, fresh = record.first, None  # every turn is found elsewhere now
        change = log.Change.TURNS if start < max(stop, was) else log.Change.SUMMARY
        entry = Entry(change, conversation.id, record.number, start, stop, was, self.now)
        log.append(self.txn, self.meta, entry)
        noted = log.log_entry(self.meta.sequence, entry)
        self.changes.append(CommittedChange(noted, conversation, fresh))

    def _unpruned(
        self, conversation: str, start: int, incoming: Sequence[Turn]
    ) -> tuple[int, list[Turn]]:
        """The turns numbered, without those that were pruned once: they do not come back."""
        pruned = pruned_turns(self.txn, conversation)
        numbered = [
            turn if turn.seq == seq else msgspec.structs.replace(turn, seq=seq)
            for seq, turn in enumerate(incoming, start)
            if seq >= pruned
        ]
        return max(start, pruned), numbered

    def _read(self, number: int, start: int) -> list[Turn]:
        texts = turns.read_texts(self.txn, number, start, None, self._chunks)
        return [from_text(text, Turn) for text in texts]


def expect_batch(txn: Writer, batch: Batch) -> None:
    """Say what will be looked up before anything is known, so that a store far away is asked once."""
    named = [conversations.check_id(update.conversation.id) for update in batch.updates]
    txn.expect("meta", [META])
    txn.expect("namespaces", [WITHHELD_VERSION])
    txn.expect("summaries", named)
    txn.expect("pruned", named)
    keys = chain(batch.cursors, batch.states, batch.links, batch.raw)
    txn.expect("sources", (text_hash(key, 16) for key in keys))


def joined(deltas: Iterable[RawDelta]) -> list[RawDelta]:
    """The deltas of one source with small ones that follow one another made one."""
    runs: list[tuple[RawDelta, list[bytes], int]] = []
    for delta in deltas:
        if runs and not delta.reset:
            first, pieces, end = runs[-1]
            near = delta.offset == end
            if near and end - first.offset < _JOINED and len(delta.data) <= 2 * _JOINED:
                pieces.append(delta.data)
                runs[-1] = (first, pieces, end + len(delta.data))
                continue
        runs.append((delta, [delta.data], delta.offset + len(delta.data)))
    return [
        first if len(pieces) == 1 else first._replace(data=b"".join(pieces))
        for first, pieces, _ in runs
    ]


def pruned_turns(txn: Reader, conversation: str) -> int:
    """How many turns of a conversation were pruned, from the first on."""
    value = txn.get("pruned", conversations.check_id(conversation))
    return 0 if value is None else unpack(value, int)


def set_pruned(txn: Writer, conversation: str, count: int) -> None:
    """Remember that the first `count` turns were pruned; 0 forgets it."""
    key = conversations.check_id(conversation)
    if count:
        txn.put("pruned", key, pack(count))
    else:
        txn.delete("pruned", key)


def _place(conversation: Conversation) -> tuple[str, str, str, str]:
    """Where its turns are found: what every document of an index says of its conversation."""
    return (
        conversation.workspace, conversation.project, conversation.instance, conversation.agent
    )  # fmt: skip


def _derive(
    incoming: Conversation,
    old: Conversation | None,
    record: SummaryRecord,
    start: int,
    new: list[Turn],
) -> tuple[Conversation, bytes]:
    """The summary after the change, and its first prompt's JSON."""
    bare = msgspec.structs.replace(incoming, turns=(), turn_count=0, vectors=())
    count = start - record.first + len(new)
    if old is None or start == record.first:
        # with_turns numbers from 0: only what it derives is wanted here.
        whole = bare.with_turns(tuple(new))
        project = whole.project or ("" if old is None else old.project)
        whole = msgspec.structs.replace(whole, turns=(), turn_count=count, project=project)
        return whole if old is None else with_marks_of(whole, old), _prompt(new)
    filled = {name: getattr(old, name) for name in _FILLED if getattr(bare, name) in (None, "")}
    moments = [turn.at for turn in new if turn.at is not None]
    starts = [at for at in (bare.started_at, old.started_at, *moments) if at is not None]
    ends = [at for at in (bare.ended_at, old.ended_at, *moments) if at is not None]
    vectors = {*old.vectors, *(turn.vector for turn in new)}
    conversation = msgspec.structs.replace(
        bare,
        **filled,
        started_at=min(starts, default=None),
        ended_at=max(ends, default=None),
        vectors=tuple(sorted(vectors, key=lambda vector: vector.rank)),
        turn_count=count,
    )
    prompt = record.prompt if record.prompt != b'""' else _prompt(new)
    if not conversation.title and prompt != b'""':
        titled = bare.with_turns(tuple(new)).title
        conversation = msgspec.structs.replace(conversation, title=titled)
    return with_marks_of(conversation, old), prompt


def _prompt(new: Iterable[Turn]) -> bytes:
    """The first prompt, cut."""
    text = next((turn.text for turn in new if turn.role is Role.USER and turn.text.strip()), "")
    return to_text(text.strip()[: conversations.PROMPT])
