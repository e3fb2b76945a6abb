"""Answers to real agents' dialogs: what was chosen against what the agent did then."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.e2e.answer_moments import play
from tests.e2e.fleet_agents import FleetAgents, fleet_agents

pytestmark = [pytest.mark.e2e, pytest.mark.shared]


@pytest.fixture
def fleet(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FleetAgents]:
    """The rig's agents, with a home of Déjà Vu's own."""
    monkeypatch.setenv("RIG_NPM", os.environ.get("RIG_NPM", str(Path.home() / ".cache/agent-clis")))
    for name in ("STATE", "DATA", "CONFIG"):
        monkeypatch.setenv(f"DEJAVU_{name}_HOME", str(tmp_path / name.lower()))
    with fleet_agents(shared / "rig") as agents:
        monkeypatch.setenv("HOME", str(agents.base / "home"))
        yield agents


@pytest.mark.parametrize("name", ["claude", "codex", "gemini", "kimi", "opencode", "qwen"])
def test_no_choice_has_the_effect_of_another(fleet: FleetAgents, name: str) -> None:
    if missing := fleet.missing(name):
        pytest.skip(missing)
    tally = play(fleet, name, 10, seed=3)
    assert [one.fault for one in tally.made if one.fault] == []
    assert len(tally.made) >= 5
