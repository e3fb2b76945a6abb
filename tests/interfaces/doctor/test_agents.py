import json
import os
import time
from pathlib import Path

import pytest
from tests.factories.session_files import claude_session

from dejavu.archive import Archive
from dejavu.ingest.sync import sync_homes
from dejavu.interfaces.doctor import agents as module
from dejavu.interfaces.doctor.agents import agents
from dejavu.interfaces.doctor.finding import Finding, Severity
from dejavu.providers import Home


def findings(*, ask: bool = False) -> dict[str, Finding]:
    return {finding.subject: finding for finding in agents(ask=ask)}


def sync(home: Path) -> None:
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        sync_homes(archive, [Home.own()])


def append(path: Path, **record: object) -> None:
    with path.open("a") as file:
        file.write(json.dumps(record) + "\n")


def test_where_traces_are_and_when_they_were_read(home: Path) -> None:
    claude_session(home, "one")
    before = findings()["claude"]
    assert (before.severity, before.facts["traces"], before.facts["last_read"]) == (
        Severity.WARNING,
        1,
        None,
    )
    assert str(home / ".claude") in before.facts["folders"]
    assert "dejavu sync" in before.fix
    sync(home)
    after = findings()["claude"]
    assert after.severity is Severity.OK
    assert after.facts["version"] == "2.1.330"
    assert abs(after.facts["last_read"] - time.time()) < 600


def test_unknown_types_and_new_key_paths_are_told_by_version(home: Path) -> None:
    path = claude_session(home, "one")
    sync(home)
    assert findings()["claude format"].severity is Severity.OK
    append(path, type="hologram", uuid="h", sessionId="s1", version="2.2.0", hue={"deep": {"a": 1}})
    with path.open("a") as file:
        file.write("no json at all\n")
    later = {"sessionId": "s1", "uuid": "u9", "version": "2.2.0", "type": "user", "mood": "new"}
    append(path, **later, message={"role": "user", "content": "two"})
    sync(home)
    found = findings()["claude format"]
    assert found.severity is Severity.WARNING
    assert found.facts["unknown_types"] == {"hologram": 1}
    assert (found.facts["records_degraded"], found.facts["records_lost"]) == (1, 1)
    assert "hologram hue.deep.a" in found.facts["unknown_paths"]
    sync(home)
    assert findings()["claude format"].facts == found.facts  # nothing is counted twice


def test_an_agent_newer_than_its_rules_is_named(home: Path) -> None:
    path = claude_session(home, "one")
    sync(home)
    assert "claude rules" not in findings()
    later = {"sessionId": "s1", "uuid": "u9", "version": "2.99.1", "type": "user"}
    append(path, **later, message={"role": "user", "content": "two"})
    sync(home)
    found = findings()["claude rules"]
    assert (found.severity, found.facts["version"]) == (Severity.OK, "2.99.1")
    assert "2.99.1 is newer than the screen rules" in found.message


def test_versions_are_asked_of_programs_only_on_demand(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\necho 9.9.9 '(Claude Code)'\n")
    program.chmod(0o755)
    monkeypatch.setattr(
        module.shutil, "which", lambda name: str(program) if name == "claude" else None
    )
    assert findings()["claude"].facts["version"] is None
    assert findings(ask=True)["claude"].facts["version"] == "9.9.9 (Claude Code)"


def test_what_will_be_deleted_soon_is_a_note(home: Path) -> None:
    path = claude_session(home, "one")
    old = time.time() - 28 * 86400
    os.utime(path, (old, old))
    assert findings()["claude retention"].severity is Severity.WARNING


def test_a_program_of_another_name_is_its_agent(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "cursor-agent"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert findings()["cursor"].facts["program"] == str(program)
