"""Real agents with the guard on: what the model is sent, and what the agent itself writes down.

A file with a secret is read by the shell and, where there is one, by the agent's own tool. In the
requests as the model received them no secret may stand; where an agent's hooks reach its session
file, none there either. The task must complete.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.e2e.rigrun import BIN

pytestmark = [pytest.mark.e2e, pytest.mark.shared]

SECRET = "AKIA" + "Q3EGRTZ5XWV7MNB2"
PASSWORD = "Tr0ub4dor-x9"
PROMPT, DONE = "Please read the notes.", "All notes read, the task is done."
FOLDERS = {
    "claude": "claude-latest", "codex": "codex", "gemini": "gemini", "qwen": "qwen24",
    "copilot": "copilot", "opencode": "opencode",
}  # fmt: skip
KEEPS_ORIGINAL = ("codex", "copilot", "opencode")
"""Agents that write the original into files of their own, whatever a hook says."""


class Outcome(NamedTuple):
    """What one run left behind."""

    requests: str
    replies: str
    home: Path
    data: bytes


@pytest.fixture
def rig(shared: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The rig's modules: the scripted model, and how each agent is pointed at it."""
    cache = os.environ.get("RIG_NPM", str(Path.home() / ".cache" / "agent-clis"))
    monkeypatch.setenv("RIG_NPM", cache)
    modules: dict[str, Any] = {}
    for name in ("fakemodel", "agents"):
        spec = importlib.util.spec_from_file_location(name, shared / "rig" / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(modules[name])
    return modules


@pytest.fixture
def base(tmp_path: Path) -> Iterator[Path]:
    """A folder outside /tmp, where Codex refuses to live; daemons in it are ended."""
    folder = Path(os.environ.get("DEJAVU_E2E", "/var/tmp")) / f"dvg{os.getpid()}-{tmp_path.name}"
    folder.mkdir(parents=True)
    yield folder
    subprocess.run(
        [sys.executable, "-c", "from dejavu.services.daemon import instance_lock as one; one.stop()"],
        env={"HOME": str(folder / "home"), "PATH": os.environ["PATH"]}, check=False, timeout=60,
    )  # fmt: skip
    shutil.rmtree(folder)


def guarded_run(rig: Any, base: Path, name: str, *options: str) -> Outcome:
    profile = rig["agents"].AGENTS[name]
    if not Path(profile.bin).exists():
        pytest.skip(f"needs {name} in RIG_NPM (see rig/install.sh)")
    home, work = base / "home", base / "work"
    home.mkdir(mode=0o700)
    work.mkdir()
    notes = work / "notes.txt"
    notes.write_text(f"release notes\nid: {SECRET}\nDB_PASSWORD={PASSWORD}\nend of notes\n")
    shell = ("exec_command", "cmd") if name == "codex" else ("shell", "command")
    steps = [
        [{"tool": shell[0], "args": {shell[1]: f"cat {notes}"}}],
        [{"tool": "read", "args": {"path": str(notes)}}],
        [{"text": DONE}],
    ]
    server = rig["fakemodel"].serve(
        0, {"turns": [{"user": PROMPT, "reply": steps}]}, base / "log",
        models=("rig-model", *profile.models),
    )  # fmt: skip
    try:
        profile.setup(home, server.server_port, work)
        plain = {
            "HOME": str(home),
            "PATH": f"{rig['agents'].NODE}:/usr/bin:/bin",
            "LANG": "C.UTF-8",
        }
        if name == "claude":
            (home / ".claude" / "settings.json").unlink()  # the rig's own hooks keep everything
        if name == "copilot":
            (home / ".copilot").mkdir()
        if name == "opencode":
            _allow_everything(home / ".config" / "opencode" / "opencode.json")
        subprocess.run(
            [str(BIN / "dejavu"), "init", name, "--guard", *options, "--yes"],
            env=plain, check=True, timeout=60, capture_output=True,
        )  # fmt: skip
        command = profile.headless(PROMPT, server.server_port, work)
        more = {
            "claude": lambda: [*command[:-1], "Bash,Read"],
            "codex": lambda: [
                *command[:-1], "--dangerously-bypass-hook-trust",
                "-c", 'sandbox_mode="danger-full-access"', command[-1],
            ],
        }  # fmt: skip
        done = subprocess.run(
            more.get(name, lambda: command)(),
            env={**plain, "TERM": "xterm", "SHELL": "/bin/bash", **profile.env(server.server_port)},
            cwd=work, stdin=subprocess.DEVNULL, capture_output=True, timeout=180, check=False,
        )  # fmt: skip
    finally:
        server.shutdown()
        server.server_close()
    requests = (base / "log" / "requests.jsonl").read_text("utf-8")
    played = (base / "log" / "played.jsonl").read_text("utf-8")
    data = b"".join(
        path.read_bytes()
        for path in home.rglob("*")
        if path.is_file() and not path.is_symlink() and "dejavu" not in path.parts
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return Outcome(requests, played, home, data)


def _allow_everything(settings: Path) -> None:
    value = json.loads(settings.read_text())
    value["permission"] = {"bash": "allow", "edit": "allow"}
    settings.write_text(json.dumps(value))


@pytest.mark.parametrize("name", FOLDERS)
def test_a_secret_in_a_file_reaches_neither_model_nor_session_file(
    rig: Any, base: Path, name: str
) -> None:
    outcome = guarded_run(rig, base, name)
    assert "end of notes" in outcome.requests
    assert "[redacted:aws" in outcome.requests
    assert SECRET not in outcome.requests
    assert PASSWORD not in outcome.requests
    assert "replaced 2 secrets" in outcome.requests  # the model is told
    assert DONE in outcome.replies
    if name not in KEEPS_ORIGINAL:
        assert SECRET.encode() not in outcome.data
        assert PASSWORD.encode() not in outcome.data
    else:
        # Docs say so: the day this fails they are to be changed.
        assert SECRET.encode() in outcome.data


def test_without_the_guard_it_does(rig: Any, base: Path) -> None:
    outcome = guarded_run(rig, base, "claude", "--no-guard")
    assert SECRET in outcome.requests
