"""Files: exchanges that name the prompt's files or their folder; Graph: files one step from them.

`Graph` goes along the imports of the code (`code_graph`), and is silent where no workspace is known.
Costs O(postings of the places named), and for `Graph` what its reader costs.
"""

from ..documents import token
from ..entities import path_suffixes
from ..query import Query
from .base import ExchangeRef, SearchContext

_PASSAGES = 100


class Files:
    """Paths that were spoken of, or stand in the arguments of tools."""

    name = "files"
    weight = 0.1

    def scores(self, query: Query, context: SearchContext) -> dict[ExchangeRef, float]:
        """The rarity of the places an exchange shares with the prompt."""
        return touching({suffix for path in query.files for suffix in path_suffixes(path)}, context)


def touching(wanted: set[str], context: SearchContext) -> dict[ExchangeRef, float]:
    """A score for each exchange that names one of the places."""
    places = {token(suffix): 1.0 for suffix in sorted(wanted)}
    if not any(context.searcher.doc_freq("file", place) for place in places):
        return {}
    return context.find(context.any_of(("file", places)), _PASSAGES)


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
