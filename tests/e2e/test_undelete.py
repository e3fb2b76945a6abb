"""A conversation that a real agent lost is resumed after `undelete`, and the model sees no difference."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.e2e.lost_home import AGENTS, LOSSES, Rig, hold

pytestmark = [pytest.mark.e2e, pytest.mark.shared]


@pytest.fixture
def rig(shared: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    cache = os.environ.get("RIG_NPM", str(Path.home() / ".cache" / "agent-clis"))
    monkeypatch.setenv("RIG_NPM", cache)
    base = Path(os.environ.get("DEJAVU_E2E", "/var/tmp")) / f"dvu{os.getpid()}"
    yield Rig(shared, base)
    shutil.rmtree(base, ignore_errors=True)


@pytest.mark.parametrize("agent", AGENTS)
def test_the_next_request_is_the_same(agent: str, rig: Rig) -> None:
    if not Path(rig.machine(agent, "ann", 0).profile.bin).exists():
        pytest.skip(f"needs {agent} in RIG_NPM (see rig/install.sh)")
    held = hold(rig, agent)
    try:
        for loss in LOSSES:
            result = held.lose(loss)
            assert result.same, (loss, result.notes)
            assert result.seconds < 10
    finally:
        held.server.shutdown()
