"""What waits to be committed of the channels that are being read, and how it becomes a batch.

Tested in: tests/ingest/test_importer.py
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dejavu.archive import Archive, Batch
from dejavu.model import (
    ArchiveError,
    CorruptArchiveError,
    NotFoundError,
    RawDelta,
    Turn,
    TurnUpdate,
    Vector,
)
from dejavu.providers import RESTORERS, Kind, Parser
from dejavu.providers.parsing import MAIN, RecordParser
from dejavu.providers.spilled import read_whole, spilled_source

from .channel import Channel, accumulate, encode_cursor, load_session_log
from .rewrite import RetainedTurn, decode_state, encode_state, is_retained


@dataclass(slots=True)
class OpenChannel:
    """A channel whose parser is where its archived raw ends, and what waits to be committed."""

    channel: Channel
    parser: Parser
    retained: dict[str, tuple[RetainedTurn, ...]]
    version: str = ""
    cursor: bytes | None = None
    raw: list[RawDelta] = field(default_factory=list[RawDelta])
    updates: list[TurnUpdate] = field(default_factory=list[TurnUpdate])
    links: set[str] = field(default_factory=set[str])
    side_files: dict[str, RawDelta] = field(default_factory=dict[str, RawDelta])
    """Files next to the channel's, by the keys of their sources."""

    @property
    def key(self) -> str:
        """The source's key in the archive."""
        return self.channel.key

    def append(self, change: TurnUpdate) -> None:
        """Add a change; one that continues the last is one with it: its last block is packed once."""
        given = change.conversation
        last = self.updates[-1] if self.updates else None
        if (
            last is not None
            and last.conversation.id == given.id
            and 0 <= change.start - last.start <= len(last.turns)
        ):
            turns = [*last.turns[: change.start - last.start], *change.turns]
            self.updates[-1] = TurnUpdate(given, last.start, turns, change.source)
        else:
            self.updates.append(change)
        self.version = given.agent_version or self.version

    def outlives(self, turn: Turn) -> bool:
        """Whether a turn that the archive holds stays though a rewritten source lacks it.

        A document read while it is written has turns that are nameless and will change.
        """
        nameless = self.channel.source.kind is Kind.APPEND
        named = nameless or turn.native_id is not None or is_retained(turn)
        return named and turn.vector is Vector.NATIVE


def accumulate_all(opened: OpenChannel, latest: dict[str, TurnUpdate]) -> None:
    """Add what a parser has to say to the `latest` updates by conversation."""
    for update in opened.parser.take():
        name = update.conversation.id
        latest[name] = accumulate(latest.get(name), update)


def take_beside(archive: Archive, opened: OpenChannel) -> Iterator[Channel]:
    """Add the files that a session log pointed to, each once, and yield what they are."""
    if isinstance(opened.parser, RecordParser):
        for path, data in opened.parser.spilled.take().items():
            channel = Channel(Vector.NATIVE, spilled_source(opened.channel.source, path))
            if not archive.sources.raw_length(channel.key):
                opened.side_files[channel.key] = RawDelta(0, data)
                yield channel


def take_companions(archive: Archive, opened: OpenChannel) -> Iterator[Channel]:
    """Add the files that an agent needs next to a session log, where they changed; yield what they are."""
    source = opened.channel.source
    if opened.channel.vector is not Vector.NATIVE or source.agent not in RESTORERS:
        return
    restorer = RESTORERS[source.agent]
    if restorer.below(source.path) is None:  # a file that was handed over, from anywhere
        return
    for path in restorer.companions(source.path):
        channel = Channel(Vector.NATIVE, spilled_source(source, path))
        data = read_whole(path)
        if not data or channel.key in opened.side_files:
            continue
        known = archive.sources.raw_length(channel.key)
        if not known or b"".join(archive.sources.raw(channel.key)) != data:
            opened.side_files[channel.key] = RawDelta(0, data, reset=bool(known))
            yield channel


def other_logs(archive: Archive, opened: OpenChannel, conversation: str) -> list[Channel]:
    """The session logs next to this one that hold a conversation. O(its sources)."""
    try:
        keys = archive.sources.of(conversation)
    except NotFoundError:
        return []
    sources = [load_session_log(archive, key) for key in keys if key != opened.key]
    return [
        Channel(Vector.NATIVE, source)
        for source in sources
        if source is not None and source.kind is not Kind.SIDE_FILE
    ]


def stored_turns(
    archive: Archive, opened: OpenChannel, conversation: str, start: int
) -> list[Turn]:
    """The turns of a conversation from `start` on, as they stand once `opened` is committed."""
    try:
        turns = list(archive.turns(conversation, start))
    except NotFoundError:
        turns = []
    for change in opened.updates:
        if change.conversation.id == conversation:
            turns[max(0, change.start - start) :] = change.turns[max(0, start - change.start) :]
    return turns


def own_turns(archive: Archive, opened: OpenChannel, conversation: str, start: int) -> list[Turn]:
    """The same without what other vectors have between them."""
    turns = stored_turns(archive, opened, conversation, 0)
    return [turn for turn in turns if turn.vector is Vector.NATIVE][start:]


def merge_beside(stored: list[Turn], change: TurnUpdate) -> TurnUpdate:
    """A change of a session log, with what other vectors have between its turns."""
    from .merge.arbitrate import merge_into  # rarely wanted, and not cheap to load

    return merge_into(stored, change)


def is_shared(archive: Archive, conversation: str) -> bool:
    """Whether other vectors than session logs, too, have turns of a conversation."""
    try:
        vectors = archive.summary(conversation).vectors
    except NotFoundError:
        return False
    return any(vector is not Vector.NATIVE for vector in vectors)


def main_conversations(parser: Parser) -> set[str]:
    """The id of the conversation that a parser's source is mainly about."""
    threads = parser.threads if isinstance(parser, RecordParser) else {}
    return {threads[MAIN].head.id} if MAIN in threads else set()


def is_refusal(error: Exception) -> bool:
    """Whether the archive itself refuses (locked, disk full), whatever source the bytes are from."""
    return isinstance(error, OSError) or (
        isinstance(error, ArchiveError) and type(error) not in (ArchiveError, CorruptArchiveError)
    )


def commit_channels(
    archive: Archive, pending: Sequence[OpenChannel]
) -> list[tuple[OpenChannel, Exception]]:
    """Commit channels together, or each alone where that fails; those not stored, and why.

    Raises:
        ArchiveError, OSError: the archive itself refuses, or none could be stored.
    """
    try:
        archive.commit(batch_of(pending))
    except Exception as error:
        # Damage is of one source or conversation, whatever else fails is everybody's.
        shared = isinstance(error, ArchiveError) and not isinstance(error, CorruptArchiveError)
        if is_refusal(error) or (len(pending) == 1 and shared):
            raise
        failed = list(_refused(archive, pending))
        if len(failed) == len(pending) and shared:
            raise
        return failed
    return []


def _refused(
    archive: Archive, pending: Sequence[OpenChannel]
) -> Iterator[tuple[OpenChannel, Exception]]:
    for opened in pending:
        try:
            archive.commit(batch_of([opened]))
        except Exception as error:
            if is_refusal(error):
                raise
            yield opened, error


def batch_of(pending: Sequence[OpenChannel]) -> Batch:
    """Everything that waits of these channels, as one atomic change."""
    files = [(opened, key, delta) for opened in pending for key, delta in opened.side_files.items()]
    return Batch(
        raw={
            **{opened.key: opened.raw for opened in pending},
            **{key: [delta] for _, key, delta in files},
        },
        updates=[update for opened in pending for update in opened.updates],
        cursors={
            opened.key: encode_cursor(opened.channel.source.kind, opened.cursor)
            for opened in pending
            if opened.cursor is not None
        },
        states={
            opened.key: encode_state(opened.parser.state(), opened.retained) for opened in pending
        },
        links={
            **{opened.key: opened.links for opened in pending if opened.links},
            **{key: main_conversations(opened.parser) for opened, key, _ in files},
        },
    )


def unparsed_batch(archive: Archive, channel: Channel, delta: RawDelta) -> Batch:
    """Raw that could not be parsed, and that its parser has to read it again."""
    stored = decode_state(archive.sources.state(channel.key))
    state = encode_state(stored.parser or b"", stored.retained, stale=True)
    cursor = delta.cursor and encode_cursor(channel.source.kind, delta.cursor)
    return Batch(
        raw={channel.key: [delta]},
        cursors={channel.key: cursor} if cursor else {},
        states={channel.key: state},
    )
