"""Reading the archive's own raw again, with today's parsers.

Takes an archive; gives every conversation the turns a fresh parse finds. No agent's file is
looked at: the raw bytes kept are the system of record. O(raw bytes); one source at a time.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from dejavu.archive import Archive, Batch, TurnUpdate
from dejavu.providers import PROVIDERS, Update
from dejavu.record import NotFound, Role, Vector

from .fuse import exchanges, fuse, letters
from .sync import remembered


@dataclass(slots=True)
class Reparsed:
    """What it did: sources read again, conversations whose turns changed, sources left alone."""

    sources: int = 0
    changed: set[str] = field(default_factory=set[str])
    left: list[str] = field(default_factory=list[str])


def reparse(archive: Archive, *, progress: Callable[[str], None] = lambda _: None) -> Reparsed:
    """Parse the raw of every source anew and keep what comes out."""
    result = Reparsed()
    for key in archive.source_keys():
        progress(key)
        source = remembered(archive, key)
        provider = PROVIDERS.get(source.agent) if source is not None else None
        if source is None or provider is None:
            result.left.append(key)
            continue
        parser = provider.parser(source, archive.state(key), restart=True)
        latest: dict[str, Update] = {}
        at = 0
        for piece in archive.raw(key):
            parser.feed(piece, at)
            at += len(piece)
            for update in parser.take():
                latest[update.conversation.id] = _joined(latest.get(update.conversation.id), update)
        receipt = archive.commit(
            Batch(
                updates=[_completed(archive, update, key) for update in latest.values()],
                states={key: parser.state()},
            )
        )
        result.sources += 1
        result.changed |= set(receipt.changed)
    return result


def _completed(archive: Archive, update: Update, key: str) -> TurnUpdate:
    """The turns found anew, and what only another vector had seen of the conversation."""
    try:
        stored = archive.get(update.conversation.id).turns
    except NotFound:
        stored = ()
    kept = exchanges(stored)
    if all(turn.vector is Vector.NATIVE for turn in stored):
        return TurnUpdate(update.conversation, 0, update.turns, key)
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
    return TurnUpdate(update.conversation, 0, turns, key)


def _joined(before: Update | None, update: Update) -> Update:
    """Both as one update from the first turn on."""
    if before is None or update.start == 0:
        return update
    return Update(update.conversation, 0, (*before.turns[: update.start], *update.turns))
