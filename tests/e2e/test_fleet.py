"""Three real agents, driven from their start to their end by examples/orchestrate.py."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.fleet_agents import AGENTS, FleetAgents, fleet_agents

from dejavu.sessions import session_store as sessions
from dejavu.sessions.stop_session import stop

pytestmark = [pytest.mark.e2e, pytest.mark.shared]

REPO = Path(__file__).resolve().parents[2]
PROMPT = "Write the word done into a file."


@pytest.fixture
def fleet(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FleetAgents]:
    """The rig's agents, with a home of Déjà Vu's own."""
    monkeypatch.setenv("RIG_NPM", os.environ.get("RIG_NPM", str(Path.home() / ".cache/agent-clis")))
    for name in ("STATE", "DATA", "CONFIG"):
        monkeypatch.setenv(f"DEJAVU_{name}_HOME", str(tmp_path / name.lower()))
    with fleet_agents(shared / "rig") as agents:
        for name in AGENTS:
            if missing := agents.missing(name):
                pytest.skip(missing)
        monkeypatch.setenv("HOME", str(agents.base / "home"))
        yield agents
        for view in sessions.find_all():
            if view.live:
                stop(view, timeout=5, kill=True)


def orchestrate(
    fleet: FleetAgents, script: Callable[[str], list[Any]], **environ: str
) -> tuple[subprocess.CompletedProcess[str], Path]:
    """What examples/orchestrate.py does with the three, each with its reply, and their project."""
    agents = {name: fleet.make(name, [{"user": PROMPT, "reply": script(name)}]) for name in AGENTS}
    project = agents["claude"][0]
    done = subprocess.run(
        [sys.executable, str(REPO / "examples" / "orchestrate.py"), PROMPT,
         *(f"{name}={shlex.quote(str(program))}" for name, (_, program) in agents.items())],
        capture_output=True, text=True, timeout=900, cwd=project, env={**os.environ, **environ},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not any(view.live for view in sessions.find_all()), done.stdout
    return done, project


def test_three_agents_are_driven_to_the_end(fleet: FleetAgents) -> None:
    def script(name: str) -> list[Any]:
        command = f"echo done by {name} > {fleet.base}/project/{name}.txt"
        shell = {"tool": "shell", "args": {"command": command}}
        return [[{"text": "On it."}, shell], [{"text": "It is there."}]]

    done, project = orchestrate(fleet, script)
    told = f"{done.stdout}{done.stderr}"
    for name in AGENTS:
        assert (project / f"{name}.txt").is_file(), told
        assert (project / f"{name}.txt").read_text() == f"done by {name}\n"
        assert f"{name}: done: It is there." in done.stdout, told


def test_agents_that_work_too_long_are_interrupted(fleet: FleetAgents) -> None:
    def script(_name: str) -> list[Any]:
        return [[{"text": "On it."}, {"sleep": 300}, {"text": "Never said."}]]

    done, _ = orchestrate(fleet, script, LIMIT="40")
    for name in AGENTS:
        line = next(line for line in done.stdout.splitlines() if line.startswith(f"{name}: "))
        assert "interrupted" in line, f"{done.stdout}{done.stderr}"
        assert "Never said" not in line
