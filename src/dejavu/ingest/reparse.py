"""Reading the archive's own raw again, with today's parsers.

Takes an archive; gives every conversation the turns a fresh parse finds: of the agents' own traces
first, then of what streams, hooks, telemetry and the wire told, heard together with them. No
agent's file is looked at: the raw bytes kept are the system of record. O(raw bytes); one source at
a time.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

import msgspec

from dejavu.archive import Archive, Batch, TurnUpdate
from dejavu.model import NotFoundError, Role, Turn, Vector
from dejavu.providers import PROVIDERS, Provider, Source

from .import_lock import ImportLock
from .importer import joined
from .merge.arbitrate import Telling, alone, arbitrate, tellings, told
from .merge.merge_turns import exchanges, fuse, letters
from .rewrite import Kept, is_kept, merged, unwrapped, wrapped
from .source_registry import remembered


@dataclass(slots=True)
class Reparsed:
    """What it did: sources read again, conversations whose turns changed, sources left alone."""

    sources: int = 0
    changed: set[str] = field(default_factory=set[str])
    left: list[str] = field(default_factory=list[str])


def reparse(
    archive: Archive,
    *,
    only: Collection[str] | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Reparsed:
    """Parse the raw of every source (or of those in `only`) anew and keep what comes out."""
    result = Reparsed()
    left: dict[str, None] = {}
    for key in archive.source_keys() if only is None else only:
        progress(key)
        source = remembered(archive, key)
        provider = PROVIDERS.get(source.agent) if source is not None else None
        if source is None or provider is None:
            left[key] = None
            continue
        with ImportLock(archive.root):  # a sync would move on from what is parsed here
            result.changed |= _anew(archive, source, provider)
        result.sources += 1
    for head in list(archive.scan()):
        if only is not None and head.id not in result.changed:
            continue
        known = tellings(archive, head.id)
        for telling in known:
            if telling.source.key in left:
                progress(telling.source.key)
                del left[telling.source.key]
                result.sources += 1
        if known:
            result.changed |= _told_again(archive, head.id, known)
    result.left = list(left)
    return result


def _told_again(archive: Archive, conversation: str, known: list[Telling]) -> set[str]:
    """Hear what vectors beside the agent's own trace tell of a conversation; gives what changed."""
    if not alone(archive, conversation, known[0]):
        before = archive.get(conversation).turns
        arbitrate(archive, conversation)
        return {conversation} if archive.get(conversation).turns != before else set()
    with ImportLock(archive.root):
        found = told(archive, known[0]).get(conversation)
        if found is None:
            return set()
        captured = archive.summary(conversation).captured_at
        head = msgspec.structs.replace(found[0], captured_at=captured)
        change = TurnUpdate(head, 0, found[1], known[0].source.key)
        return set(archive.commit(Batch(updates=[change])).changed)


def _anew(archive: Archive, source: Source, provider: Provider) -> set[str]:
    """Parse one source's raw; gives the conversations that changed."""
    key = source.key
    state, _ = unwrapped(archive.state(key))
    parser = provider.parser(source, state, restart=True)
    latest: dict[str, TurnUpdate] = {}
    at = 0
    for piece in archive.raw(key):
        parser.feed(piece, at)
        at += len(piece)
        for update in parser.take():
            latest[update.conversation.id] = joined(latest.get(update.conversation.id), update)
    updates: list[TurnUpdate] = []
    places: dict[str, tuple[Kept, ...]] = {}
    for name, update in latest.items():
        try:
            stored = archive.get(name).turns
        except NotFoundError:
            stored = ()
        turns, places[name] = merged(stored, _completed(stored, update), is_kept)
        updates.append(TurnUpdate(update.conversation, 0, turns, key))
    states = {key: wrapped(parser.state(), places)}
    return set(archive.commit(Batch(updates=updates, states=states)).changed)


def _completed(stored: tuple[Turn, ...], update: TurnUpdate) -> tuple[Turn, ...]:
    """The turns found anew, and what only another vector had seen of the conversation."""
    stored = tuple(turn for turn in stored if not is_kept(turn))
    kept = exchanges(stored)
    if all(turn.vector is Vector.NATIVE for turn in stored):
        return tuple(update.turns)
    # Exchanges that were found again say where the others belong; of the rest only what another
    # vector saw is kept: what an older parser took for a prompt is not.
    prompts = {letters(turn.text) for turn in update.turns if turn.role is Role.USER}
    anchored = [
        turn
        for exchange in kept
        if letters(exchange[0].text) in prompts
        or any(turn.vector is not Vector.NATIVE for turn in exchange)
        for turn in exchange
    ]
    turns, _ = fuse(update.turns, anchored)
    return turns
