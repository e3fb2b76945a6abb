"""Which vectors tell a conversation, and its turns as all of them together tell it.

Takes an archive and a conversation's id. Streams, hooks, OTLP and the wire are *tellings*: sources
with raw of their own beside the agent's own trace. While one of them is alone its turns stand as
they come. Where several tell a conversation its turns are a function of all: the best vector's,
and what only a weaker one saw, under its own vector and source (`fuse`). So the order of arrival
does not matter, doing it again changes nothing, and a late session file takes its place. What the
vectors do not agree on is counted. O(raw of the tellings + turns) a verdict.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec

from dejavu.archive import Archive, Batch, TurnUpdate
from dejavu.config.clock import now
from dejavu.model import Conversation, NotFoundError, Turn, Vector, conversation_id
from dejavu.providers import HOOKS, STREAMS, TELEMETRY, Kind, Parser, Source
from dejavu.providers.formats.wire import parser as wire_parser

from ..import_lock import ImportLock
from .merge_turns import exchanges, fuse, ranked
from .parts import SOURCE

_NAMESPACE = "tellings"
_VERDICTS = "verdicts"
_ALIASES = "aliases"
_SYSTEM = "system_prompt"
_PARSERS: Mapping[Vector, Callable[[str], Callable[..., Parser]]] = MappingProxyType(
    {
        Vector.STREAM: lambda agent: STREAMS[agent].parser,
        Vector.HOOK: lambda agent: HOOKS[agent].parser,
        Vector.OTLP: lambda agent: TELEMETRY[agent].parser,
        Vector.WIRE: lambda _: wire_parser,
    }
)


class Telling(NamedTuple):
    """A source of a vector that is not the agent's own trace."""

    vector: Vector
    source: Source


def remember(archive: Archive, telling: Telling) -> None:
    """Keep what a telling is, so that its raw can be read again; once is enough."""
    source = telling.source
    namespace, key = archive.namespace(_NAMESPACE), source.key.encode()
    if namespace.get(key) is None:
        facts = {**asdict(source), "path": str(source.path), "kind": str(source.kind)}
        namespace.put(key, msgspec.msgpack.encode({"vector": str(telling.vector), **facts}))


def tellings(archive: Archive, conversation: str) -> list[Telling]:
    """Those that tell a conversation, the best first."""
    namespace = archive.namespace(_NAMESPACE)
    kept = [namespace.get(key.encode()) for key in archive.sources(conversation)]
    found = [_telling(msgspec.msgpack.decode(one)) for one in kept if one is not None]
    return sorted(found, key=lambda one: one.vector.rank)


def _telling(facts: dict[str, Any]) -> Telling:
    known: dict[str, Any] = {f.name: facts[f.name] for f in fields(Source) if f.name in facts}
    known |= {"path": Path(facts["path"]), "kind": Kind(facts["kind"])}
    return Telling(Vector(facts["vector"]), Source(**known))


def alias(archive: Archive, name: str, conversation: str) -> None:
    """Say that what a telling calls the conversation `name` is another one."""
    archive.namespace(_ALIASES).put(name.encode(), conversation.encode())


def known_as(archive: Archive, name: str) -> str:
    """The conversation that a telling's `name` stands for: itself, mostly."""
    kept = archive.namespace(_ALIASES).get(name.encode())
    return name if kept is None else kept.decode()


def alone(archive: Archive, conversation: str, telling: Telling) -> bool:
    """Whether nothing but this telling holds the conversation, so that its turns can stand."""
    try:
        vectors, keys = archive.summary(conversation).vectors, archive.sources(conversation)
    except NotFoundError:
        return True
    return {*vectors} <= {telling.vector} and {*keys} <= {telling.source.key}


def told(archive: Archive, telling: Telling) -> dict[str, tuple[Conversation, list[Turn]]]:
    """All that a telling says, by conversation, read again from the archive's own raw."""
    key = telling.source.key
    make = _PARSERS[telling.vector](telling.source.agent)
    state = archive.state(key)
    parser = make(telling.source, state, restart=True) if state else make(telling.source)
    found: dict[str, tuple[Conversation, list[Turn]]] = {}

    def take() -> None:
        for update in parser.take():
            known = found.get(update.conversation.id)
            before = known[1][: update.start] if known else []
            found[update.conversation.id] = (update.conversation, [*before, *update.turns])

    at = 0
    for piece in archive.raw(key):
        parser.feed(piece, at)
        at += len(piece)
        take()
    if telling.vector is Vector.STREAM and (close := getattr(parser, "close", None)):
        close()
        take()
    return found


def arbitrate(archive: Archive, conversation: str) -> int:
    """Make the turns what all vectors tell; gives how many of them the best one lacks."""
    with ImportLock(archive.root):  # an import would move on from what is read here
        try:
            whole = archive.get(conversation)
        except NotFoundError:
            return 0
        known = tellings(archive, conversation)
        if all(alone(archive, conversation, telling) for telling in known):
            return 0
        return _settle(archive, whole, known)


def _settle(archive: Archive, whole: Conversation, known: list[Telling]) -> int:
    vectors = {one.vector for one in known}
    own = [turn for turn in whole.turns if SOURCE not in turn.meta]
    held = [turn for turn in own if turn.vector not in vectors]
    said = [(str(min(held, key=_rank).vector), held)] if held else []
    system: list[tuple[Conversation, str, list[Turn]]] = []
    for telling in known:
        key = telling.source.key
        heard = [
            one
            for name, one in told(archive, telling).items()
            if known_as(archive, name) == whole.id
        ]
        head, turns = heard[0] if heard else (whole, [])
        said.append((str(telling.vector), [_stamped(t, key) for t in turns if not _prompt(t)]))
        if prompts := [turn for turn in turns if _prompt(turn)]:
            system.append((head, key, prompts))
    fused, tallies = _united(said)
    fused = fuse(fused, _unsaid(whole.turns, known))[0]
    updates = [TurnUpdate(_touched(whole), 0, fused, None)] if fused != whole.turns else []
    updates += [TurnUpdate(_below(whole, head), 0, turns, key) for head, key, turns in system]
    archive.commit(Batch(updates=updates))
    verdict = msgspec.msgpack.encode({name: dict(tally) for name, tally in tallies.items()})
    namespace = archive.namespace(_VERDICTS)
    if namespace.get(whole.id.encode()) != verdict:
        namespace.put(whole.id.encode(), verdict)
    best = min(fused, key=_rank).vector
    return sum(turn.vector is not best for turn in fused) + sum(len(one[2]) for one in system)


def _unsaid(turns: Iterable[Turn], known: list[Telling]) -> list[Turn]:
    """What was put here by nobody who can be asked again, each with what it answers."""
    keys, vectors = {one.source.key for one in known}, {one.vector for one in known}

    def asked_again(turn: Turn) -> bool:
        key = turn.meta.get(SOURCE)
        return turn.vector in vectors if key is None else key in keys

    kept = [one for one in exchanges(turns) if not all(asked_again(turn) for turn in one)]
    return [turn for one in kept for turn in one if turn is one[0] or not asked_again(turn)]


def _united(
    said: Iterable[tuple[str, list[Turn]]],
) -> tuple[tuple[Turn, ...], dict[str, Counter[str]]]:
    """Everything in one, and by vector what it had alone or tells in other words."""
    named = {id(turns): name for name, turns in said}
    fused: tuple[Turn, ...] = ()
    tallies: dict[str, Counter[str]] = {}
    for turns in ranked(turns for _, turns in said):
        tally = tallies.setdefault(named[id(turns)], Counter())
        fused = fuse(fused, turns, tally=tally)[0] if fused else tuple(turns)
    return fused, tallies


def beside(held: Iterable[Turn], change: TurnUpdate) -> TurnUpdate:
    """A change of a session file's own turns, with what other vectors told put back between them.

    `change` counts the file's own turns only; `held` are all that the archive has.
    """
    held = list(held)
    own = [turn for turn in held if turn.vector is Vector.NATIVE]
    own[change.start :] = change.turns
    system = [turn for turn in held if _prompt(turn)]
    return change._replace(start=0, turns=[*system, *fuse(own, held)[0]])


def verdicts(archive: Archive) -> dict[str, dict[str, dict[str, int]]]:
    """By conversation and vector: what the better ones lacked, and what it tells otherwise."""
    items = archive.namespace(_VERDICTS).items()
    return {key.decode(): msgspec.msgpack.decode(value) for key, value in items}


def verdict(archive: Archive, conversation: str) -> dict[str, dict[str, int]]:
    """The same, of one conversation; empty where one vector alone tells it."""
    kept = archive.namespace(_VERDICTS).get(conversation.encode())
    return {} if kept is None else msgspec.msgpack.decode(kept)


def _rank(turn: Turn) -> int:
    return turn.vector.rank


def _prompt(turn: Turn) -> bool:
    """Whether a turn is the system prompt as sent, which stands in a conversation below."""
    return turn.meta.get("kind") == _SYSTEM


def _stamped(turn: Turn, key: str) -> Turn:
    return msgspec.structs.replace(turn, meta={**turn.meta, SOURCE: key})


def _touched(head: Conversation) -> Conversation:
    return msgspec.structs.replace(head, captured_at=now())


def _below(whole: Conversation, told: Conversation) -> Conversation:
    """The head of what the wire alone has. The turns of `whole` keep their numbers that way."""
    native_id = f"{whole.native_id}/system"
    return msgspec.structs.replace(
        _touched(told),
        id=conversation_id(whole.agent, whole.instance, native_id),
        native_id=native_id,
        parent=whole.id,
        relation=None,
        title="system prompt and tools as sent",
    )
