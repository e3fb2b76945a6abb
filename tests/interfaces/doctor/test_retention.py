import json
import os
import time
from pathlib import Path

import pytest
from tests.factories.session_files import claude_session

from dejavu.archive.access import open_archive
from dejavu.ingest.sync import sync_homes
from dejavu.interfaces.agent_inventory import inventory
from dejavu.interfaces.doctor.agents import retention
from dejavu.interfaces.doctor.finding import Finding, Severity
from dejavu.providers import Home, agents

DAY = 86400.0


def found_of(agent: str, oldest: float) -> list[Finding]:
    """What is said of an agent whose oldest session file is of then."""
    home = Home.own()
    if agent == "claude":
        os.utime(claude_session(home.path, "one"), (oldest, oldest))
    return list(retention(inventory(agents()[agent], home, {})._replace(oldest=oldest)))


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


def test_what_is_archived_is_no_reason_to_warn(home: Path) -> None:
    """For ever, and with a past date: the agent may keep a file longer than it says."""
    oldest = time.time() - 90 * DAY
    (found,) = found_of("claude", oldest)
    assert (found.severity, found.facts["not_archived"]) == (Severity.WARNING, 1)
    assert "1 file" in found.message
    assert "at any time" in found.message
    with open_archive(write=True) as archive:
        sync_homes(archive, [Home.own()])
    (found,) = found_of("claude", oldest)
    assert (found.severity, found.fix) == (Severity.OK, "")
    assert "are archived" in found.message
    new = claude_session(home, "two", name="s2")
    os.utime(new, (oldest, oldest))
    assert [one.severity for one in found_of("claude", oldest)] == [Severity.WARNING]


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
