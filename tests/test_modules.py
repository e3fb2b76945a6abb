"""Modules and their imports: no circle among them, and each says where it is tested."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
FOLDERS = ("archive", "capsule", "scrapers", "screen", "src/dejavu")
_TESTED = "Tested in: "


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


def _tree(path: Path) -> ast.Module:
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
    for node in _run_nodes(_tree(path)):
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


def test_circles_are_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"d", "a"}}
    assert circles(graph) == [["b", "c"]]
    assert "dejavu.archive.store" in {
        *imports_of("dejavu.archive.access", Path("archive/access.py"))
    }


def test_no_module_imports_itself_through_others() -> None:
    graph = {
        name: {*imports_of(name, path)}
        for name, path in modules().items()
        if path.name != "__init__.py"
    }
    assert sum(map(len, graph.values())) > 2_000
    assert circles(graph) == []


def _own_tests(path: Path) -> set[Path]:
    """Return where the tests of a module's own name would be."""
    below = path.relative_to("src/dejavu") if path.parts[0] == "src" else path
    folder = Path("tests") / below.parent
    return {folder / f"test_{name}.py" for name in (path.stem, path.stem.strip("_"))}


def test_a_module_without_tests_of_its_name_says_where_it_is_tested() -> None:
    silent: list[str] = []
    for path in modules().values():
        if path.name in ("__init__.py", "__main__.py"):
            continue
        if any((REPO / one).is_file() for one in _own_tests(path)):
            continue
        head = ast.get_docstring(_tree(path)) or ""
        named = head.partition(_TESTED)[2].partition("\n")[0].strip()
        if not (named.startswith("tests/") and (REPO / named).is_file()):
            silent.append(f"{path}: {named or 'nothing'}")
    assert not silent, f'write "{_TESTED}tests/..." as the last line of the head'
