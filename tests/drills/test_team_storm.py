"""What a team's archive acknowledged is there once, whatever ends: programs, connections, network, server."""

import json
import subprocess
import sys

import pytest


@pytest.mark.soak
def test_nothing_acknowledged_is_lost_or_doubled() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.teams.storm", "6", "3", "--seconds", "60"],
        capture_output=True, check=False, timeout=240,
    )  # fmt: skip
    told = json.loads(done.stdout)
    if "left out" in told:
        pytest.skip(told["left out"])
    assert sum(told["faults_made"].values()) >= 4
    assert told["acknowledged"] > 20
    assert (told["lost"], told["doubled"], told["damaged"]) == (0, 0, [])
