"""What is asked besides a query's words: put into the query, or asked of one turn.

Pure functions. Cost: O(filters) for `narrowed`, O(characters of the turn) for `fits`.
"""

from dejavu.model import Conversation, ConversationFilter, Turn

from . import tokenize
from .query import Query, tokens


def narrowed(query: Query, wanted: ConversationFilter) -> Query | None:
    """The query with what the caller asks besides it; None where the two exclude each other."""
    if wanted.tool is not None:
        wanted = wanted.replace(tool=wanted.tool.lower())
    both = query.wanted.narrowed(wanted)
    if both is None:
        return None
    query.wanted = both
    if wanted.path and (made := tokens(wanted.path)):
        query.paths.append(made)
    return query


def fits(turn: Turn, conversation: Conversation, wanted: ConversationFilter) -> bool:
    """Whether a turn is of the role, tool, path and time asked for."""
    moments = (turn.at, conversation.ended_at, conversation.started_at)
    at = next((moment for moment in moments if moment is not None), None)
    _, tools, paths = tokenize.searchable_text(turn)
    return (
        (wanted.role is None or turn.role == wanted.role)
        and (wanted.tool is None or wanted.tool.lower() in map(str.lower, tools))
        and (wanted.path is None or any(wanted.path in path for path in paths))
        and wanted.between(at)
    )
