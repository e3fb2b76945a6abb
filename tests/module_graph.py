"""The program's modules and what each imports, read from the syntax tree."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
FOLDERS = ("archive", "capsule", "scrapers", "screen", "src/dejavu")


@cache
def modules() -> dict[str, Path]:
    """Return every module by its dotted name, with its path below the repository."""
    return {
        _dotted(path.relative_to(REPO)): path.relative_to(REPO)
        for folder in FOLDERS
        for path in sorted((REPO / folder).rglob("*.py"))
    }


def _dotted(path: Path) -> str:
    parts = path.with_suffix("").parts
    parts = parts[1:] if parts[0] == "src" else ("dejavu", *parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a module, by its path below the repository."""
    return ast.parse((REPO / path).read_text(encoding="utf-8"))


def _run_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that can run: all but those for type checkers alone."""
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _run_nodes(child)


def imports_of(name: str, path: Path) -> Iterator[str]:
    """Yield the modules of ours that `name` imports, inside functions too; packages are none."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in _run_nodes(tree_of(path)):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: 1 - node.level or None] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            found = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        else:
            continue
        yield from (one for one in found if _is_module(one))


def _is_module(name: str) -> bool:
    path = modules().get(name)
    return path is not None and path.name != "__init__.py"


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the groups of modules that reach each other (Tarjan's algorithm)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    waiting: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        order[name] = lowest[name] = len(order)
        waiting.append(name)
        for other in sorted(graph.get(name, ())):
            if other not in order:
                visit(other)
            if other in waiting:
                lowest[name] = min(lowest[name], lowest[other])
        if lowest[name] == order[name]:
            at = waiting.index(name)
            group = sorted(waiting[at:])
            del waiting[at:]
            if len(group) > 1:
                found.append(group)

    for name in graph:
        if name not in order:
            visit(name)
    return found
