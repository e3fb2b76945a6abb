"""Letters into the archive: payloads of one session become a source, and turns of vector `hook`.

Takes letters; commits raw, turns, parser state and what was seen in one transaction, so that a
crash at any moment loses and doubles nothing. A payload is one event once: the same letter again
(a crash between commit and removal), the same payload within seconds (a hook registered twice),
or one with an id of its own at any time, is passed over.

A hook's conversation has the id of the agent's own trace. Until another vector tells it too the
hooks' turns stand; from then on payloads are kept as raw, and heard beside the others at the end
of a run (`arbitrate`). O(payloads), plus one parser state.
"""

from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from dejavu.archive import Archive, Batch, RawDelta, TurnUpdate
from dejavu.config.clock import now as clock
from dejavu.ingest.merge.arbitrate import Telling, alone, remember
from dejavu.model import Vector, conversation_id
from dejavu.providers import HOOKS, Kind, Source, StaleStateError
from dejavu.providers.formats.hooks import Hook, line

from .spool import Letter

_TWICE = 5.0  # seconds within which the same words are the same event
_REMEMBERED = 512
_IDS = ("tool_use_id", "tool_call_id", "message_id", "prompt_id", "turn_id", "turn-id")


class Event(NamedTuple):
    """One payload of a letter."""

    letter: Letter
    payload: dict[str, Any]

    @property
    def kind(self) -> str:
        """What it is called."""
        return str(self.payload.get("hook_event_name") or self.payload.get("type") or "")


def events(letter: Letter) -> list[Event]:
    """The payloads in a letter: one object, or one a line; none if it is not JSON."""
    for data in ([letter.payload], letter.payload.splitlines()):
        try:
            values = [msgspec.json.decode(piece) for piece in data if piece.strip()]
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        return [Event(letter, value) for value in values if isinstance(value, dict)]
    return []


def hook_source(agent: str, session: str, instance: str) -> Source:
    """The source that all payloads of a session are."""
    return Source(
        agent=agent,
        path=Path(f"hook:{session}"),
        instance=instance,
        kind=Kind.APPEND,
        native_id=session,
        name=f"hook:{session}",
    )


class _Seen:
    """Which payloads of a session came already: the last few hundred, by digest and moment."""

    def __init__(self, cursor: bytes | None) -> None:
        known: list[tuple[bytes, float]] = [] if cursor is None else msgspec.msgpack.decode(cursor)
        self._at = dict(known)

    def first(self, event: Event) -> bool:
        """Whether the event is new; remembers it."""
        plain = msgspec.json.encode(event.payload, order="sorted")
        digest = blake2b(plain, digest_size=8).digest()
        before, at = self._at.pop(digest, None), event.letter.at
        self._at[digest] = at
        if before is None:
            return True
        named = any(event.payload.get(name) for name in _IDS)
        return not named and abs(at - before) > _TWICE

    def cursor(self) -> bytes:
        """What `__init__` takes."""
        return msgspec.msgpack.encode([*self._at.items()][-_REMEMBERED:])


class Taken(NamedTuple):
    """What became of the events of one session."""

    agent: str
    session: str
    instance: str
    conversation: str
    events: tuple[Event, ...]
    """Those that were new."""


class Intake:
    """Takes the events of one archive."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    def take(self, agent: str, session: str, instance: str, news: Iterable[Event]) -> Taken:
        """Keep the events of one session, all or none."""
        hook, source = HOOKS[agent], hook_source(agent, session, instance)
        seen = _Seen(self._archive.cursor(source.key))
        fresh = tuple(event for event in news if seen.first(event))
        identity = conversation_id(agent, instance, session)
        taken = Taken(agent, session, instance, identity, fresh)
        if not fresh:
            return taken
        offset = self._archive.raw_length(source.key)
        data = b"".join(line(event.payload, event.letter.at) for event in fresh)
        telling = Telling(Vector.HOOK, source)
        remember(self._archive, telling)
        parser = self._parser(hook, source)
        parser.feed(data, offset)
        now = clock()
        given = parser.take()
        updates = [
            TurnUpdate(
                msgspec.structs.replace(u.conversation, captured_at=now), u.start, u.turns,
                source.key,
            )
            for u in given
            if alone(self._archive, u.conversation.id, telling)
        ]  # fmt: skip
        self._archive.commit(
            Batch(
                raw={source.key: [RawDelta(offset, data)]},
                updates=updates,
                cursors={source.key: seen.cursor()},
                states={source.key: parser.state()},
                links={source.key: {update.conversation.id for update in given}},
            )
        )
        return taken

    def _parser(self, hook: Hook, source: Source) -> Any:
        state = self._archive.state(source.key)
        if state is None:
            return hook.parser(source)
        try:
            return hook.parser(source, state)
        except StaleStateError:
            parser, at = hook.parser(source, state, restart=True), 0
            for piece in self._archive.raw(source.key):
                parser.feed(piece, at)
                at += len(piece)
            return parser
