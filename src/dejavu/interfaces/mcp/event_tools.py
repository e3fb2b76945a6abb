"""The tools of the `events` profile: history as events, under camelCase names and parameters.

For clients written for that interface: `searchMemory`, `getMemoryContext`, `unwindFromEvent` and
`getSessionTimeline`. An event's id is `conversation#turn`; `eventType` is one of `EVENT_TYPES`.
Curated memories are not part of it.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated

from dejavu.archive import Archive
from dejavu.model import InvalidValueError, Turn, to_iso
from dejavu.model.conversation import turn_name
from dejavu.recall import Event, Kind, rationales
from dejavu.recall.factory import open_recall
from dejavu.recall.rationale import Rationale

from ..filters import parse_time
from ..recall_answer import exchanges
from .answers import (
    MAX_ITEMS,
    Answer,
    answer,
    event_place,
    events_of,
    hit_texts,
    page_size,
    paged,
    redacted,
    redacted_part,
    turn_text,
)

EVENT_TYPES = tuple(str(kind) for kind in Kind)
_CANDIDATES = 500
"""Hits that filters are applied to."""

EventId = Annotated[str, "conversation#turn"]
SessionId = Annotated[str, "conversation id"]
EventType = Annotated[str, "user_prompt, assistant_text, tool_call ..."]
Limit = Annotated[int, "maximum"]
Offset = Annotated[int, "last `next`"]


class EventTools:
    """The tools of one server; `searchMemory` without a session searches the workspace."""

    def __init__(self, workspace: str | None = None) -> None:
        """Answer from `workspace` (default: the folder the server was started in)."""
        self._workspace = workspace or str(Path.cwd())

    def searchMemory(  # noqa: N802 - the interface's name
        self,
        query: Annotated[str, "names, errors, words"],
        limit: Limit = 10,
        sessionId: SessionId = "",  # noqa: N803 - the interface's name
        eventType: EventType = "",  # noqa: N803 - the interface's name
        since: Annotated[str, "2d, yesterday or ISO date"] = "",
    ) -> Answer:
        """Search past sessions for events that answer a question."""

        def work(archive: Archive) -> Answer:
            _check(eventType)
            earliest = _time(since)
            if sessionId:
                events: Iterable[tuple[Answer, float | None]] = _in_session(
                    archive, archive.resolve(sessionId), query
                )
            else:
                events = self._in_workspace(archive, query, page_size(limit), eventType)
            rows = (
                row
                for row, at in events
                if row["eventType"] == (eventType or row["eventType"])
                and (earliest is None or (at is not None and at >= earliest))
            )
            return {"events": list(islice(rows, page_size(limit)))}

        return answer(work, write=True)

    def getMemoryContext(  # noqa: N802 - the interface's name
        self,
        eventId: EventId,  # noqa: N803 - the interface's name
        before: Annotated[int, "turns"] = 3,
        after: Annotated[int, "turns"] = 3,
    ) -> Answer:
        """What was said and done around an event."""

        def work(archive: Archive) -> Answer:
            identity, seq = event_place(archive, eventId)
            start = max(0, seq - page_size(before)) if before > 0 else seq
            stop = seq + 1 + (page_size(after) if after > 0 else 0)
            return _turns(archive, identity, start, stop)

        return answer(work)

    def unwindFromEvent(  # noqa: N802 - the interface's name
        self,
        eventId: EventId,  # noqa: N803 - the interface's name
        limit: Annotated[int, "last turns (0: all)"] = 0,
        offset: Offset = 0,
    ) -> Answer:
        """An event and all that led to it, from its session's start."""

        def work(archive: Archive) -> Answer:
            identity, seq = event_place(archive, eventId)
            start = max(0, seq + 1 - page_size(limit)) if limit > 0 else 0
            return _turns(archive, identity, start, seq + 1, offset)

        return answer(work)

    def getSessionTimeline(  # noqa: N802 - the interface's name
        self,
        sessionId: SessionId,  # noqa: N803 - the interface's name
        eventType: EventType = "",  # noqa: N803 - the interface's name
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> Answer:
        """The events of a session, from its start, a line each.

        `omitted` counts the events after this page, `next` is where they begin.
        """

        def work(archive: Archive) -> Answer:
            _check(eventType)
            conversation = archive.summary(archive.resolve(sessionId))
            rows = [
                {**_row(conversation.id, turn, event), "summary": event.summary}
                for turn, event in _events(archive, conversation.id)
                if event.kind == (eventType or event.kind)
            ]
            start = max(0, offset)
            stop = start + page_size(limit)
            return {
                "sessionId": conversation.id, "title": conversation.title,
                "agent": conversation.agent, "events": rows[start:stop],
                "omitted": max(0, len(rows) - stop), "next": stop if stop < len(rows) else None,
            }  # fmt: skip

        return answer(work)

    def _in_workspace(
        self, archive: Archive, query: str, limit: int, event_type: str
    ) -> Iterator[tuple[Answer, float | None]]:
        """Ranked hits, more than `limit` because filters leave some out.

        event_type: of the events of each exchange found, those of this type; the one that holds
        most of the query where it is empty.
        """
        recall = open_recall(archive)
        recall.catch_up()
        workspace = recall.workspace_of(self._workspace) or self._workspace
        for one in exchanges(recall.search(query, max(_CANDIDATES, limit), workspace)):
            hit = one.hit
            worth: Answer = {"score": hit.score, "sure": one.sure}
            if one.replaced_by:
                worth["replaced_by"] = one.replaced_by
            row = {
                "eventId": turn_name(hit.conversation, hit.seq), "sessionId": hit.conversation,
                "eventType": str(hit.kind), "timestamp": to_iso(hit.at), **worth,
                **hit_texts(archive, hit),
            }  # fmt: skip
            if event_type in ("", str(hit.kind)):
                yield row, hit.at
                continue
            stop = min(hit.stop, hit.start + MAX_ITEMS) + 1
            for turn in redacted_part(archive, hit.conversation, hit.start, stop):
                for event in events_of(turn, None):
                    if event.kind == event_type:
                        told = {**worth, "excerpt": event.excerpt}
                        yield {**_row(hit.conversation, turn, event), **told}, turn.at


def _in_session(
    archive: Archive, conversation: str, query: str
) -> list[tuple[Answer, float | None]]:
    """Rank a session's events by the share of the query's words they hold. O(session)."""
    words = set(re.findall(r"\w+", query.casefold()))
    scored: list[tuple[Answer, float | None]] = []
    for turn, event in _events(archive, conversation):
        matches = sum(word in event.text.casefold() for word in words)
        if matches:
            score = round(matches / len(words), 3)
            row = {**_row(conversation, turn, event), "score": score, "excerpt": event.excerpt}
            scored.append((row, turn.at))
    return sorted(scored, key=lambda entry: -entry[0]["score"])


def _events(archive: Archive, conversation: str) -> Iterator[tuple[Turn, Event]]:
    why: dict[int, Rationale] = rationales(
        archive, conversation, 0, archive.summary(conversation).turn_count
    )
    for turn in redacted(archive.turns(conversation)):
        for event in events_of(turn, why.get(turn.seq)):
            yield turn, event


def _row(conversation: str, turn: Turn, event: Event) -> Answer:
    return {
        "eventId": turn_name(conversation, turn.seq), "sessionId": conversation,
        "eventType": str(event.kind), "timestamp": to_iso(turn.at),
    }  # fmt: skip


def _turns(archive: Archive, conversation: str, start: int, stop: int, offset: int = 0) -> Answer:
    why = rationales(archive, conversation, start, stop)
    turns = redacted_part(archive, conversation, start, stop)
    texts = (turn_text(turn, why.get(turn.seq)) for turn in turns)
    page = paged(texts, offset)
    return {
        "sessionId": conversation, "text": page["text"], "truncated": page["next"] is not None,
        "next": page["next"],
    }  # fmt: skip


def _time(since: str) -> float | None:
    return parse_time(since) if since else None


def _check(event_type: str) -> None:
    """Raise InvalidValueError for an event type that there is none of."""
    if event_type and event_type not in EVENT_TYPES:
        raise InvalidValueError(f"eventType {event_type!r} is none of {', '.join(EVENT_TYPES)}")
