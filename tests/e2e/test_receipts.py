"""Receipts of real agents: what `deliver` claims against what the agent's model was asked."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.e2e.fleet_agents import FleetAgents, fleet_agents
from tests.e2e.receipt_moments import play

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


@pytest.mark.parametrize("name", ["claude", "codex", "gemini", "kimi", "opencode", "pi", "qwen"])
def test_no_receipt_is_wrong_and_no_draft_is_lost(fleet: FleetAgents, name: str) -> None:
    if missing := fleet.missing(name):
        pytest.skip(missing)
    tally = play(fleet, name, 12, seed=3)
    assert tally.faults == []
    assert tally.accepted >= 6
