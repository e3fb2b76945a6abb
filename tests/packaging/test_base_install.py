"""The base install, without any extra, does the core's work and imports no extension.

The venv has links to the packages of the base dependencies, as they are installed here, and nothing
else. So no package index is asked.
"""

import importlib.metadata as metadata
import os
import re
import subprocess
import venv
from pathlib import Path

import pytest
from tools.trace_modules import session_file

REPO = Path(__file__).resolve().parents[2]
OURS = "dejavu-capture"

WATCHER = """
import os, sys
class _Watcher:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("dejavu.extensions"):
            with open(os.environ["DEJAVU_TEST_IMPORTS"], "a") as file:
                file.write(name + "\\n")
        return None
sys.meta_path.insert(0, _Watcher())
"""


def base_distributions() -> list[metadata.Distribution]:
    """What the base install brings, our own distribution first."""
    found: dict[str, metadata.Distribution] = {}
    waiting = [OURS]
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # for another Python or another system
        for requirement in found[name].requires or ():
            if "extra ==" not in requirement:
                waiting += re.findall(r"^[\w.-]+", requirement)
    return list(found.values())


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a venv with the base install."""
    folder = tmp_path_factory.mktemp("base") / "venv"
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    for distribution in base_distributions():
        for top in {file.parts[0] for file in distribution.files or ()}:
            source = Path(str(distribution.locate_file(top)))
            if top not in ("..", "__pycache__") and not (site / top).exists() and source.exists():
                (site / top).symlink_to(source)
    (site / "base_watcher.py").write_text(WATCHER, encoding="utf-8")
    (site / "a_base.pth").write_text(f"{REPO / 'src'}\nimport base_watcher\n", encoding="utf-8")
    return folder / "bin" / "python"


def test_the_venv_has_no_extra(python: Path) -> None:
    code = "import tantivy, lmdb, typer, dejavu; print(dejavu.__file__)"
    done = subprocess.run([python, "-Pc", code], capture_output=True, text=True, check=True,
                          env={"PATH": os.environ["PATH"]})  # fmt: skip
    assert "dejavu" in done.stdout
    for module in ("textual", "starlette", "h11", "psycopg", "pytest", "acp", "opentelemetry"):
        done = subprocess.run([python, "-Pc", f"import {module}"], capture_output=True,
                              env={"PATH": os.environ["PATH"]})  # fmt: skip
        assert done.returncode == 1, module


def test_the_core_runs_and_imports_no_extension(python: Path, tmp_path: Path) -> None:
    home, imports = tmp_path / "home", tmp_path / "imports"
    home.mkdir(mode=0o700)
    session_file(home)
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "TERM": "xterm-256color",
           "DEJAVU_TEST_IMPORTS": str(imports)}  # fmt: skip

    def dejavu(*words: str, program: str = "cli") -> str:
        done = subprocess.run(
            [python, "-P", "-m", f"dejavu.interfaces.{program}", *words],
            env=env, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout

    dejavu("sync")
    assert "retry budget" in dejavu("list")
    assert "RetryBudget.tick" in dejavu("show", "last")
    assert "budget" in dejavu("search", "budget")
    dejavu("--headless", "--", "true", program="run")
    dejavu("run", "--headless", "--", "true")
    assert "no session" in dejavu("status").lower() or "true" in dejavu("status")
    assert not imports.exists(), imports.read_text("utf-8")
    dejavu("-h")  # the watcher sees what is imported: help names the extensions' commands
    assert imports.exists()
