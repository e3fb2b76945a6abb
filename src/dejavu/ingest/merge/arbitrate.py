"""A conversation that several sources hold: its turns, merged from all of them.

Streams, hooks, OTLP and the wire are sources with their own raw next to the agent's session log,
and so is each form of a session log that changed its form. While one of them is alone its turns
stand as they come. Where several hold a conversation its turns are a function of all: the best
vector's, and what only a weaker one saw, under its own vector and source (`merge_turns`). So the
order of arrival does not matter, merging again changes nothing, and a late session file takes its
place. What the vectors do not agree on is counted. O(raw of the sources + turns) a merge.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable

import msgspec

from dejavu.archive import Archive, Batch
from dejavu.model import (
    Conversation,
    NotFoundError,
    Turn,
    TurnUpdate,
    Vector,
    conversation_id,
)
from dejavu.model.conversation import exchanges
from dejavu.providers import Kind

from ..channel import Channel, merged_channels, replay, resolve_alias
from ..import_lock import ImportLock
from ..rewrite import is_retained
from .merge_turns import by_rank, merge_turns
from .parts import SOURCE

_STATISTICS = "verdicts"
_SYSTEM = "system_prompt"
_FORMS = (Kind.APPEND, Kind.WHOLE, Kind.DATABASE)
"""Forms of a session log, the one that tells most first."""


def is_sole_source(archive: Archive, conversation: str, channel: Channel) -> bool:
    """Whether nothing but this channel holds the conversation, so that its turns can stand."""
    try:
        vectors, keys = archive.summary(conversation).vectors, archive.sources.of(conversation)
    except NotFoundError:
        return True
    return {*vectors} <= {channel.vector} and {*keys} <= {channel.key}


def merge_channel(archive: Archive, channel: Channel, conversations: Iterable[str]) -> int:
    """Merge what a channel holds with the other sources; how many turns the best ones lack."""
    from .match_anonymous import match_anonymous
    from .match_side import match_side

    matched = match_anonymous(archive, channel, conversations)
    count = sum(merge_vectors(archive, name) for name in sorted(matched))
    match_side(archive, sorted(matched))
    return count


def merge_vectors(
    archive: Archive, conversation: str, *, clock: Callable[[], float] = time.time
) -> int:
    """Make the turns what all sources hold; how many of them the best vector lacks."""
    with ImportLock(archive.root):  # an import would move on from what is read here
        return merge_conversation(archive, conversation, clock=clock)


def merge_conversation(
    archive: Archive, conversation: str, *, clock: Callable[[], float] = time.time
) -> int:
    """The same, for who holds the import lock."""
    try:
        channels = merged_channels(archive, conversation)
        if all(is_sole_source(archive, conversation, channel) for channel in channels):
            return 0
        whole = archive.get(conversation)
    except NotFoundError:
        return 0
    return _merge(archive, whole, channels, clock())


def _merge(archive: Archive, whole: Conversation, channels: list[Channel], now: float) -> int:
    vectors = {channel.vector for channel in channels}
    own = [turn for turn in whole.turns if SOURCE not in turn.meta]
    rest = [turn for turn in own if turn.vector not in vectors]
    views = [(str(min(rest, key=_rank).vector), rest)] if rest else []
    if forms := [channel for channel in channels if channel.vector is Vector.NATIVE]:
        views.append((str(Vector.NATIVE), _merged_forms(archive, whole.id, forms)))
    system: list[tuple[Conversation, str, list[Turn]]] = []
    for channel in channels:
        if channel.vector is Vector.NATIVE:
            continue
        key = channel.key
        update = _update_of(archive, channel, whole.id)
        summary, turns = (whole, list[Turn]()) if update is None else update
        stamped = [_with_source(turn, key) for turn in turns if not _is_prompt(turn)]
        views.append((str(channel.vector), stamped))
        if prompts := [turn for turn in turns if _is_prompt(turn)]:
            system.append((summary, key, prompts))
    merged, statistics = _merge_views(views)
    merged = merge_turns(merged, _not_replayed(whole.turns, channels))[0]
    current = msgspec.structs.replace(whole, captured_at=now)
    updates = [TurnUpdate(current, 0, merged)] if merged != whole.turns else []
    updates += [
        TurnUpdate(_system_conversation(current, summary), 0, turns, key)
        for summary, key, turns in system
    ]
    archive.commit(Batch(updates=updates))
    record = msgspec.msgpack.encode({name: dict(counts) for name, counts in statistics.items()})
    namespace = archive.namespace(_STATISTICS)
    if namespace.get(whole.id.encode()) != record:
        namespace.put(whole.id.encode(), record)
    best = min(merged, key=_rank).vector
    return sum(turn.vector is not best for turn in merged) + sum(len(one[2]) for one in system)


def _update_of(
    archive: Archive, channel: Channel, conversation: str
) -> tuple[Conversation, list[Turn]] | None:
    """What a channel holds of a conversation, under whichever name."""
    for name, update in replay(archive, channel)[1].items():
        if resolve_alias(archive, name) == conversation:
            return update.conversation, list(update.turns)
    return None


def _merged_forms(archive: Archive, conversation: str, forms: list[Channel]) -> list[Turn]:
    """The turns of a session log in several forms or copies: of the best, and what it lacks."""
    turns: list[Turn] = []
    for channel in sorted(forms, key=lambda channel: _FORMS.index(channel.source.kind)):
        first = not turns
        update = _update_of(archive, channel, conversation)
        more = [] if update is None else update[1]
        if channel.source.variant or not first:
            more = [_with_source(turn, channel.key) for turn in more]
        turns = list(merge_turns(turns, more)[0]) if turns else more
    return turns


def _not_replayed(turns: Iterable[Turn], channels: list[Channel]) -> list[Turn]:
    """The turns that no source can be replayed for, each with the exchange it belongs to."""
    keys, vectors = {one.key for one in channels}, {one.vector for one in channels}

    def is_replayed(turn: Turn) -> bool:
        key = turn.meta.get(SOURCE)
        if is_retained(turn):
            return False
        return turn.vector in vectors if key is None else key in keys

    kept = [one for one in exchanges(turns) if not all(is_replayed(turn) for turn in one)]
    return [turn for one in kept for turn in one if turn is one[0] or not is_replayed(turn)]


def _merge_views(
    views: Iterable[tuple[str, list[Turn]]],
) -> tuple[tuple[Turn, ...], dict[str, Counter[str]]]:
    """All turns in one, and by vector what it had alone or has in other words."""
    names = {id(turns): name for name, turns in views}
    merged: tuple[Turn, ...] = ()
    statistics: dict[str, Counter[str]] = {}
    for turns in by_rank(turns for _, turns in views):
        counts = statistics.setdefault(names[id(turns)], Counter())
        merged = merge_turns(merged, turns, counts=counts)[0] if merged else tuple(turns)
    return merged, statistics


def merge_into(stored: Iterable[Turn], change: TurnUpdate) -> TurnUpdate:
    """A change of a session log's own turns, with what other vectors have put back between them.

    `change` counts the log's own turns only; `stored` are all that the archive has.
    """
    stored = list(stored)
    own = [turn for turn in stored if turn.vector is Vector.NATIVE]
    own[change.start :] = change.turns
    system = [turn for turn in stored if _is_prompt(turn)]
    return change._replace(start=0, turns=[*system, *merge_turns(own, stored)[0]])


def all_merge_statistics(archive: Archive) -> dict[str, dict[str, dict[str, int]]]:
    """By conversation and vector: what the better ones lacked, and what it has otherwise."""
    items = archive.namespace(_STATISTICS).items()
    return {key.decode(): msgspec.msgpack.decode(value) for key, value in items}


def merge_statistics(archive: Archive, conversation: str) -> dict[str, dict[str, int]]:
    """The same, of one conversation; empty where one vector alone holds it."""
    record = archive.namespace(_STATISTICS).get(conversation.encode())
    return {} if record is None else msgspec.msgpack.decode(record)


def _rank(turn: Turn) -> int:
    return turn.vector.rank


def _is_prompt(turn: Turn) -> bool:
    """Whether a turn is the system prompt as sent, which is in a conversation below."""
    return turn.meta.get("kind") == _SYSTEM


def _with_source(turn: Turn, key: str) -> Turn:
    return msgspec.structs.replace(turn, meta={**turn.meta, SOURCE: key})


def _system_conversation(whole: Conversation, summary: Conversation) -> Conversation:
    """What the wire alone has. The turns of `whole` keep their numbers that way."""
    native_id = f"{whole.native_id}/system"
    return msgspec.structs.replace(
        summary,
        captured_at=whole.captured_at,
        id=conversation_id(whole.agent, whole.instance, native_id),
        native_id=native_id,
        parent=whole.id,
        relation=None,
        title="system prompt and tools as sent",
    )
