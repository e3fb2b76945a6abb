"""Files for other programs: each is read by a parser of its kind, and every command in it exists."""

import json
import plistlib
import re
import shlex
import shutil
import subprocess
import tomllib
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest

from dejavu.extensions.code.cli.commit_note import TRAILER
from dejavu.interfaces.command_line.parameters import parameters_of
from dejavu.interfaces.command_line.simple_line import command

yaml: Any = pytest.importorskip("yaml")
jsonschema: Any = pytest.importorskip("jsonschema")
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


@pytest.mark.parametrize(
    "words",
    [
        ("pre-commit", "validate-manifest", str(REPO / ".pre-commit-hooks.yaml")),
        ("check-jsonschema", "--builtin-schema", "vendor.github-actions", str(REPO / "action.yml")),
        ("systemd-analyze", "--user", "verify", "dejavu.service"),
    ],
    ids=lambda words: words[0],
)
def test_their_own_checkers_pass_them(words: tuple[str, ...], tmp_path: Path) -> None:
    if shutil.which(words[0]) is None:
        pytest.skip(f"needs {words[0]}")
    unit = (PACKAGING / "daemon" / "dejavu.service").read_text("utf-8")
    (tmp_path / "dejavu.service").write_text(unit.replace("%h/.local/bin/dejavu", "/bin/true"))
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    if "Failed to" in done.stderr and words[0].startswith("systemd"):
        pytest.skip("systemd does not run here")
    assert done.returncode == 0, done.stdout + done.stderr


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


VERSION = tomllib.loads((REPO / "pyproject.toml").read_text("utf-8"))["project"]["version"]
TEXT = {"type": "string", "minLength": 1}
AGENT = {
    "type": "object",
    "required": ["id", "name", "version", "description", "distribution"],
    "properties": {
        "id": {"type": "string", "pattern": "^[a-z][a-z0-9-]*$"}, "name": TEXT, "description": TEXT,
        "version": {"type": "string", "pattern": r"^[0-9]+\.[0-9]+\.[0-9]+"}, "license": TEXT,
        "repository": {"type": "string", "format": "uri"},
        "distribution": {
            "type": "object", "minProperties": 1, "additionalProperties": False,
            "properties": {
                "uvx": {
                    "type": "object", "required": ["package"], "additionalProperties": False,
                    "properties": {
                        "package": TEXT, "args": {"type": "array", "items": {"type": "string"}},
                        "env": {"type": "object", "additionalProperties": {"type": "string"}},
                    },
                }
            },
        },
    },
}  # fmt: skip
"""What the ACP registry's schema wants of an entry whose program comes by uvx."""


def test_the_acp_registry_entry_is_the_schemas() -> None:
    entry = json.loads((PACKAGING / "agent.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(AGENT).validate(entry)
    project = tomllib.loads((REPO / "pyproject.toml").read_text("utf-8"))["project"]
    uvx = entry["distribution"]["uvx"]
    assert (
        uvx["package"]
        == f"{project['name']}[acp]=={VERSION}"
        == f"dejavu-capture[acp]=={entry['version']}"
    )
    assert project["scripts"][project["name"]] == "dejavu.interfaces.cli:main"  # what uvx starts
    assert parameters_of(command(uvx["args"][0]))


def test_the_readme_names_the_mcp_server_for_its_registry() -> None:
    server = json.loads((PACKAGING / "server.json").read_text("utf-8"))
    assert f"mcp-name: {server['name']} " in (REPO / "README.md").read_text("utf-8")


def test_herdr_gets_a_manifest_and_an_action_that_opens_its_pane(tmp_path: Path) -> None:
    folder = PACKAGING / "herdr"
    plugin = tomllib.loads((folder / "herdr-plugin.toml").read_text("utf-8"))
    assert {"id", "name", "version", "min_herdr_version", "platforms"} <= set(plugin)
    assert plugin["version"] == VERSION
    (pane,), (action,) = plugin["panes"], plugin["actions"]
    assert pane["placement"] in ("overlay", "split", "tab", "zoomed")
    for name in ("dejavu", "herdr"):
        (tmp_path / name).write_text(f'#!/bin/sh\necho {name} "$@"\n')
        (tmp_path / name).chmod(0o755)
    environ = {"PATH": f"{tmp_path}:/usr/bin:/bin", "HERDR_BIN_PATH": str(tmp_path / "herdr")}
    done = subprocess.run(
        action["command"], cwd=folder, env=environ, capture_output=True, text=True, check=True
    )
    assert done.stdout.split()[:4] == ["herdr", "plugin", "pane", "open"]
    words = shlex.split(done.stdout)
    assert words[words.index("--plugin") + 1] == plugin["id"]
    assert words[words.index("--entrypoint") + 1] == pane["id"]
    del environ["HERDR_BIN_PATH"]
    (tmp_path / "dejavu").unlink()
    done = subprocess.run(
        action["command"], cwd=folder, env=environ, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "not on the PATH" in done.stderr) == (1, True)


def test_herdr_2_gets_a_brief_whose_files_are_json() -> None:
    recipe = (PACKAGING / "herdr2" / "RECIPE.md").read_text("utf-8")
    mod, keys = (json.loads(block) for block in re.findall(r"(?s)```json\n(.+?)```", recipe))
    assert {"title", "place"} == set(mod)
    assert {command for bound in keys.values() for command in bound.values()} == {"mod.open:dejavu"}


def test_raycasts_script_has_its_metadata_and_searches(tmp_path: Path) -> None:
    [script] = (PACKAGING / "raycast").iterdir()
    fields = dict(re.findall(r"(?m)^# @raycast\.(\w+) (.+)$", script.read_text("utf-8")))
    assert {"schemaVersion", "title", "mode"} <= set(fields)
    assert fields["schemaVersion"] == "1"
    assert fields["mode"] in ("silent", "compact", "fullOutput", "inline")
    assert {"type", "placeholder"} <= set(json.loads(fields["argument1"]))
    (tmp_path / ".local/bin").mkdir(parents=True)
    program = tmp_path / ".local/bin/dejavu"
    program.write_text('#!/bin/sh\nprintf "%s|" "$@"\n')
    program.chmod(0o755)
    done = subprocess.run(
        [script, "-n ; words"], env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "search|--limit|20|--|-n ; words|"


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
