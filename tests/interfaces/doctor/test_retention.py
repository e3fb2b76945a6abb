import json
import time
from pathlib import Path

import pytest

from dejavu.interfaces.doctor.finding import Severity
from dejavu.interfaces.doctor.retention import retention
from dejavu.providers import Home

DAY = 86400.0


def settings(home: Path, agent: str, value: object) -> None:
    path = home / f".{agent}" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(value))


def test_claude_deletes_after_30_days_unless_told_otherwise(home: Path) -> None:
    oldest = time.time() - 28 * DAY
    (found,) = retention("claude", Home.own(), oldest)
    assert (found.severity, found.facts["days"]) == (Severity.WARNING, 30)
    assert found.facts["oldest_due"] == pytest.approx(oldest + 30 * DAY)
    settings(home, "claude", {"cleanupPeriodDays": 3650})
    (found,) = retention("claude", Home.own(), oldest)
    assert (found.severity, found.facts["days"]) == (Severity.OK, 3650)


def test_gemini_deletes_where_it_was_told_to(home: Path) -> None:
    assert list(retention("gemini", Home.own(), 0.0)) == []
    settings(home, "gemini", {"general": {"sessionRetention": {"enabled": True, "maxAge": "2w"}}})
    (found,) = retention("gemini", Home.own(), time.time())
    assert (found.facts["days"], found.severity) == (14, Severity.OK)


def test_settings_that_are_no_json_change_nothing(home: Path) -> None:
    settings(home, "claude", ["not", "an", "object"])
    (found,) = retention("claude", Home.own(), time.time())
    assert found.facts["days"] == 30
    assert list(retention("codex", Home.own(), 0.0)) == []
