"""OpenCode's files; the plugin, run by a JavaScript engine where there is one."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.providers.conftest import Registered

from dejavu.integrations import launcher
from dejavu.integrations.json_edit import UnreadableFileError
from dejavu.integrations.registration import edits
from dejavu.providers import Home


def test_plugin_and_server(registered: Registered) -> None:
    files = registered("opencode")
    assert files[".config/opencode/opencode.json"]["mcp"]["dejavu"] == {
        "type": "local",
        "command": [str(launcher.launcher()), "mcp"],
        "enabled": True,
    }
    assert "session.idle" in files[".config/opencode/plugins/dejavu.js"]


def test_settings_with_comments_are_taken_where_they_are(home: Path) -> None:
    (home / ".config/opencode").mkdir(parents=True)
    (home / ".config/opencode/opencode.jsonc").write_text("{}")
    [_, settings] = edits("opencode", Home(home, {}))
    assert settings.path.name == "opencode.jsonc"


def test_somebody_elses_plugin_stays(home: Path) -> None:
    [file, _] = edits("opencode", Home(home, {}))
    with pytest.raises(UnreadableFileError):
        file.add("export const Mine = 1")
    assert file.remove("export const Mine = 1", "") == "export const Mine = 1"
    assert file.remove(file.add(""), "") == ""


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_plugin_sends_the_last_state_of_each_part(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "dejavu"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/told\ncat >> {tmp_path}/told\n')
    program.chmod(0o700)
    monkeypatch.setattr("dejavu.integrations.registration.launcher", lambda: program)
    [file, _] = edits("opencode", Home(home, {}))
    (tmp_path / "plugin.mjs").write_text(file.add(""))

    def part(text: str) -> dict[str, object]:
        return {"type": "message.part.updated", "properties": {"part": {"id": "p", "text": text}}}

    events = [part("a"), {"type": "file.edited"}, part("ab"), {"type": "session.idle"}]
    (tmp_path / "run.mjs").write_text(
        'import { DejaVu } from "./plugin.mjs"\nconst hooks = await DejaVu()\n'
        f"for (const event of {json.dumps(events)}) await hooks.event({{ event }})\n"
    )
    subprocess.run(["node", tmp_path / "run.mjs"], check=True, timeout=60)
    told = (tmp_path / "told").read_text().splitlines()
    assert told[0] == "hook capture --agent opencode"
    assert [json.loads(line) for line in told[1:]] == [events[2], events[3]]


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_plugin_adds_what_is_to_be_known(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "dejavu"
    answer = json.dumps({"hookSpecificOutput": {"additionalContext": "never by hand"}})
    program.write_text(
        f"#!/bin/sh\necho \"$@\" >> {tmp_path}/calls\ncat >> {tmp_path}/calls\necho '{answer}'\n"
    )
    program.chmod(0o700)
    monkeypatch.setattr("dejavu.integrations.registration.launcher", lambda: program)
    [file, _] = edits("opencode", Home(home, {}), assist=True)
    (tmp_path / "plugin.mjs").write_text(file.add(""))
    (tmp_path / "run.mjs").write_text(
        'import { DejaVu } from "./plugin.mjs"\nconst hooks = await DejaVu({ directory: "/w" })\n'
        'const call = { tool: "read", sessionID: "s", args: { filePath: "/w/a.py" } }\n'
        'const output = { output: "text", metadata: { exit: 0 } }, made = { context: [] }\n'
        'await hooks["tool.execute.after"](call, output)\n'
        'await hooks["experimental.session.compacting"]({ sessionID: "s" }, made)\n'
        "console.log(JSON.stringify([output.output, made.context]))\n"
    )
    done = subprocess.run(
        ["node", tmp_path / "run.mjs"], check=True, timeout=60, capture_output=True
    )
    assert json.loads(done.stdout) == ["text\n\nnever by hand", ["never by hand"]]
    calls = (tmp_path / "calls").read_text()
    assert calls.count("hook assist --agent opencode") == 2
    assert '"filePath":"/w/a.py"' in calls
    assert '"source":"compact"' in calls
