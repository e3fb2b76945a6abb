"""The one-file program: unpacked once, started by either name, and plain about the wrong Python."""

import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

REPO = Path(__file__).parents[2]
MODULE: dict[str, Any] = runpy.run_path(str(REPO / "packaging" / "onefile.py"))


def start(program: Path, home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environ = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    return subprocess.run(
        [sys.executable, program, *words], env=environ, text=True, capture_output=True, check=False
    )


def test_it_is_unpacked_once_and_starts_by_either_name(
    wheel: Path, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_DEPS", "1")  # `--version` needs none of them
    program = tmp_path / "dejavu.pyz"
    MODULE["build"](wheel, program, "")
    assert os.access(program, os.X_OK)
    for _ in range(2):
        done = start(program, home, "--version")
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("dejavu ")
    [root] = (home / ".local/share/dejavu-onefile").iterdir()
    assert f"#!{root}/bin/python3" in (root / "bin/dejavu-capture").read_text()
    (tmp_path / "dejavu-run").symlink_to(program)
    assert "dejavu-run" in start(tmp_path / "dejavu-run", home, "--help").stdout


def test_another_python_is_told_which_one_it_wants(tmp_path: Path, home: Path) -> None:
    main = tmp_path / "main.py"
    main.write_text(MODULE["_MAIN"].format(wanted=(3, 99), digest="0"))
    done = start(main, home)
    assert done.returncode == 1
    assert "made for python3.99" in done.stderr


def test_a_home_that_takes_no_files_is_said_in_a_line(tmp_path: Path) -> None:
    main, home = tmp_path / "main.py", tmp_path / "home"
    main.write_text(MODULE["_MAIN"].format(wanted=sys.version_info[:2], digest="0"))
    home.write_text("no folder")
    done = start(main, home, "--version")
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert line.startswith(f"dejavu: cannot unpack into {home}/.local/share: ")
