"""Spool entries into the archive: payloads of one session are a source of vector `hook`.

A payload is one event once: the same entry again (a crash between commit and removal), the same
payload within seconds (a hook registered twice), or one with its own id at any time, is
passed over; what tells that is the source's cursor, committed with the rest.

A hook's conversation has the id of the agent's own session log. Until another vector holds it too
the hooks' turns stand; from then on payloads are kept as raw, and merged with the others at the
end of a run. O(payloads), plus one parser state.
"""

import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import msgspec

from dejavu.archive import Archive
from dejavu.ingest.channel import Channel, decode_cursor, pushed_source
from dejavu.ingest.ingestor import Ingestor
from dejavu.model import RawDelta, Vector, conversation_id
from dejavu.model.blake2 import blake2b
from dejavu.providers import Source
from dejavu.providers.formats.hooks import encode_entry

from .spool import SpoolEntry

_TWICE = 5.0  # seconds within which the same words are the same event
_REMEMBERED = 512
_IDS = ("tool_use_id", "tool_call_id", "message_id", "prompt_id", "turn_id", "turn-id")


class HookEvent(NamedTuple):
    """One payload of a spool entry."""

    entry: SpoolEntry
    payload: dict[str, Any]

    @property
    def kind(self) -> str:
        """The event's name in the agent's words."""
        return str(self.payload.get("hook_event_name") or self.payload.get("type") or "")


def parse_events(entry: SpoolEntry) -> list[HookEvent]:
    """The payloads in an entry: one object, or one a line; none if it is not JSON."""
    for data in ([entry.payload], entry.payload.splitlines()):
        try:
            values = [msgspec.json.decode(piece) for piece in data if piece.strip()]
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        return [HookEvent(entry, value) for value in values if isinstance(value, dict)]
    return []


def hook_source(agent: str, session: str, instance: str) -> Source:
    """The source that all payloads of a session are."""
    return pushed_source(agent, f"hook:{session}", instance, native_id=session)


class _Deduplicator:
    """Which payloads of a session came already: the last few hundred, by digest and time."""

    def __init__(self, cursor: bytes | None) -> None:
        entries: list[tuple[bytes, float]] = (
            [] if cursor is None else msgspec.msgpack.decode(cursor)
        )
        self._at = dict(entries)

    def is_new(self, event: HookEvent) -> bool:
        """Whether the event is new; remembers it."""
        canonical = msgspec.json.encode(event.payload, order="sorted")
        digest = blake2b(canonical, digest_size=8).digest()
        before, at = self._at.pop(digest, None), event.entry.at
        self._at[digest] = at
        if before is None:
            return True
        named = any(event.payload.get(name) for name in _IDS)
        return not named and abs(at - before) > _TWICE

    def cursor(self) -> bytes:
        """What `__init__` takes."""
        return msgspec.msgpack.encode([*self._at.items()][-_REMEMBERED:])


class IngestResult(NamedTuple):
    """What became of the events of one session; `events` are those that were new."""

    agent: str
    session: str
    instance: str
    conversation: str
    events: tuple[HookEvent, ...]


class HookIngestor:
    """Stores the events of sessions in one archive."""

    def __init__(self, archive: Archive, *, clock: Callable[[], float] = time.time) -> None:
        self._archive = archive
        self._ingestor = Ingestor(archive, clock=clock)

    def ingest(
        self, agent: str, session: str, instance: str, events: Iterable[HookEvent]
    ) -> IngestResult:
        """Store the events of one session, all or none. What cannot be parsed is kept as raw."""
        source = hook_source(agent, session, instance)
        deduplicator = _Deduplicator(decode_cursor(self._archive.sources.cursor(source.key))[1])
        fresh = tuple(event for event in events if deduplicator.is_new(event))
        name = conversation_id(agent, instance, session)
        if fresh:
            data = b"".join(encode_entry(event.payload, event.entry.at) for event in fresh)
            offset = self._archive.sources.raw_length(source.key)
            delta = RawDelta(offset, data, deduplicator.cursor())
            self._ingestor.commit(Channel(Vector.HOOK, source), delta)
        return IngestResult(agent, session, instance, name, fresh)
