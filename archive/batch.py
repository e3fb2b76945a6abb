"""What `Archive.commit` takes: raw bytes, turns, cursors and parser states of one or more sources.

Plain values, no behaviour. Everything in one `Batch` becomes durable together or not at all, so
a cursor never points past bytes that were not kept.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from dejavu.model import RawDelta, TurnUpdate


class Batch(msgspec.Struct, frozen=True):
    """One atomic change.

    `raw` holds new bytes by source key; the cursors in them are not looked at: `cursors` and `states`
    are opaque bytes by source key. `links` says which conversations a
    source holds; a `TurnUpdate` with a source makes that link.
    """

    raw: Mapping[str, Sequence[RawDelta]] = msgspec.field(
        default_factory=dict[str, Sequence[RawDelta]]
    )
    updates: Sequence[TurnUpdate] = ()
    cursors: Mapping[str, bytes] = msgspec.field(default_factory=dict[str, bytes])
    states: Mapping[str, bytes] = msgspec.field(default_factory=dict[str, bytes])
    links: Mapping[str, Iterable[str]] = msgspec.field(default_factory=dict[str, Iterable[str]])


class Receipt(NamedTuple):
    """What a commit changed: ids of the conversations, and the log's last sequence."""

    changed: tuple[str, ...]
    sequence: int
