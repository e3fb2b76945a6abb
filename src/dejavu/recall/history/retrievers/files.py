"""Files: exchanges that name the prompt's files or their folder; Graph: files one step from them.

`Graph` goes along the imports of the code (`code_graph`), and is silent where no workspace is known.
Costs O(postings of the places named), and for `Graph` what its reader costs.
"""

from collections.abc import Iterator

import tantivy

from ...terms import path_suffixes
from ..documents import token, touched_facet
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
    queries = (query for place in sorted(wanted) for query in _of_place(place, context))
    named = [(query, count, 1.0) for query in queries if (count := context.count(query))]
    return context.find(context.rated(named), _PASSAGES) if named else {}


def _of_place(place: str, context: SearchContext) -> Iterator[tantivy.Query]:
    """What finds a file or folder: tools that touched or showed it; a file's name also as it was said."""
    is_file = not place.endswith("/")
    if is_file:
        yield context.term("facet", token(touched_facet(place)))
    fields = () if is_file and "/" not in place else ("tools",)
    if (shown := context.naming(place, *fields)) is not None:
        yield shown


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
