"""Real agents of the rig in throw-away homes, each a program that is started by its name.

Needs the rig beside the repo and its programs in $RIG_NPM. Models are scripted, on 127.0.0.1.
"""

import json
import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

AGENTS = ("claude", "codex", "opencode")


class FleetAgents:
    """Starts no agent: makes their homes, models and programs. Nothing is written outside `base`."""

    def __init__(self, rig: Path, base: Path) -> None:
        cache = Path(os.environ.setdefault("RIG_NPM", str(Path.home() / ".cache" / "agent-clis")))
        if str(rig) not in sys.path:
            sys.path.insert(0, str(rig))
        self._rig, self._model = import_module("agents"), import_module("fakemodel")
        kinds = vars(self._rig).values()
        self._known = {kind.name: kind for kind in kinds if hasattr(kind, "package")}
        self._cache, self.base = cache, base
        self._servers: list[Any] = []

    def missing(self, name: str) -> str:
        """What is to be installed before this agent runs; nothing where it is there."""
        agent = self._known[name]()
        there = Path(agent.bin).exists()
        return "" if there else f"needs {agent.package} in {self._cache} (rig/install.sh {name})"

    def version(self, name: str) -> str:
        """The version of the agent that is installed; nothing where it is not there."""
        agent = self._known[name]()
        package = Path(agent.bin).parent.parent / agent.package / "package.json"
        return str(json.loads(package.read_text())["version"]) if package.exists() else ""

    def make(self, name: str, turns: Sequence[dict[str, Any]]) -> tuple[Path, Path]:
        """An agent whose model says `turns`: the project it works in, and its program."""
        agent, home, project = self._known[name](), self.base / "home", self.base / "project"
        home.mkdir(parents=True, exist_ok=True)
        project.mkdir(exist_ok=True)
        folder = self.base / name
        server = self._model.serve(0, {"turns": list(turns)}, folder / "model", agent.models)
        self._servers.append(server)
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
            self._rig.put(home / ".claude.json", settled)
        kept = {key: value for key, value in os.environ.items() if key.startswith("DEJAVU_")}
        environment = {
            "HOME": str(home), "TERM": "xterm-256color", "LANG": "C.UTF-8", "SHELL": "/bin/bash",
            "PATH": f"{self._rig.NODE}:/usr/local/bin:/usr/bin:/bin", **kept, **agent.env(port),
        }  # fmt: skip
        # Its name tells which agent it is, as the agent's own program does.
        program = folder / "bin" / name
        program.parent.mkdir(parents=True)
        exports = [f"{key}={shlex.quote(value)}" for key, value in environment.items()]
        words = " ".join(["env", "-i", *exports, shlex.join(agent.argv(port, project))])
        program.write_text(f"#!/bin/sh\nexec {words}\n")
        program.chmod(0o755)
        return project, program

    def close(self) -> None:
        """End the models, and remove everything."""
        for server in self._servers:
            server.shutdown()
            server.server_close()
        shutil.rmtree(self.base, ignore_errors=True)


@contextmanager
def fleet_agents(rig: Path) -> Iterator[FleetAgents]:
    """The agents, in a folder that goes at the end. Codex refuses a HOME below /tmp."""
    base = Path(os.environ.get("DEJAVU_E2E", "/var/tmp")) / f"dvfleet{os.getpid()}"
    agents = FleetAgents(rig, base)
    try:
        yield agents
    finally:
        agents.close()
