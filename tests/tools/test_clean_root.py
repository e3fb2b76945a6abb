"""`tools/clean_root.sh`: an installation in a fresh Debian, and a reason where there can be none."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "tools" / "clean_root.sh"


def clean_root(folder: Path, path: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PATH": path, "PYTHON": sys.executable}
    return subprocess.run(
        ["/bin/sh", SCRIPT, folder], env=environ, text=True, timeout=1800,
        capture_output=True, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip


@pytest.mark.e2e
def test_a_word_is_found_and_nothing_stays(tmp_path: Path) -> None:
    kept = os.environ.get("DEJAVU_CLEAN_ROOT")  # a FOLDER of the script from before
    done = clean_root(Path(kept) if kept else tmp_path, os.environ["PATH"])
    print(done.stdout)  # noqa: T201 - the evidence
    if done.returncode == 77:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    ways = [line.partition(":")[0] for line in done.stdout.splitlines()]
    assert ways == ["release", "wheel", "one-file"]


def test_it_says_why_it_cannot_run(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("dirname", "id", "mkdir", "true", "unshare"):
        if found := shutil.which(name):
            (programs / name).symlink_to(found)
    done = clean_root(tmp_path / "folder", str(programs))
    assert done.returncode == 77
    assert done.stderr.startswith("skipped: ")
    assert not (tmp_path / "folder" / "root").exists()
