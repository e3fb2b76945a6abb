"""A venv with nothing but `pip install '.[testing]'`: needs a package index, so `make soak` runs it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[3]
TEST = """\
import sys

PROGRAM = "name = input('Name: '); print(f'Hello, {name}!')"


def test_it_greets(terminal):
    app = terminal([sys.executable, "-c", PROGRAM], size=(40, 6))
    app.wait_for("Name:")
    app.type("Ada").press("Enter")
    app.wait_for("Hello, Ada!")
"""


@pytest.mark.soak
def test_ten_lines_in_a_clean_venv(tmp_path: Path) -> None:
    source, python = tmp_path / "source", tmp_path / "venv" / "bin" / "python"
    ignored = shutil.ignore_patterns(".venv", ".git", "build", "dist", "*.egg-info", ".*_cache")
    shutil.copytree(REPO, source, symlinks=True, ignore=ignored)
    subprocess.run([sys.executable, "-m", "venv", str(python.parents[1])], check=True, timeout=300)
    install = [str(python), "-m", "pip", "install", "-q", f"{source}[testing]"]
    subprocess.run(install, check=True, timeout=600)
    (tmp_path / "tests").mkdir()
    test = tmp_path / "tests" / "test_ten.py"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    for text, passes in ((TEST, True), (TEST.replace("Ada!", "Eve!"), False)):
        test.write_text(text)
        done = subprocess.run(
            [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider"], cwd=test.parent,
            env=environment, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert (done.returncode == 0) is passes, done.stdout
    assert "nearest row: 'Hello, Ada!'" in done.stdout
