"""What capture hands to the archive: new bytes of a source's raw stream, and turns as they now are.

Plain values. Providers make both, `ingest` completes them, the archive commits them in a `Batch`: all of
it becomes durable together or not at all, so a cursor never points past bytes that were not kept.

Tested in: tests/archive/test_store.py
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from .conversation import Conversation, Turn


class RawDelta(NamedTuple):
    """Bytes of a source's raw stream, and the cursor that holds once they are kept.

    `offset` is where `data` is in the raw stream, in bytes. `reset` means that the source was
    rewritten: its raw stream starts again here, at offset 0. Empty `data` moves the cursor only.
    `cursor` is None where the source is not followed by one (a pipe, a hook).
    """

    offset: int
    data: bytes
    cursor: bytes | None = None
    reset: bool = False


AT_END = sys.maxsize
"""The `start` of a `TurnUpdate` behind all turns that are held: of one that changes no turn."""


class TurnUpdate(NamedTuple):
    """Turns `start`.. of `conversation` are `turns` from now on; those after them are gone.

    Only the conversation's own fields are read, not its `turns`. `source` is the key of the source
    that the spans of the turns point into; None where they have none, and from a parser, which
    does not know it.
    """

    conversation: Conversation
    start: int
    turns: Sequence[Turn]
    source: str | None = None


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
