"""Graph: turns that touched files which the named files import.

The edges are read from the named files themselves, with Python's own parser: no graph is kept that
could grow stale. At most four files of at most 256 KiB each, only below the workspace asked about;
silent for other languages and where no workspace is known. Costs O(size of the named files).
"""

import ast
from pathlib import Path

from ..entities import places
from ..question import Question
from .files import touching
from .tier import Place, View

_FILES = 4
_LARGEST = 256 << 10


class Graph:
    """One step along the imports."""

    name = "graph"
    weight = 0.05

    def scores(self, question: Question, view: View) -> dict[Place, float]:
        """A score for the turns that touched an imported file."""
        if not question.workspace:
            return {}
        root = Path(question.workspace)
        named = [path for path in question.files if path.endswith(".py")][:_FILES]
        wanted = {
            place
            for path in named
            for module in imported(root, path)
            for place in places(module)[:2]
        }
        return touching(wanted, view) if wanted else {}


def imported(root: Path, path: str) -> list[str]:
    """The files that `path` below `root` imports, as paths; empty where it cannot be read."""
    file = (root / path).resolve()
    try:
        if not file.is_relative_to(root.resolve()) or file.stat().st_size > _LARGEST:
            return []
        tree = ast.parse(file.read_text("utf-8"))
    except (OSError, ValueError, SyntaxError, RecursionError):
        return []
    modules: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules.append(node.module)
    return [module.replace(".", "/") + ".py" for module in dict.fromkeys(modules)]
