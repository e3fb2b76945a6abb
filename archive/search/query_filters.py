"""What is asked beside a query's words: put into the query, or asked of one turn.

Pure functions. Cost: O(filters) for `narrowed`, O(characters of the turn) for `fits`.
"""

from dejavu.model import Conversation, Turn

from . import tokenize
from .filters import SearchFilter
from .query import Query, tokens


def narrowed(query: Query, wanted: SearchFilter) -> Query | None:
    """The query with what the caller asks beside it; None where the two exclude each other."""
    for kind in ("workspace", "instance", "agent", "role", "tool"):
        name: str | None = getattr(wanted, kind)
        if name is None:
            continue
        name = str(name).lower() if kind == "tool" else str(name)
        if query.facets.setdefault(kind, name) != name:
            return None
    if wanted.path and (made := tokens(wanted.path)):
        query.paths.append(made)
    sinces = [at for at in (query.since, wanted.since) if at is not None]
    untils = [at for at in (query.until, wanted.until) if at is not None]
    query.since, query.until = max(sinces, default=None), min(untils, default=None)
    return query


def fits(turn: Turn, conversation: Conversation, wanted: SearchFilter) -> bool:
    """Whether a turn is of the role, tool, path and time asked for."""
    moments = (turn.at, conversation.ended_at, conversation.started_at)
    at = next((moment for moment in moments if moment is not None), None)
    _, tools, paths = tokenize.searchable_text(turn)
    return (
        (wanted.role is None or turn.role == wanted.role)
        and (wanted.tool is None or wanted.tool.lower() in map(str.lower, tools))
        and (wanted.path is None or any(wanted.path in path for path in paths))
        and (wanted.since is None or (at is not None and at >= wanted.since))
        and (wanted.until is None or (at is not None and at <= wanted.until))
    )
