"""The house itself: the folders, the wheel and the public names."""

import ast
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tests.module_graph import FOLDERS, circles, imports_of, modules, tree_of

from dejavu.interfaces.run import parser

REPO = Path(__file__).resolve().parent.parent
LINKED = ["archive", "capsule", "scrapers", "screen"]
"""The owner's folders: real at the top, linked into the package."""
PACKAGES = [
    *LINKED,
    *("config", "export", "extensions", "ingest", "integrations", "interfaces", "model"),
    *("providers", "recall", "redact", "services", "sessions", "testing"),
]


def _modules() -> list[str]:
    """Every module, by its path below the package."""
    root = REPO / "src" / "dejavu"
    return [
        str(path.relative_to(root))
        for package in PACKAGES
        for path in sorted((root / package).rglob("*.py"))
    ]


def test_no_other_package() -> None:
    found = {path.name for path in (REPO / "src" / "dejavu").iterdir() if path.is_dir()}
    assert found - {"__pycache__"} == set(PACKAGES)


def test_links_lead_to_the_folders() -> None:
    for package in LINKED:
        assert (REPO / "src" / "dejavu" / package).resolve() == REPO / package


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    out = tmp_path_factory.mktemp("wheel")
    # From a copy: setuptools leaves `build/` behind, and packs what an earlier build left there.
    source = out / "source"
    ignored = shutil.ignore_patterns(".venv", ".git", "build", "dist", "*.egg-info", ".*_cache")
    shutil.copytree(REPO, source, symlinks=True, ignore=ignored)
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", str(out), str(source)],
        check=True,
        capture_output=True,
        timeout=300,
    )
    (built,) = out.glob("*.whl")
    return zipfile.ZipFile(built).namelist()


def test_wheel_holds_every_package_and_only_ours(wheel: list[str]) -> None:
    tops = {name.split("/")[0] for name in wheel}
    assert {top for top in tops if not top.endswith((".dist-info", ".data"))} == {"dejavu"}
    packages = {
        name.split("/")[1] for name in wheel if name.startswith("dejavu/") and name.count("/") > 1
    }
    assert packages == set(PACKAGES)
    for module in _modules():
        assert f"dejavu/{module}" in wheel


def test_wheel_holds_tables_and_type_marker(wheel: list[str]) -> None:
    assert "dejavu/py.typed" in wheel
    assert "dejavu/providers/claude/files.py" in wheel
    assets = {path.name for path in (REPO / "src/dejavu/extensions/web/assets").iterdir()}
    assert {name.rsplit("/", 1)[1] for name in wheel if "/web/assets/" in name} == assets
    packs = {path.name for path in (REPO / "scrapers" / "agents").glob("*.toml")}
    assert {name.rsplit("/", 1)[1] for name in wheel if "scrapers/agents/" in name} == packs


def test_wheel_holds_man_pages_and_completions(wheel: list[str]) -> None:
    shared = {name.partition(".data/data/share/")[2] for name in wheel} - {""}
    assert shared == {
        "man/man1/dejavu.1", "man/man1/dejavu-run.1",
        "bash-completion/completions/dejavu", "bash-completion/completions/dejavu-run",
        "zsh/site-functions/_dejavu", "zsh/site-functions/_dejavu-run",
        "fish/vendor_completions.d/dejavu.fish", "fish/vendor_completions.d/dejavu-run.fish",
    }  # fmt: skip


def test_completions_of_the_wrapper_name_its_options() -> None:
    folder = REPO / "packaging" / "completions"
    options = {word for one in parser()._actions for word in one.option_strings if word[:2] == "--"}
    for path in ("bash/dejavu-run", "zsh/_dejavu-run", "fish/dejavu-run.fish"):
        text = (folder / path).read_text("utf-8").replace("-l ", "--")
        for option in options:
            assert re.search(rf"{option}\b", text), f"{path} has no {option}"


def test_public_names_are_real() -> None:
    for package in PACKAGES:
        module = __import__(f"dejavu.{package}", fromlist=["__all__"])
        names = getattr(module, "__all__", [])
        for name in names:
            assert hasattr(module, name), f"{package}.{name}"
        assert module.__doc__


TESTED = "Tested in: "


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
        head = ast.get_docstring(tree_of(path)) or ""
        named = head.partition(TESTED)[2].partition("\n")[0].strip()
        if not (named.startswith("tests/") and (REPO / named).is_file()):
            silent.append(f"{path}: {named or 'nothing'}")
    assert not silent, f'write "{TESTED}tests/..." as the last line of the head'


MOST_LINES = 400
"""Of a module."""
LONG_MODULES = {
    "benchmarks/redact/layouts.py": "a table of layouts, and nothing that decides",
}
MOST_CODE = 40
"""Lines of a function behind its signature and docstring: a list of options is a declaration."""
DECLARED = {
    ("screen/grid.py", "_interpret"),  # the hot path of the terminal: a call a byte would cost
    ("src/dejavu/interfaces/run.py", "parser"),  # options, and nothing else
}
LONG_FUNCTIONS = {"program": 9, "others": 52}
"""The most that there may be: lower a number with each function that is broken, and never raise one."""
OTHERS = ("tests", "benchmarks", "tools", "packaging", "examples")


def _python_files(folders: tuple[str, ...]) -> list[Path]:
    return [path for folder in folders for path in sorted((REPO / folder).rglob("*.py"))]


def code_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines of a function behind its signature and its docstring."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (function.end_lineno or 0) - body[0].lineno + 1 if body else 0


def test_no_module_has_more_lines_than_a_reader_holds() -> None:
    long = {
        str(path.relative_to(REPO))
        for path in _python_files((*FOLDERS, *OTHERS))
        if len(path.read_text("utf-8").splitlines()) > MOST_LINES
    }
    assert long <= LONG_MODULES.keys(), "split it by subject"


@pytest.mark.parametrize(("kind", "folders"), [("program", FOLDERS), ("others", OTHERS)])
def test_long_functions_do_not_become_more(kind: str, folders: tuple[str, ...]) -> None:
    long = [
        f"{path.relative_to(REPO)}: {node.name}"
        for path in _python_files(folders)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and code_lines(node) > MOST_CODE
        and (str(path.relative_to(REPO)), node.name) not in DECLARED
    ]
    assert len(long) <= LONG_FUNCTIONS[kind], "break it by subject:\n" + "\n".join(long)


def test_lines_of_code_are_counted_without_what_declares() -> None:
    made = ast.parse(
        'def command(\n  a,\n  b,\n):\n  """One.\n\n  Two.\n  """\n  a()\n  b()\n'
    ).body[0]
    assert isinstance(made, ast.FunctionDef)
    assert code_lines(made) == 2
