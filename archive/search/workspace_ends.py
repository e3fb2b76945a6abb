"""The names in a query, held against those in the archive: `in:api` is `/srv/work/api`.

Costs O(conversations), only where a query names a workspace by its end, or found nothing.

Tested in: tests/archive/search/test_engine.py
"""

from difflib import get_close_matches

from dejavu.model import Conversation, Role

from ..backends.backend import Backend
from ..backends.transaction import Reader
from ..conversations import summary_of
from ..marks import tag_counts
from ..records import SummaryRecord, unpack
from .query import Query

_NAMED = 3  # workspaces that a sentence names


def full_workspace(backend: Backend, query: Query) -> list[str]:
    """Put a workspace's whole path in the place of its end; a sentence where none or several fit."""
    wanted = query.wanted.workspace
    if wanted is None or wanted.startswith("/"):
        return []
    names = backend.read(_workspaces)
    if wanted in names:
        return []
    ends = sorted(name for name in names if name.endswith("/" + wanted.strip("/")))
    if len(ends) == 1:
        query.wanted = query.wanted.replace(workspace=ends[0])
        return []
    if not ends:
        return [f"in:{wanted} is no workspace with conversations"]
    longer = ["in:" + "/".join(end.split("/")[-2 - wanted.strip("/").count("/") :]) for end in ends]
    more = f" and {len(ends) - _NAMED} more" if len(ends) > _NAMED else ""
    return [f"in:{wanted} fits several workspaces; say {' or '.join(longer[:_NAMED])}{more}"]


def missing_marks(backend: Backend, query: Query) -> list[str]:
    """Sentences on marks of a query that no conversation has; for where none has all of them."""
    summaries = backend.read(_summaries)
    tags = tag_counts(summaries)
    notes = [
        f"no conversation has tag:{tag}{_near(tag, set(tags))}"
        for tag in sorted(query.wanted.tags - tags.keys())
    ]
    if query.wanted.starred and not any(one.starred for one in summaries):
        notes.append("no conversation is starred; `dejavu star ID` stars one")
    return notes or ["no conversation has these marks together"]


def impossible_filters(backend: Backend, query: Query) -> list[str]:
    """Sentences on filters of a query that nothing can pass; for where it found nothing.

    Roles and agents that no conversation has, and a time that ends before it begins.
    """
    notes: list[str] = []
    role, agent = query.wanted.role, query.wanted.agent
    if role is not None and role not in set(Role):
        notes.append(f"role:{role} is no role{_near(role, set(Role))}")
    if agent is not None and agent not in (known := backend.read(_agents)):
        notes.append(f"agent:{agent} has no conversations{_near(agent, known)}")
    if query.wanted.is_backwards:
        notes.append("nothing can match: since: (after:) is later than until: (before:)")
    return notes


def _near(word: str, choices: set[str]) -> str:
    near = get_close_matches(word, choices, n=1)
    if near or not choices:
        return f"; did you mean {near[0]}?" if near else ""
    return f"; there are {', '.join(sorted(choices))}"


def _summaries(txn: Reader) -> list[Conversation]:
    values = (value for _, value in txn.items("summaries"))
    return [summary_of(unpack(value, SummaryRecord)) for value in values]


def _agents(txn: Reader) -> set[str]:
    values = (value for _, value in txn.items("summaries"))
    return {summary_of(unpack(value, SummaryRecord)).agent.lower() for value in values}


def _workspaces(txn: Reader) -> set[str]:
    values = (value for _, value in txn.items("summaries"))
    return {summary_of(unpack(value, SummaryRecord)).workspace for value in values}
