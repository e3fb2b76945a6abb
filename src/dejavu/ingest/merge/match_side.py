"""Requests that an agent makes in the background, under other session ids.

Some agents have a title, a summary or memories made by a model while a conversation continues, and
their telemetry and hooks tell that as a session like any other. `match_side` finds the conversation
that such a request quotes, and puts it below that one as `Relation.SIDE`. It is known by all of: no
session log holds it, nothing but one or two prompts and their answers is in it, and a prompt of a
conversation of the same agent, in progress at that time, is inside its own prompt with something
around it. O(conversations of that agent in that hour x their prompts), once a conversation.
"""

import re
from collections.abc import Iterable

import msgspec

from dejavu.archive import Archive, Batch
from dejavu.model import (
    AT_END,
    Conversation,
    NotFoundError,
    Relation,
    Role,
    Turn,
    TurnUpdate,
    Vector,
)

from .merge_turns import normalise

_AROUND = 3600.0  # seconds before it in which the conversation was still going on
_AFTER = 120.0  # seconds after a conversation's last moment in which it may be named
_CANDIDATES = 64
_PROMPTS = 2  # of a side request, at the most
_QUOTED = 16  # letters of a prompt that no other would quote by chance
_TASK = re.compile(r"\b(title|summar[a-z]+|memor[a-z]+|topic|rename|name for)\b", re.IGNORECASE)
_SHORT = 4  # letters that are enough where the request says what it is for
_AROUND_IT = 24  # letters that a request has besides what it quotes


def match_side(archive: Archive, conversations: Iterable[str]) -> None:
    """Put those of the conversations that are side requests below what they quote."""
    for name in conversations:
        try:
            summary = archive.summary(name)
        except NotFoundError:
            continue
        if summary.parent is None and {*summary.vectors} <= {Vector.HOOK, Vector.OTLP, Vector.WIRE}:
            parent = _quoted(archive, archive.get(name))
            if parent is not None:
                side = msgspec.structs.replace(summary, parent=parent, relation=Relation.SIDE)
                archive.commit(Batch(updates=[TurnUpdate(side, AT_END, ())]))


def _quoted(archive: Archive, request: Conversation) -> str | None:
    """The conversation that a request quotes; None if it is no side request."""
    asked = prompts(request.turns)
    times = [turn.at for turn in request.turns if turn.at is not None]
    if not 0 < len(asked) <= _PROMPTS or not times:
        return None
    if any(turn.role is Role.TOOL for turn in request.turns):
        return None
    start = min(times)
    candidates = archive.scan(
        agent=request.agent, instance=request.instance, limit=_CANDIDATES,
        since=start - _AROUND, until=max(times) + _AROUND, side=False,
    )  # fmt: skip
    for other in candidates:
        ended = other.ended_at if other.ended_at is not None else start
        if other.id == request.id or other.parent is not None or ended + _AFTER < start:
            continue
        if any(
            _quotes(mine, theirs) for mine in asked for theirs in prompts(archive.turns(other.id))
        ):
            return other.id
    return None


def prompts(turns: Iterable[Turn]) -> list[str]:
    """The prompts among the turns."""
    return [turn.text for turn in turns if turn.role is Role.USER and turn.text.strip()]


def _quotes(request: str, prompt: str) -> bool:
    """Whether a request holds a prompt, and more than that."""
    mine, theirs = normalise(request), normalise(prompt)
    enough = _SHORT if _TASK.search(request.replace(prompt, "")) else _QUOTED
    return len(theirs) >= enough and len(mine) >= len(theirs) + _AROUND_IT and theirs in mine
