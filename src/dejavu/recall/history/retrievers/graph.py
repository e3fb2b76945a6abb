"""Graph: turns that touched files one step from the named files in the code graph.

Silent where no workspace is known. Costs what the graph's reader costs (`code_graph`), and the
postings of what it found.
"""

from ..entities import places
from ..query import Question
from .base import Place, View
from .files import touching


class Graph:
    """One step along the imports."""

    name = "graph"
    weight = 0.05

    def scores(self, question: Question, view: View) -> dict[Place, float]:
        """A score for the turns that touched a file beside a named one."""
        if not question.workspace or not question.files:
            return {}
        beside = view.graph.beside(question.workspace, question.files)
        wanted = {place for path in beside for place in places(path)[:2]}
        return touching(wanted, view) if wanted else {}
