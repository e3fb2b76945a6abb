"""A conversation without a name of its own, found again among those that have one.

Takes a telling whose agent does not say which session it is of (some agents send no id with a
request to their model); gives the conversation of another vector in which the same was
asked at the same time (where the time is not known: all of it, in the same workspace), and lets
the telling tell that one from then on. O(conversations of that agent on that day x their turns),
once a telling.
"""

from collections.abc import Iterable

import msgspec

from dejavu.archive import Archive, Batch, TurnUpdate
from dejavu.model import Conversation, Turn

from .alignment import aligned, known
from .arbitrate import Telling, alias, told
from .merge_turns import letters

_AROUND = 3600.0  # seconds around its time in which another record of the session began or ended
_CANDIDATES = 64
_SHARE = 0.5  # of its prompts that the other must have


def adopt(archive: Archive, telling: Telling, conversations: Iterable[str]) -> set[str]:
    """The conversations, those without a name replaced by those that they were found to be."""
    adopted = {*conversations}
    said = told(archive, telling) if adopted else {}
    for identity, (head, turns) in said.items():
        if identity not in adopted or head.parent is not None or not _nameless(telling, head):
            continue
        target = _found(archive, telling, head, turns)
        if target is None:
            continue
        alias(archive, identity, target.id)
        archive.commit(Batch(links={telling.source.key: [target.id]}))
        archive.discard(identity)
        adopted = (adopted - {identity}) | {target.id}
        _move(archive, telling, said, identity, target.id)
    return adopted


def _nameless(telling: Telling, head: Conversation) -> bool:
    """Whether the conversation is called after its source, for want of a name."""
    name = telling.source.name
    return bool(name) and head.native_id.startswith(f"{telling.vector}:{name}")


def _found(
    archive: Archive, telling: Telling, head: Conversation, turns: list[Turn]
) -> Conversation | None:
    """The conversation that has most of what was asked, at that time; None if none has enough."""
    seen = [one for one in known(turns, letters) if one.prompt]
    moments = [turn.at for turn in turns if turn.at is not None]
    if not seen or not (moments or head.workspace):
        return None
    best: tuple[int, Conversation] | None = None
    near = archive.scan(
        agent=telling.source.agent, instance=telling.source.instance, limit=_CANDIDATES,
        workspace=None if moments else head.workspace,
        since=min(moments) - _AROUND if moments else None,
        until=max(moments) + _AROUND if moments else None,
    )  # fmt: skip
    for other in near:
        apart = other.workspace and head.workspace and other.workspace != head.workspace
        named = any(vector is not telling.vector for vector in other.vectors)
        if other.parent is not None or other.id == head.id or apart or not named:
            continue
        ours = known(archive.get(other.id).turns, letters)
        met = sum(place is not None for place in aligned(ours, seen))
        if met >= (_SHARE if moments else 1.0) * len(seen) and (best is None or met > best[0]):
            best = met, other
    return None if best is None else best[1]


def _move(
    archive: Archive,
    telling: Telling,
    said: dict[str, tuple[Conversation, list[Turn]]],
    old: str,
    new: str,
) -> None:
    """What stood below the one stands below the other."""
    key = telling.source.key
    below = [(head, turns) for head, turns in said.values() if head.parent == old]
    for head, _ in below:
        archive.discard(head.id)
    updates = [
        TurnUpdate(msgspec.structs.replace(head, parent=new), 0, turns, key)
        for head, turns in below
    ]
    archive.commit(Batch(updates=updates))
