"""Three real agents, driven to the end by examples/orchestrate.py with wait, send and status."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from dejavu.sessions import session_store as sessions
from dejavu.sessions.observer.screen_server import look

pytestmark = [pytest.mark.e2e, pytest.mark.shared]

REPO = Path(__file__).resolve().parents[2]
AGENTS = ("claude", "codex", "opencode")
PROMPT = "Write the word done into a file."


@pytest.fixture
def fleet(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], Path]]:
    """`fleet(agent)` starts a real agent headless, in a throw-away home; gives its project."""
    cache = Path(os.environ.get("RIG_NPM", Path.home() / ".cache" / "agent-clis"))
    monkeypatch.setenv("RIG_NPM", str(cache))
    for name in ("STATE", "DATA", "CONFIG"):
        monkeypatch.setenv(f"DEJAVU_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.syspath_prepend(str(shared / "rig"))
    rig, model = import_module("agents"), import_module("fakemodel")
    known = {kind.name: kind for kind in vars(rig).values() if hasattr(kind, "package")}
    # Codex refuses a HOME below /tmp.
    base = Path(os.environ.get("DEJAVU_E2E", "/var/tmp")) / f"dvfleet{os.getpid()}"
    wrappers: list[subprocess.Popen[bytes]] = []
    servers: list[Any] = []

    def start(name: str) -> Path:
        agent, home, project = known[name](), base / name / "home", base / name / "project"
        if not Path(agent.bin).exists():
            pytest.skip(f"needs {agent.package} in {cache} (rig/install.sh {name})")
        home.mkdir(parents=True)
        project.mkdir()
        shell = {"tool": "shell", "args": {"command": f"echo done by {name} > {project}/done.txt"}}
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
        command = [sys.executable, "-m", "dejavu.interfaces.run", "--headless", "--size", "120x40"]
        wrappers.append(
            subprocess.Popen(
                [*command, "--agent", name, "--name", name, "--", *agent.argv(port, project)],
                env=environment, cwd=project,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )
        )  # fmt: skip
        return project

    yield start
    for wrapper in wrappers:
        wrapper.terminate()
        wrapper.wait(60)
    for server in servers:
        server.shutdown()
        server.server_close()
    shutil.rmtree(base, ignore_errors=True)


def test_three_agents_are_driven_to_the_end(fleet: Callable[[str], Path]) -> None:
    projects = {name: fleet(name) for name in AGENTS}
    done = subprocess.run(
        [sys.executable, str(REPO / "examples" / "orchestrate.py"),
         *(f"{name}={PROMPT}" for name in AGENTS)],
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    screens = {
        seen.session.name: "\n".join(look(seen.folder)["rows"]) for seen in sessions.find_all()
    }
    for name, project in projects.items():
        told = f"{done.stdout}{done.stderr}\n{screens[name]}"
        assert (project / "done.txt").is_file(), told
        assert (project / "done.txt").read_text() == f"done by {name}\n"
        assert "It is there." in screens[name], told
        assert f"{name}: done" in done.stdout, told
