"""Three real agents, driven from their start to their end by examples/orchestrate.py."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from dejavu.sessions import session_store as sessions
from dejavu.sessions.stop_session import stop

pytestmark = [pytest.mark.e2e, pytest.mark.shared]

REPO = Path(__file__).resolve().parents[2]
AGENTS = ("claude", "codex", "opencode")
PROMPT = "Write the word done into a file."


@pytest.fixture
def fleet(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], tuple[Path, Path]]]:
    """`fleet(agent)` makes a real agent's throw-away home; gives its project and its program."""
    cache = Path(os.environ.get("RIG_NPM", Path.home() / ".cache" / "agent-clis"))
    monkeypatch.setenv("RIG_NPM", str(cache))
    for name in ("STATE", "DATA", "CONFIG"):
        monkeypatch.setenv(f"DEJAVU_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.syspath_prepend(str(shared / "rig"))
    rig, model = import_module("agents"), import_module("fakemodel")
    known = {kind.name: kind for kind in vars(rig).values() if hasattr(kind, "package")}
    # Codex refuses a HOME below /tmp.
    base = Path(os.environ.get("DEJAVU_E2E", "/var/tmp")) / f"dvfleet{os.getpid()}"
    servers: list[Any] = []

    def start(name: str) -> tuple[Path, Path]:
        agent, home, project = known[name](), base / "home", base / "project"
        if not Path(agent.bin).exists():
            pytest.skip(f"needs {agent.package} in {cache} (rig/install.sh {name})")
        home.mkdir(parents=True, exist_ok=True)
        project.mkdir(exist_ok=True)
        monkeypatch.setenv("HOME", str(home))
        shell = {
            "tool": "shell",
            "args": {"command": f"echo done by {name} > {project}/{name}.txt"},
        }
        script = [
            {"user": PROMPT, "reply": [[{"text": "On it."}, shell], [{"text": "It is there."}]]}
        ]
        server = model.serve(0, {"turns": script}, base / name / "model", agent.models)
        servers.append(server)
        port = server.server_port
        agent.setup(home, port, project)
        if name == "claude":  # its dialogs about the key and the folder offer No first
            key = agent.env(port)["ANTHROPIC_API_KEY"][-20:]
            settled = {
                "hasCompletedOnboarding": True,
                "theme": "dark",
                "customApiKeyResponses": {"approved": [key], "rejected": []},
                "projects": {str(project): {"hasTrustDialogAccepted": True}},
            }
            rig.put(home / ".claude.json", settled)
        kept = {key: value for key, value in os.environ.items() if key.startswith("DEJAVU_")}
        environment = {
            "HOME": str(home), "TERM": "xterm-256color", "LANG": "C.UTF-8", "SHELL": "/bin/bash",
            "PATH": f"{rig.NODE}:/usr/local/bin:/usr/bin:/bin", **kept, **agent.env(port),
        }  # fmt: skip
        # Its name tells which agent it is, as the agent's own program does.
        program = base / name / "bin" / name
        program.parent.mkdir(parents=True)
        exports = [f"{key}={shlex.quote(value)}" for key, value in environment.items()]
        words = " ".join(["env", "-i", *exports, shlex.join(agent.argv(port, project))])
        program.write_text(f"#!/bin/sh\nexec {words}\n")
        program.chmod(0o755)
        return project, program

    yield start
    for view in sessions.find_all():
        if view.live:
            stop(view, timeout=5, kill=True)
    for server in servers:
        server.shutdown()
        server.server_close()
    shutil.rmtree(base, ignore_errors=True)


def test_three_agents_are_driven_to_the_end(
    fleet: Callable[[str], tuple[Path, Path]],
) -> None:
    agents = {name: fleet(name) for name in AGENTS}
    done = subprocess.run(
        [sys.executable, str(REPO / "examples" / "orchestrate.py"), PROMPT,
         *(f"{name}={shlex.quote(str(program))}" for name, (_, program) in agents.items())],
        capture_output=True, text=True, timeout=900, cwd=agents["claude"][0],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = f"{done.stdout}{done.stderr}"
    for name, (project, _) in agents.items():
        assert (project / f"{name}.txt").is_file(), told
        assert (project / f"{name}.txt").read_text() == f"done by {name}\n"
        assert f"{name}: done: It is there." in done.stdout, told
    assert not any(view.live for view in sessions.find_all()), told
