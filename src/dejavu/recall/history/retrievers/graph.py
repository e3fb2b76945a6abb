"""Graph: exchanges that touched files one step from the named files in the code graph.

Silent where no workspace is known. Costs what the graph's reader costs (`code_graph`), and the
postings of what it found.
"""

from ..entities import path_suffixes
from ..query import Query
from .base import ExchangeRef, SearchContext
from .files import touching


class Graph:
    """One step along the imports."""

    name = "graph"
    weight = 0.05

    def scores(self, query: Query, context: SearchContext) -> dict[ExchangeRef, float]:
        """A score for the exchanges that touched a file related to a named one."""
        if not query.workspace or not query.files:
            return {}
        neighbours = context.graph.neighbours(query.workspace, query.files)
        wanted = {suffix for path in neighbours for suffix in path_suffixes(path)[:2]}
        return touching(wanted, context) if wanted else {}
