"""Follows an agent's machine-readable output where there is no terminal.

Takes stdout's bytes as they pass; gives a conversation if they were a stream that this agent's
parser knows, None if they were plain text. Memory is bounded by what the parser keeps.
"""

import time
from typing import Any

import msgspec

from dejavu.providers.streams import STREAMS, StreamParser
from dejavu.record import Conversation, Turn, conversation_id

_SNIFF = 4096
"""Bytes that must have come before the form of a stream is decided, unless it ends earlier."""


class StreamFollower:
    """One session's stdout."""

    def __init__(self, agent: str, argv: list[str]) -> None:
        self._stream = STREAMS.get(agent)
        self._argv = argv
        self._held = b""
        self._parser: StreamParser | None = None
        self._offset = 0
        self._turns: dict[str, tuple[Conversation, list[Turn]]] = {}

    def feed(self, data: bytes) -> None:
        """Take the next bytes of stdout."""
        if self._stream is None:
            return
        if self._parser is None:
            self._held += data
            if len(self._held) < _SNIFF:
                return
            data = self._decide()
        self._push(data)

    def _decide(self) -> bytes:
        """Say whether this is a stream at all; gives the bytes held so far if it is."""
        held, self._held = self._held, b""
        if self._stream is None or not self._stream.sniff(held):
            self._stream = None
            return b""
        self._parser = self._stream.parser(self._argv)
        return held

    def _push(self, data: bytes) -> None:
        if self._parser is None or not data:
            return
        self._parser.feed(data, self._offset)
        self._offset += len(data)
        for update in self._parser.take():
            head, turns = update.conversation, self._turns.get(update.conversation.id)
            kept = turns[1][: update.start] if turns else []
            self._turns[head.id] = (head, [*kept, *update.turns])

    def conversation(self, header: dict[str, Any]) -> Conversation | None:
        """What was said, under the session's workspace and instance; None if nothing was."""
        if self._parser is None:
            self._push(self._decide())
        if not self._turns:
            return None
        head, turns = max(self._turns.values(), key=lambda pair: len(pair[1]))
        agent, instance = str(header["agent"]), str(header["instance"])
        native = head.native_id or f"session:{header['id']}"
        whole = msgspec.structs.replace(
            head,
            id=conversation_id(agent, instance, native),
            agent=agent,
            instance=instance,
            native_id=native,
            workspace=head.workspace or str(header["workspace"]),
            started_at=float(header["started_at"]),
            captured_at=time.time(),
            source=f"dejavu-run session {header['id']}",
        )
        return whole.with_turns(tuple(turns))
