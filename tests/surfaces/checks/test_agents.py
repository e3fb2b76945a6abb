import json
import os
import time
from pathlib import Path

from tests.surfaces.cli.test_sync import claude_session

from dejavu.surfaces.checks.agents import agents
from dejavu.surfaces.checks.finding import Grade


def test_agents_with_traces_are_listed_with_what_they_will_delete(home: Path) -> None:
    path = claude_session(home, "one")
    old = time.time() - 28 * 86400
    os.utime(path, (old, old))
    found = {finding.subject: finding for finding in agents()}
    assert found["claude"].facts["traces"] == 1
    assert found["claude retention"].grade is Grade.NOTE
    assert "30 days" in found["claude retention"].told
    (home / ".claude" / "settings.json").write_text(json.dumps({"cleanupPeriodDays": 3650}))
    found = {finding.subject: finding for finding in agents()}
    assert found["claude retention"].grade is Grade.GOOD
