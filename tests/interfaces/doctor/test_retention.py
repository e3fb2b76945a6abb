import json
import time
from pathlib import Path

import pytest

from dejavu.interfaces.agent_inventory import inventory
from dejavu.interfaces.doctor.finding import Finding, Severity
from dejavu.interfaces.doctor.retention import retention
from dejavu.providers import Home, agents

DAY = 86400.0


def found_of(agent: str, oldest: float) -> list[Finding]:
    """What is said of an agent whose oldest session file is of then."""
    return list(retention(inventory(agents()[agent], Home.own(), {})._replace(oldest=oldest)))


def settings(home: Path, agent: str, value: object) -> None:
    path = home / f".{agent}" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(value))


def test_claude_deletes_after_30_days_unless_told_otherwise(home: Path) -> None:
    oldest = time.time() - 28 * DAY
    (found,) = found_of("claude", oldest)
    assert (found.severity, found.facts["days"]) == (Severity.WARNING, 30)
    assert found.facts["oldest_due"] == pytest.approx(oldest + 30 * DAY)
    settings(home, "claude", {"cleanupPeriodDays": 3650})
    (found,) = found_of("claude", oldest)
    assert (found.severity, found.facts["days"]) == (Severity.OK, 3650)


def test_gemini_deletes_where_it_was_told_to(home: Path) -> None:
    assert found_of("gemini", 0.0) == []
    settings(home, "gemini", {"general": {"sessionRetention": {"enabled": True, "maxAge": "2w"}}})
    (found,) = found_of("gemini", time.time())
    assert (found.facts["days"], found.severity) == (14, Severity.OK)


def test_settings_that_are_no_json_change_nothing(home: Path) -> None:
    settings(home, "claude", ["not", "an", "object"])
    (found,) = found_of("claude", time.time())
    assert found.facts["days"] == 30
    assert found_of("codex", 0.0) == []
