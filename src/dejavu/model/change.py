"""What capture hands to the archive: new bytes of a source's raw stream, and turns as they now are.

Plain values. Providers make both, `ingest` completes them, the archive commits them.

Tested in: tests/archive/test_store.py
"""

from collections.abc import Sequence
from typing import NamedTuple

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
