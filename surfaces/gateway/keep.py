"""Lines of a spool into the archive: the raw as it is, and the turns it tells.

Takes lines of one source; commits them at once, raw, turns and the parser's state together. Where
a better vector holds a conversation its turns stay, and `complete` puts beside them what they
lack: exchanges, and below it the system prompt and tools as sent, which the wire alone has.
O(new bytes) a commit; `complete` reads the source's raw once again.
"""

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from dejavu.archive import Archive, Batch, RawAppend, TurnUpdate
from dejavu.providers import Parser, Source, StaleState
from dejavu.record import Conversation, NotFound, Turn, Vector, conversation_id

from ..clock import now
from ..fuse import fuse

_SYSTEM = "system_prompt"


class Feed(NamedTuple):
    """A source, and the parser of its lines: `parser(source, state=None, *, restart=False)`."""

    source: Source
    parser: Callable[..., Parser]
    vector: Vector


def keep(archive: Archive, feed: Feed, data: bytes) -> set[str]:
    """Commit whole lines at the end of a source; gives the conversations they speak of."""
    key = feed.source.key
    offset = archive.raw_length(key)
    parser = _parser(archive, feed)
    parser.feed(data, offset)
    updates = parser.take()
    archive.commit(
        Batch(
            raw=[RawAppend(key, offset, data)],
            updates=[
                TurnUpdate(_stamped(u.conversation), u.start, u.turns, key)
                for u in updates
                if not _outranked(archive, u.conversation.id, feed.vector)
            ],
            states={key: parser.state()},
        )
    )
    return {update.conversation.id for update in updates}


def complete(archive: Archive, feed: Feed, conversations: set[str]) -> int:
    """Put beside a better vector's turns what they lack; gives how many turns were added."""
    added = 0
    wanted = {one for one in conversations if _outranked(archive, one, feed.vector)}
    for head, turns in _told(archive, feed).values() if wanted else ():
        if head.id not in wanted:
            continue
        whole = archive.get(head.id)
        fused, more = fuse(whole.turns, turns)
        if more:
            archive.put(whole.with_turns(fused))
        system = [turn for turn in turns if turn.meta.get("kind") == _SYSTEM]
        if system:
            below = _below(whole, head)
            archive.commit(Batch(updates=[TurnUpdate(below, 0, system, feed.source.key)]))
        added += more + len(system)
    return added


def _below(whole: Conversation, told: Conversation) -> Conversation:
    """The head of what the wire alone has. The turns of `whole` keep their numbers that way."""
    native_id = f"{whole.native_id}/system"
    return msgspec.structs.replace(
        _stamped(told),
        id=conversation_id(whole.agent, whole.instance, native_id),
        native_id=native_id,
        parent=whole.id,
        relation=None,
        title="system prompt and tools as sent",
    )


def _outranked(archive: Archive, conversation: str, vector: Vector) -> bool:
    try:
        held = archive.head(conversation).vectors
    except NotFound:
        return False
    return any(one.rank < vector.rank for one in held)


def _told(archive: Archive, feed: Feed) -> dict[str, tuple[Conversation, list[Turn]]]:
    """All that a source tells, read again from the archive's own raw."""
    parser, at = feed.parser(feed.source), 0
    told: dict[str, tuple[Conversation, list[Turn]]] = {}
    for piece in archive.raw(feed.source.key):
        parser.feed(piece, at)
        at += len(piece)
        for update in parser.take():
            turns = told[update.conversation.id][1] if update.conversation.id in told else []
            whole = [*turns[: update.start], *update.turns]
            told[update.conversation.id] = (update.conversation, whole)
    return told


def _parser(archive: Archive, feed: Feed) -> Parser:
    state = archive.state(feed.source.key)
    if state is None:
        return feed.parser(feed.source)
    try:
        return feed.parser(feed.source, state)
    except StaleState:  # a newer parser reads our own raw again
        parser, at = feed.parser(feed.source, state, restart=True), 0
        for piece in archive.raw(feed.source.key):
            parser.feed(piece, at)
            at += len(piece)
        return parser


def _stamped(head: Conversation) -> Conversation:
    return msgspec.structs.replace(head, captured_at=now())
