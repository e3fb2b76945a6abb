"""What waits to be committed of the channels that are being read, and how it becomes a batch."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from dejavu.archive import Batch
from dejavu.model import ArchiveError, RawDelta, TurnUpdate
from dejavu.providers import Parser

from .channel import Channel, encode_cursor
from .rewrite import RetainedTurn, encode_state


@dataclass(slots=True)
class OpenChannel:
    """A channel whose parser stands where its archived raw ends, and what waits to be committed."""

    channel: Channel
    parser: Parser
    retained: dict[str, tuple[RetainedTurn, ...]]
    version: str = ""
    cursor: bytes | None = None
    raw: list[RawDelta] = field(default_factory=list[RawDelta])
    updates: list[TurnUpdate] = field(default_factory=list[TurnUpdate])
    links: set[str] = field(default_factory=set[str])

    @property
    def key(self) -> str:
        """The source's key in the archive."""
        return self.channel.key


def is_refusal(error: Exception) -> bool:
    """Whether the archive itself refuses (locked, damaged, disk full), whoever's bytes it is."""
    return isinstance(error, OSError) or (
        isinstance(error, ArchiveError) and type(error) is not ArchiveError
    )


def batch_of(pending: Sequence[OpenChannel]) -> Batch:
    """Everything that waits of these channels, as one atomic change."""
    return Batch(
        raw={opened.key: opened.raw for opened in pending},
        updates=[update for opened in pending for update in opened.updates],
        cursors={
            opened.key: encode_cursor(opened.channel.source.kind, opened.cursor)
            for opened in pending
            if opened.cursor is not None
        },
        states={
            opened.key: encode_state(opened.parser.state(), opened.retained) for opened in pending
        },
        links={opened.key: opened.links for opened in pending if opened.links},
    )
