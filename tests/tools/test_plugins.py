"""The plugin folders: as the agents' folders say, valid, and hooks that do nothing where they should."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tools import plugins

from dejavu.integrations.launcher import is_ours

FILES = plugins.files()
TEXT = {"type": "string", "minLength": 1}
PLUGIN = {
    "type": "object",
    "required": ["$schema", "name"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"const": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"},
        "name": {"type": "string", "pattern": r"^(?!.*(--|\.\.))[a-z0-9]([a-z0-9.-]{0,62}[a-z0-9])?$"},
        "version": TEXT, "description": TEXT, "license": TEXT, "homepage": TEXT, "repository": TEXT,
        "keywords": {"type": "array", "items": TEXT},
        "author": {"type": "object", "additionalProperties": TEXT},
        "extensions": {"type": "object", "additionalProperties": {"type": "object"}},
    },
}  # fmt: skip
"""What Agent Plugins 1.0.0 allows, after its specification."""
SERVERS = {
    "type": "object",
    "required": ["$schema", "mcpServers"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"const": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"},
        "mcpServers": {
            "additionalProperties": {
                "type": "object",
                "required": ["type", "command"],
                "additionalProperties": False,
                "properties": {
                    "type": {"const": "stdio"}, "command": TEXT, "cwd": TEXT,
                    "args": {"type": "array", "items": {"type": "string"}},
                    "env": {"type": "object", "additionalProperties": {"type": "string"}},
                },
            }
        },
    },
}  # fmt: skip


def test_the_folders_are_what_the_program_writes() -> None:
    there = {
        str(path.relative_to(plugins.FOLDER)): path.read_text("utf-8")
        for path in plugins.FOLDER.rglob("*")
        if path.is_file()
    }
    assert there == FILES, "run `make plugins`"
    for name, text in FILES.items():
        assert os.access(plugins.FOLDER / name, os.X_OK) == text.startswith("#!")


@pytest.mark.parametrize(("name", "schema"), [("plugin.json", PLUGIN), ("mcp.json", SERVERS)])
def test_the_vendor_neutral_plugin_is_valid(name: str, schema: dict[str, Any]) -> None:
    document = json.loads(FILES[f"agent-plugins/{name}"])
    Draft202012Validator(schema).validate(document)
    assert not Draft202012Validator(schema).is_valid({**document, "commands": []})


def test_manifests_name_files_that_are_there() -> None:
    for name, text in FILES.items():
        if name.endswith("marketplace.json"):
            [entry] = json.loads(text)["plugins"]
            source = (
                entry["source"] if isinstance(entry["source"], str) else entry["source"]["path"]
            )
            assert any(path.startswith(f"{source.removeprefix('./')}/") for path in FILES)
        elif name.endswith(".json"):
            folder = name.split("/", 1)[0]
            for value in json.loads(text).values():
                if isinstance(value, str) and value.startswith("./"):
                    below = f"{folder}/{value.removeprefix('./')}"
                    assert any(path.startswith(below) for path in FILES), value


def test_every_hook_calls_the_script_beside_it() -> None:
    for name, text in FILES.items():
        commands = [
            line.split('"command": ')[1]
            for line in text.splitlines()
            if " hook " in line and '"command"' in line
        ]
        for command in commands:
            assert is_ours(json.loads(command.rstrip(","))), name
            assert f"{name.split('/', 1)[0]}/launch/dejavu" in FILES


def _hook(home: Path, path: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    script = plugins.FOLDER / "claude" / "launch" / "dejavu"
    environ = {"HOME": str(home), "PATH": f"{path}:/usr/bin:/bin"}
    return subprocess.run(
        [script, *arguments], env=environ, text=True, capture_output=True, check=False
    )


def test_the_script_starts_what_is_there_once(tmp_path: Path) -> None:
    hook = ("hook", "inject", "--agent", "claude")
    assert (done := _hook(tmp_path, "/nowhere", *hook)).returncode == 0
    assert done.stdout == done.stderr == ""
    assert _hook(tmp_path, "/nowhere", "mcp").returncode == 127
    program = tmp_path / "bin" / "dejavu"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho $*\n")
    program.chmod(0o755)
    assert _hook(tmp_path, str(program.parent), *hook).stdout == "hook inject --agent claude\n"
    ledger = tmp_path / ".local/share/dejavu/install/ledger.json"
    ledger.parent.mkdir(parents=True)
    ledger.write_text(json.dumps({"/x": {"agent": "codex"}}))
    assert _hook(tmp_path, str(program.parent), *hook).stdout != ""
    ledger.write_text(json.dumps({"/x": {"agent": "claude"}}))
    assert _hook(tmp_path, str(program.parent), *hook).stdout == ""
    assert _hook(tmp_path, str(program.parent), "mcp").stdout == "mcp\n"


_HOST = """\
import plugin from PLUGIN
const hooks = {}
plugin.register({ on: (name, run) => (hooks[name] = run) })
const said = await hooks.before_prompt_build(
  { prompt: "which palette?" }, { sessionId: "s", workspaceDir: "/work" })
console.log(JSON.stringify([Object.keys(hooks), said ?? null]))
"""
"""As OpenClaw does it: register, and ask before a prompt."""


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ('cat >asked; echo \'{"hookSpecificOutput": {"additionalContext": "ochre"}}\'', "ochre"),
        ("exit 0", None),
        ("echo no json", None),
        (None, None),
    ],
)
def test_openclaws_plugin_gives_what_the_hook_says(
    program: str | None, said: str | None, tmp_path: Path
) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node on the PATH")
    if program is not None:
        script = tmp_path / "bin" / "dejavu"
        script.parent.mkdir()
        script.write_text(f"#!/bin/sh\necho $* >>called\n{program}\n")
        script.chmod(0o755)
    source = json.dumps(str(plugins.FOLDER / "openclaw" / "index.js"))
    environ = {"HOME": str(tmp_path), "PATH": f"{tmp_path}/bin:/usr/bin:/bin"}
    done = subprocess.run(
        [node, "--input-type=module", "-e", _HOST.replace("PLUGIN", source)],
        cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    names, context = json.loads(done.stdout)
    assert names == ["before_prompt_build", "agent_end"]
    assert context == (said and {"prependContext": said})
    if said:
        asked = json.loads((tmp_path / "asked").read_text())
        assert (asked["prompt"], asked["session_id"], asked["cwd"]) == (
            "which palette?",
            "s",
            "/work",
        )
        assert (tmp_path / "called").read_text() == "hook inject --agent openclaw\n"


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        ("claude", ("plugin", "validate", "claude")),
        ("claude", ("plugin", "validate", ".")),
        ("gemini", ("extensions", "validate", "gemini")),
    ],
)
def test_the_vendors_own_validator_passes_it(
    program: str, arguments: tuple[str, ...], tmp_path: Path
) -> None:
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"needs {program} on the PATH")
    environ = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "DISABLE_AUTOUPDATER": "1"}
    done = subprocess.run(
        [found, *arguments],
        cwd=plugins.FOLDER,
        env=environ,
        capture_output=True,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
