"""What `Archive.commit` takes: raw bytes, turns, cursors and parser states of one or more sources.

Plain values, no behaviour. Everything in one `Batch` becomes durable together or not at all, so
a cursor never points past bytes that were not kept.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from dejavu.model import Conversation, Turn


class RawAppend(NamedTuple):
    """Bytes that stand at `offset` of a source; `reset` means the source was rewritten first."""

    source: str
    offset: int
    data: bytes
    reset: bool = False


class TurnUpdate(NamedTuple):
    """Turns `start`.. of `conversation` are `turns` from now on; those after them are gone.

    `conversation` is a head: its own turns are not looked at. `source` is the key of the source
    the spans of the turns point into; None where they have none.
    """

    conversation: Conversation
    start: int
    turns: Sequence[Turn]
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """One atomic change.

    `cursors` and `states` are opaque bytes by source key. `links` says which conversations a
    source holds; a `TurnUpdate` with a source links by itself.
    """

    raw: Sequence[RawAppend] = ()
    updates: Sequence[TurnUpdate] = ()
    cursors: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    states: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    links: Mapping[str, Iterable[str]] = field(default_factory=dict[str, Iterable[str]])


class Receipt(NamedTuple):
    """What a commit changed: ids of the conversations, and the log's last sequence."""

    changed: tuple[str, ...]
    sequence: int
