"""Follows an agent's machine-readable output where there is no terminal.

Takes stdout's bytes as they pass; gives a conversation if they were a stream that this agent's
parser knows, None if they were plain text. Memory is bounded by what the parser keeps.
"""

from pathlib import Path
from typing import Any

import msgspec

from dejavu.model import Conversation, Turn, conversation_id
from dejavu.providers import STREAMS, Kind, Source
from dejavu.providers.formats.streams import StreamParser

_SNIFF = 4096
"""Bytes after which the form of a stream is decided even if its first line has not ended."""


class StreamFollower:
    """One session's stdout."""

    def __init__(self, header: dict[str, Any]) -> None:
        self._header = header
        self._stream = STREAMS.get(str(header["agent"]))
        self._held = b""
        self._parser: StreamParser | None = None
        self._offset = 0
        self._heads: dict[str, Conversation] = {}
        self._turns: dict[str, list[Turn]] = {}

    def feed(self, data: bytes, at: float) -> None:
        """Take the next bytes of stdout."""
        if self._parser is not None:
            self._push(data, at)
        elif self._stream is not None:
            self._held += data
            if b"\n" in self._held.lstrip() or len(self._held) >= _SNIFF:
                self._decide(at)

    def _decide(self, at: float) -> None:
        """Say whether this is a stream at all, and read what was held so far if it is."""
        held, self._held = self._held, b""
        if self._stream is None or self._stream.sniff(held) < 0.5:
            self._stream = None
            return
        header = self._header
        source = Source(
            agent=str(header["agent"]),
            path=Path(str(header["id"])),
            instance=str(header["instance"]),
            kind=Kind.APPEND,
            workspace=str(header["workspace"]),
        )
        self._parser = self._stream.parser(
            source, argv=[str(word) for word in header["argv"]], started_at=header["started_at"]
        )
        self._push(held, at)

    def _push(self, data: bytes, at: float) -> None:
        if self._parser is not None:
            self._parser.feed(data, self._offset, at)
            self._offset += len(data)
            self._collect(self._parser)

    def _collect(self, parser: StreamParser) -> None:
        for update in parser.take():
            identity = update.conversation.id
            self._heads[identity] = update.conversation
            kept = self._turns.get(identity, [])[: update.start]
            self._turns[identity] = [*kept, *update.turns]

    def conversation(self, now: float) -> Conversation | None:
        """What was said, under the session's workspace and instance; None if nothing was."""
        if self._parser is None and self._stream is not None:
            self._decide(now)
        if self._parser is not None:
            self._parser.close()
            self._collect(self._parser)
        if not any(self._turns.values()):
            return None
        identity = max(self._turns, key=lambda key: len(self._turns[key]))
        head, header = self._heads[identity], self._header
        agent, instance = str(header["agent"]), str(header["instance"])
        native = head.native_id or f"session:{header['id']}"
        whole = msgspec.structs.replace(
            head,
            id=conversation_id(agent, instance, native),
            agent=agent,
            instance=instance,
            native_id=native,
            workspace=head.workspace or str(header["workspace"]),
            captured_at=now,
            source=f"dejavu-run session {header['id']}",
        )
        return whole.with_turns(tuple(self._turns[identity]))
