"""Lines of a spool into the archive: the raw as it is, and the turns it tells.

Takes lines of one source; commits them at once, raw, turns and the parser's state together. Where
another vector tells a conversation too its turns stay, and `complete` has all of them heard
together (`arbitrate`). O(new bytes) a commit; `complete` reads the sources' raw once again.
"""

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from dejavu.archive import Archive, Batch, RawDelta, TurnUpdate
from dejavu.config.clock import now
from dejavu.model import Conversation, Vector
from dejavu.providers import Parser, Source, StaleStateError

from .merge.arbitrate import Telling, alone, arbitrate, known_as, remember
from .merge.match_anonymous import adopt


class Feed(NamedTuple):
    """A source, and the parser of its lines: `parser(source, state=None, *, restart=False)`."""

    source: Source
    parser: Callable[..., Parser]
    vector: Vector

    @property
    def telling(self) -> Telling:
        """What it is beside other vectors."""
        return Telling(self.vector, self.source)


def keep(archive: Archive, feed: Feed, data: bytes) -> set[str]:
    """Commit whole lines at the end of a source; gives the conversations they speak of."""
    key = feed.source.key
    offset = archive.raw_length(key)
    parser = _parser(archive, feed)
    parser.feed(data, offset)
    updates = parser.take()
    names = {u.conversation.id: known_as(archive, u.conversation.id) for u in updates}
    remember(archive, feed.telling)
    archive.commit(
        Batch(
            raw={key: [RawDelta(offset, data)]},
            updates=[
                TurnUpdate(_stamped(archive, u.conversation), u.start, u.turns, key)
                for u in updates
                if names[u.conversation.id] == u.conversation.id
                and alone(archive, u.conversation.id, feed.telling)
            ],
            states={key: parser.state()},
            links={key: set(names.values())},
        )
    )
    return set(names.values())


def complete(archive: Archive, feed: Feed, conversations: set[str]) -> int:
    """Hear all vectors of these together; gives how many turns the best ones lack."""
    adopted = adopt(archive, feed.telling, conversations)
    return sum(arbitrate(archive, one) for one in sorted(adopted))


def _parser(archive: Archive, feed: Feed) -> Parser:
    state = archive.state(feed.source.key)
    if state is None:
        return feed.parser(feed.source)
    try:
        return feed.parser(feed.source, state)
    except StaleStateError:  # a newer parser reads our own raw again
        parser, at = feed.parser(feed.source, state, restart=True), 0
        for piece in archive.raw(feed.source.key):
            parser.feed(piece, at)
            at += len(piece)
        return parser


def _stamped(archive: Archive, head: Conversation) -> Conversation:
    parent = None if head.parent is None else known_as(archive, head.parent)
    return msgspec.structs.replace(head, captured_at=now(), parent=parent)
