"""A conversation without its own name, found again among those that have one.

Some agents do not say which session a request to their model is of. `match_anonymous` finds the
conversation of another vector in which the same was asked at the same time (where the time is not
known: all of it, in the same workspace), and makes the nameless one an alias of it.
O(conversations of that agent on that day x their turns, and the source's raw), once a source;
O(conversations) where all have names.
"""

from collections.abc import Iterable

import msgspec

from dejavu.archive import Archive, Batch
from dejavu.model import Conversation, NotFoundError, Turn, TurnUpdate

from ..channel import Channel, replay, set_alias
from .alignment import align, to_exchanges
from .merge_turns import normalise

_AROUND = 3600.0  # seconds around its time in which another record of the session began or ended
_CANDIDATES = 64
_SHARE = 0.5  # of its prompts that the other must have


def match_anonymous(archive: Archive, channel: Channel, conversations: Iterable[str]) -> set[str]:
    """The conversations, those without a name replaced by those that they were found to be."""
    matched = {*conversations}
    nameless = any(_may_be_nameless(archive, channel, name) for name in matched)
    updates = replay(archive, channel)[1] if nameless else {}
    for name, (summary, _, turns, _) in updates.items():
        if name not in matched or summary.parent is not None or not _is_nameless(channel, summary):
            continue
        target = _best_match(archive, channel, summary, turns)
        if target is None:
            continue
        set_alias(archive, name, target.id)
        archive.commit(Batch(links={channel.key: [target.id]}))
        archive.maintenance.discard(name)
        matched = (matched - {name}) | {target.id}
        _move_children(archive, channel, updates, name, target.id)
    return matched


def _may_be_nameless(archive: Archive, channel: Channel, name: str) -> bool:
    try:
        summary = archive.summary(name)
    except NotFoundError:
        return True
    return summary.parent is None and _is_nameless(channel, summary)


def _is_nameless(channel: Channel, summary: Conversation) -> bool:
    """Whether the conversation is called after its source, for want of a name."""
    name = channel.source.name
    return bool(name) and summary.native_id.startswith(f"{channel.vector}:{name}")


def _best_match(
    archive: Archive, channel: Channel, summary: Conversation, turns: Iterable[Turn]
) -> Conversation | None:
    """The conversation that has most of what was asked, at that time; None if none has enough."""
    turns = list(turns)
    asked = [exchange for exchange in to_exchanges(turns, normalise) if exchange.prompt]
    times = [turn.at for turn in turns if turn.at is not None]
    if not asked or not (times or summary.workspace):
        return None
    best: tuple[int, Conversation] | None = None
    candidates = archive.scan(
        agent=channel.source.agent, instance=channel.source.instance, limit=_CANDIDATES,
        workspace=None if times else summary.workspace,
        since=min(times) - _AROUND if times else None,
        until=max(times) + _AROUND if times else None,
    )  # fmt: skip
    for other in candidates:
        elsewhere = other.workspace and summary.workspace and other.workspace != summary.workspace
        named = any(vector is not channel.vector for vector in other.vectors)
        if other.parent is not None or other.id == summary.id or elsewhere or not named:
            continue
        ours = to_exchanges(archive.get(other.id).turns, normalise)
        count = sum(place is not None for place in align(ours, asked))
        enough = (_SHARE if times else 1.0) * len(asked)
        if count >= enough and (best is None or count > best[0]):
            best = count, other
    return None if best is None else best[1]


def _move_children(
    archive: Archive, channel: Channel, updates: dict[str, TurnUpdate], old: str, new: str
) -> None:
    """Put what stood below the one conversation below the other."""
    children = [update for update in updates.values() if update.conversation.parent == old]
    for child in children:
        archive.maintenance.discard(child.conversation.id)
    archive.commit(
        Batch(
            updates=[
                TurnUpdate(
                    msgspec.structs.replace(child.conversation, parent=new), 0, child.turns,
                    channel.key,
                )
                for child in children
            ]
        )
    )  # fmt: skip
