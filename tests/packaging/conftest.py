"""The wheel of this clone, made once."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of this clone, made as the script makes it: from a copy."""
    folder = tmp_path_factory.mktemp("wheel")
    left = shutil.ignore_patterns(".git", ".venv", "build", "dist", "benchmarks", "golden", "tests")
    shutil.copytree(REPO, folder / "clone", ignore=left, symlinks=True)
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "-w",
        folder,
        folder / "clone",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no wheel can be built here: {done.stderr[-300:]}")
    [made] = folder.glob("*.whl")
    return made
