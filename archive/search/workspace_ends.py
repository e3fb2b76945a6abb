"""The workspace that a query names by its end: `in:api` is `/srv/work/api`.

Costs O(conversations), only where a query names one so.
"""

from ..backends.backend import Backend
from ..backends.transaction import Reader
from ..conversations import summary_of
from ..records import SummaryRecord, unpack
from .query import Query


def full_workspace(backend: Backend, query: Query) -> list[str]:
    """Put a workspace's whole path in the place of its end; a sentence where none or several fit."""
    wanted = query.facets.get("workspace")
    if wanted is None or wanted.startswith("/"):
        return []
    names = backend.read(_workspaces)
    if wanted in names:
        return []
    ends = sorted(name for name in names if name.endswith("/" + wanted.strip("/")))
    if len(ends) == 1:
        query.facets["workspace"] = ends[0]
        return []
    problem = f"fits {', '.join(ends)}" if ends else "is no workspace with conversations"
    return [f"in:{wanted} {problem}"]


def _workspaces(txn: Reader) -> set[str]:
    values = (value for _, value in txn.items("summaries"))
    return {summary_of(unpack(value, SummaryRecord)).workspace for value in values}
