"""The endpoints: the archive's conversations, next to those of sessions.

Answers have the shapes of the commands' JSON, and cost what the command of the same name costs. The
archive is opened for one request at a time (one process may not open it twice). Of the archive only
a conversation's star, tags and title are written, and the log of memory.
"""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from dejavu.archive import Archive, SearchResult
from dejavu.archive.access import NoArchiveError, full_workspace, open_archive, resolve
from dejavu.ingest.catch_up import catch_up
from dejavu.interfaces.filters import read_filter
from dejavu.model import ConversationFilter, conversation_to_dict, to_iso
from dejavu.services import marks

from .endpoint import ARCHIVE, Endpoint, Parameter
from .memory_endpoints import MEMORY_ENDPOINTS
from .resume_endpoints import RESUME_ENDPOINTS
from .session_endpoints import SESSION_ENDPOINTS

_MOST = 500


def _filter(archive: Archive, texts: Mapping[str, str | None]) -> ConversationFilter:
    wanted = read_filter(texts)
    return wanted.replace(workspace=full_workspace(archive, wanted.workspace))


def list_conversations(limit: int, offset: int, **texts: str | None) -> list[dict[str, Any]]:
    """Conversations without their turns, the newest first; `texts` are the fields of the filter."""
    with ARCHIVE:
        try:
            with open_archive() as archive:
                summaries = archive.select(_filter(archive, texts), limit=offset + limit)
                return [
                    conversation_to_dict(summary) for summary in islice(summaries, offset, None)
                ]
        except NoArchiveError:
            return []


def show_conversation(conversation: str, provenance: bool) -> dict[str, Any]:
    """One conversation with its turns."""
    with ARCHIVE, open_archive() as archive:
        stored = archive.get(resolve(archive, conversation))
    return conversation_to_dict(stored, turns=True, provenance=provenance)


def mark_conversation(
    conversation: str,
    starred: bool | None,
    add: list[str] | None,
    remove: list[str] | None,
    title: str | None,
) -> dict[str, Any]:
    """Star, tag or rename a conversation, as `dejavu star`, `tag` and `rename` do."""
    with ARCHIVE, open_archive(write=True) as archive:
        name = archive.summary(resolve(archive, conversation)).id
        if add or remove:  # may be refused: before anything else is changed
            marks.tag(archive, name, add or [], remove or [])
        if starred is not None:
            marks.star(archive, name, starred=starred)
        if title is not None:
            marks.rename(archive, name, title)
        return conversation_to_dict(archive.summary(name))


def search(q: str, exact: bool, limit: int, **texts: str | None) -> dict[str, Any]:
    """Turns that hold the words, the best first; `texts` are the fields of the filter."""
    with ARCHIVE:
        try:
            with open_archive() as archive:
                catch_up(archive, patience=0.3)
                hits = archive.find(q, _filter(archive, texts), limit=limit, exact=exact)
        except NoArchiveError:
            hits = SearchResult()
    plain_hits = [{**hit._asdict(), "role": str(hit.role), "at": to_iso(hit.at)} for hit in hits]
    return {"query": q, "hits": plain_hits, "behind": hits.behind, "notes": hits.notes}


_WORKSPACE = Parameter("workspace", "A folder, or its end.")
_PROJECT = Parameter("project", "A project with all its clones, such as acme/shop.")
_INSTANCE = Parameter("instance", "A machine or container.")
_AGENT = Parameter("agent", "Only this agent.")
_SINCE = Parameter("since", "Not before: 2d, yesterday or an ISO date.")
_UNTIL = Parameter("until", "Not after this moment.")
_STARRED = Parameter("starred", "true: only starred conversations; false: only others.")
_TAG = Parameter("tag", "Only conversations with this tag, or all of several with commas between.")
_LIMIT = Parameter("limit", "At most so many.", "integer", 50, least=1, most=_MOST)

ENDPOINTS = (
    *SESSION_ENDPOINTS,
    *RESUME_ENDPOINTS,
    Endpoint(
        "GET", "/v1/conversations", "Conversations in the archive, the newest first.",
        list_conversations, "Conversations",
        (_PROJECT, _WORKSPACE, _INSTANCE, _AGENT, _SINCE, _UNTIL, _STARRED, _TAG, _LIMIT,
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
        "POST", "/v1/conversations/{conversation}/marks",
        "Star, tag or rename a conversation; what is left out stays as it is.",
        mark_conversation, "ConversationSummary",
        body=(Parameter("starred", "Star it, or take the star away.", "boolean"),
              Parameter("add", "Tags to add.", "array"),
              Parameter("remove", "Tags to remove.", "array"),
              Parameter("title", "Its title; an empty one gives back the agent's.")),
        errors=(404, 503),
    ),
    Endpoint(
        "GET", "/v1/search", "Turns that hold the words, the best first.", search, "Search",
        (Parameter("q", 'Words, or "a phrase".', required=True), _PROJECT, _WORKSPACE, _INSTANCE,
         _AGENT, Parameter("role", "Only user, assistant, tool or system turns."),
         Parameter("exact", "The words exactly as written.", "boolean", False),
         _SINCE, _UNTIL, _STARRED, _TAG, _LIMIT),
        errors=(404, 503),
    ),
    *MEMORY_ENDPOINTS,
)  # fmt: skip
"""Every endpoint that answers with one JSON document; `events` is in app.py."""
