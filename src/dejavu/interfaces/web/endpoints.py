"""The endpoints: running sessions, input to them, and the archive's conversations.

Answers have the shapes of the commands' JSON, and cost what the command of the same name costs. The
archive is opened for one request at a time (one process may not open it twice) and never written.
"""

from itertools import islice
from threading import Lock
from typing import Any

from dejavu.archive import SearchResult
from dejavu.archive.access import NoArchiveError, full_workspace, open_archive, resolve
from dejavu.model import conversation_to_dict, to_iso
from dejavu.sessions import session_store as sessions
from dejavu.sessions.priority import by_attention, roll_up
from dejavu.sessions.send_input import type_into
from dejavu.sessions.serialize import plain

from ..filters import parse_time
from .endpoint import Endpoint, Parameter

_ARCHIVE = Lock()
_MOST = 500


def _time(text: str | None) -> float | None:
    return None if text is None else parse_time(text)


def list_sessions(all: bool) -> list[dict[str, Any]]:  # noqa: A002 - the query's own name
    """Sessions, those that need a person first."""
    views = by_attention(sessions.find_all())
    return [plain(view) for view in views if all or view.live]


def show_session(session: str) -> dict[str, Any]:
    """One session; asking for it does not count as having seen it."""
    return plain(sessions.find(session))


def see_session(session: str) -> dict[str, Any]:
    """Note that somebody looked at the session: `done` becomes `idle`."""
    sessions.mark(sessions.find(session).folder, "seen")
    return plain(sessions.find(session))


def send_text(session: str, text: str, enter: bool, force: bool) -> dict[str, Any]:
    """Type a text into the session's agent, as its user would."""
    type_into(sessions.find(session), text, enter=enter, force=force)
    return plain(sessions.find(session))


def show_attention() -> dict[str, Any]:
    """The most urgent state of all live sessions, who is in it, and how many are in each."""
    return roll_up(sessions.find_all())


def list_conversations(
    workspace: str | None, instance: str | None, agent: str | None,
    since: str | None, until: str | None, limit: int, offset: int,
) -> list[dict[str, Any]]:  # fmt: skip
    """Conversations without their turns, the newest first."""
    with _ARCHIVE:
        try:
            with open_archive() as archive:
                summaries = archive.scan(
                    workspace=full_workspace(archive, workspace),
                    instance=instance,
                    agent=agent,
                    since=_time(since),
                    until=_time(until),
                    limit=offset + limit,
                    side=False,
                )
                return [
                    conversation_to_dict(summary) for summary in islice(summaries, offset, None)
                ]
        except NoArchiveError:
            return []


def show_conversation(conversation: str, provenance: bool) -> dict[str, Any]:
    """One conversation with its turns."""
    with _ARCHIVE, open_archive() as archive:
        stored = archive.get(resolve(archive, conversation))
    return conversation_to_dict(stored, turns=True, provenance=provenance)


def search(
    q: str, workspace: str | None, instance: str | None, agent: str | None, role: str | None,
    exact: bool, since: str | None, until: str | None, limit: int,
) -> dict[str, Any]:  # fmt: skip
    """Turns that hold the words, the best first."""
    with _ARCHIVE:
        try:
            with open_archive() as archive:
                hits = archive.search(
                    q,
                    limit=limit,
                    workspace=full_workspace(archive, workspace),
                    agent=agent,
                    role=role,
                    instance=instance,
                    exact=exact,
                    side=False,
                    since=_time(since),
                    until=_time(until),
                )
        except NoArchiveError:
            hits = SearchResult()
    plain_hits = [{**hit._asdict(), "role": str(hit.role), "at": to_iso(hit.at)} for hit in hits]
    return {"query": q, "hits": plain_hits, "behind": hits.behind}


_WORKSPACE = Parameter("workspace", "A folder, or its end.")
_INSTANCE = Parameter("instance", "A machine or container.")
_AGENT = Parameter("agent", "Only this agent.")
_SINCE = Parameter("since", "Not before: 2d, yesterday or an ISO date.")
_UNTIL = Parameter("until", "Not after this moment.")
_LIMIT = Parameter("limit", "At most so many.", "integer", 50, least=1, most=_MOST)

ENDPOINTS = (
    Endpoint(
        "GET", "/v1/sessions", "Sessions, those that need a person first.", list_sessions,
        "Sessions", (Parameter("all", "Also those that are over.", "boolean", False),),
    ),
    Endpoint(
        "GET", "/v1/sessions/{session}", "One session, by id, its beginning, or name.",
        show_session, "Session", errors=(404,),
    ),
    Endpoint(
        "POST", "/v1/sessions/{session}/seen", "Somebody looked: done becomes idle.", see_session,
        "Session", errors=(404,),
    ),
    Endpoint(
        "POST", "/v1/sessions/{session}/send", "Type a text into the agent, then Enter.",
        send_text, "Session",
        body=(
            Parameter("text", "What to type; empty is Enter alone.", required=True),
            Parameter("enter", "Press Enter afterwards.", "boolean", True),
            Parameter("force", "Also while the agent asks a person something.", "boolean", False),
        ),
        errors=(404, 409),
    ),
    Endpoint(
        "GET", "/v1/attention", "The most urgent state of all, and how many are in each.",
        show_attention, "Attention",
    ),
    Endpoint(
        "GET", "/v1/conversations", "Conversations in the archive, the newest first.",
        list_conversations, "Conversations",
        (_WORKSPACE, _INSTANCE, _AGENT, _SINCE, _UNTIL, _LIMIT,
         Parameter("offset", "Skip so many first.", "integer", 0, most=10**9)),
        errors=(404, 503),
    ),
    Endpoint(
        "GET", "/v1/conversations/{conversation}",
        "One conversation with its turns, by id or its beginning; `last` is the newest.",
        show_conversation, "Conversation",
        (Parameter("provenance", "Where each turn came from.", "boolean", False),),
        errors=(404, 503),
    ),
    Endpoint(
        "GET", "/v1/search", "Turns that hold the words, the best first.", search, "Search",
        (Parameter("q", 'Words, or "a phrase".', required=True), _WORKSPACE, _INSTANCE, _AGENT,
         Parameter("role", "Only user, assistant, tool or system turns."),
         Parameter("exact", "The words as they stand.", "boolean", False), _SINCE, _UNTIL, _LIMIT),
        errors=(404, 503),
    ),
)  # fmt: skip
"""Every endpoint that answers with one JSON document; `events` is in app.py."""
