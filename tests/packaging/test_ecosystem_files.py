"""Files for other programs: each is read by a parser of its kind, and every command in it exists."""

import json
import plistlib
import re
import shlex
import shutil
import subprocess
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest

from dejavu.extensions.code.cli.commit_note import TRAILER
from dejavu.interfaces.command_line.parameters import parameters_of
from dejavu.interfaces.command_line.simple_line import command

yaml: Any = pytest.importorskip("yaml")
REPO = Path(__file__).parents[2]
PACKAGING = REPO / "packaging"
FILES = (
    REPO / ".pre-commit-hooks.yaml", REPO / "action.yml",
    PACKAGING / "tmux" / "dejavu.tmux", *sorted((PACKAGING / "shell").iterdir()),
    *sorted((PACKAGING / "daemon").iterdir()),
)  # fmt: skip
_CALL = re.compile(r"""dejavu"? ((?:redact|status|daemon|shell-init)\b[^|)<\n]*)""")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_command_in_it_exists(path: Path) -> None:
    calls = _CALL.findall(path.read_text("utf-8").replace("'dejavu status'", ""))
    assert calls
    for call in calls:
        name, *words = shlex.split(call.strip("'\";$ "))
        known = {flag for parameter in parameters_of(command(name)) for flag in parameter.on}
        assert {word for word in words if word.startswith("-")} <= known, call


def test_the_hook_and_the_action_have_what_their_programs_want() -> None:
    [hook] = yaml.safe_load((REPO / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert {"id", "name", "entry", "language"} <= set(hook)
    action = yaml.safe_load((REPO / "action.yml").read_text("utf-8"))
    assert action["runs"]["using"] == "composite"
    assert all({"run", "shell"} <= set(step) for step in action["runs"]["steps"])
    assert f"key={TRAILER}," in action["runs"]["steps"][1]["run"]
    for step in action["runs"]["steps"]:  # nothing from outside stands in a script
        assert "${{" not in step["run"]
        subprocess.run(["sh", "-n"], input=step["run"], text=True, check=True)


def test_the_registry_file_has_what_its_schema_wants() -> None:
    server = json.loads((PACKAGING / "server.json").read_text("utf-8"))
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", server["name"])
    assert 1 <= len(server["description"]) <= 100
    assert f'version = "{server["version"]}"' in (REPO / "pyproject.toml").read_text("utf-8")
    assert "packages" not in server, "name the package only once it is published"


def test_the_units_are_off_by_default_and_start_the_daemon() -> None:
    unit = ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]  # as its documentation says
    unit.read(PACKAGING / "daemon" / "dejavu.service", "utf-8")
    assert unit["Service"]["ExecStart"].endswith("dejavu daemon --idle 31536000")
    plist = plistlib.loads((PACKAGING / "daemon" / "io.github.dejavu-capture.plist").read_bytes())
    assert plist["Disabled"] is True
    assert plist["ProgramArguments"][0] == "/bin/sh"


@pytest.mark.parametrize("shell", ["sh", "bash", "zsh", "fish"])
def test_shells_read_the_files(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    names = {"fish": "shell/dejavu.fish", "sh": "tmux/dejavu.tmux"}
    path = PACKAGING / names.get(shell, f"shell/dejavu.plugin.{shell}")
    subprocess.run([shell, "-n", path], check=True)


def test_tmux_gets_the_status_and_the_key_once(tmp_path: Path) -> None:
    if shutil.which("tmux") is None:
        pytest.skip("needs tmux")
    (tmp_path / "dejavu").write_text("#!/bin/sh\n")
    (tmp_path / "dejavu").chmod(0o755)
    environ = {
        "HOME": str(tmp_path),
        "PATH": f"{tmp_path}:/usr/bin:/bin",
        "TERM": "xterm",
        "TMUX_TMPDIR": str(tmp_path),
    }

    def tmux(*words: str) -> str:
        done = subprocess.run(
            ["tmux", "-f", "/dev/null", *words],
            env=environ,
            text=True,
            capture_output=True,
            check=True,
        )
        return done.stdout

    tmux("new-session", "-d", "-x", "80", "-y", "24")
    try:
        for _ in range(2):
            tmux("run-shell", str(PACKAGING / "tmux" / "dejavu.tmux"))
        assert tmux("show-option", "-gv", "status-right").count("dejavu status --summary") == 1
        assert "display-popup" in tmux("list-keys", "-T", "prefix", "D")
    finally:
        tmux("kill-server")
