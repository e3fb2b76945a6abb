"""The code graph: which files are related to a file, because one imports the other.

One protocol, two readers: the named files themselves, read with Python's own parser when they are
asked about, so that nothing is kept that could grow stale; or a Neo4j that the operator keeps,
asked through its HTTP Query API. A reader that cannot answer returns nothing.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from dejavu.model import ConfigError

_FILES = 4  # files asked about
_LARGEST = 256 << 10  # bytes of a file, or of an answer
_PATIENCE = 2.0  # seconds for the database
_MOST = 50  # neighbours
QUERY = (
    "MATCH (a)-[:IMPORTS|DEPENDS_ON|CALLS]-(b) "
    "WHERE any(path IN $paths WHERE a.path = path OR a.path ENDS WITH '/' + path) "
    "AND b.path IS NOT NULL RETURN DISTINCT b.path LIMIT 50"
)
"""What Neo4j is asked: nodes with a `path`, one relationship apart."""


class CodeGraph(Protocol):
    """A way to know which files belong together."""

    def neighbours(self, workspace: str, paths: Sequence[str]) -> list[str]:
        """The paths one step from `paths`; empty where nothing is known."""
        ...


class Imports:
    """What Python files import: at most four files of at most 256 KiB, below the workspace.

    Silent for other languages. Costs O(size of the files).
    """

    def neighbours(self, workspace: str, paths: Sequence[str]) -> list[str]:
        """The files that the files import."""
        named = [path for path in paths if path.endswith(".py")][:_FILES]
        return [neighbour for path in named for neighbour in imported(Path(workspace), path)]


class Neo4j:
    """A graph in Neo4j 5 or later, whose nodes have a `path`. Costs one request."""

    def __init__(self, url: str) -> None:
        """The database at `http://user:password@host:7474/database`.

        Raises:
            ConfigError: it is no such URL.
        """
        from urllib.parse import unquote, urlsplit  # every hook loads this module

        parts = urlsplit(url)
        name = parts.path.strip("/") or "neo4j"
        if parts.scheme not in ("http", "https") or not parts.hostname or "/" in name:
            raise ConfigError(
                "[recall] neo4j: not the address of a Neo4j; "
                "name it as http://user:password@host:7474/database"
            )
        host = f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname
        self._url = f"{parts.scheme}://{host}/db/{name}/query/v2"
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if parts.username:
            import base64

            word = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            self._headers["Authorization"] = "Basic " + base64.b64encode(word.encode()).decode()

    def neighbours(self, workspace: str, paths: Sequence[str]) -> list[str]:  # noqa: ARG002 - the protocol's
        """The paths that a relationship joins to the paths; empty if the database does not say."""
        if not paths:
            return []
        import urllib.request  # as long to load as a hook may take, and no hook needs it

        statement = {"statement": QUERY, "parameters": {"paths": list(paths[:_FILES])}}
        request = urllib.request.Request(  # noqa: S310 - http or https, by __init__
            self._url, json.dumps(statement).encode(), self._headers, method="POST"
        )
        # No proxy of the environment's: the operator named the database itself.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=_PATIENCE) as answer:
                response: Any = json.loads(answer.read(_LARGEST))
            rows = response["data"]["values"]
            return [row[0] for row in rows if isinstance(row[0], str)][:_MOST]
        except (OSError, ValueError, KeyError, TypeError, IndexError):
            return []


def imported(root: Path, path: str) -> list[str]:
    """The files that `path` below `root` imports, as paths; empty where it cannot be read."""
    import ast  # the graph is off unless it is named

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
