import json
import os
import subprocess
import sys
from pathlib import Path

from tests.factories.session_files import claude_session

from dejavu.integrations.registration import edits, registrable_agents
from dejavu.interfaces.doctor.agents import hooks
from dejavu.interfaces.doctor.finding import Severity
from dejavu.providers import Home


def installed(agent: str) -> list[Path]:
    """Do what `init` does to the agent's files."""
    paths: list[Path] = []
    for edit in edits(agent, Home.own()):
        edit.path.parent.mkdir(parents=True, exist_ok=True)
        before = edit.path.read_text() if edit.path.exists() else ""
        edit.path.write_text(edit.add(before))
        paths.append(edit.path)
    return paths


def test_entries_of_todays_form_are_well_and_nothing_is_changed(home: Path) -> None:
    for agent in registrable_agents():
        before = {path: path.read_bytes() for path in installed(agent)}
        (found,) = hooks(agent, Home.own())
        assert (found.severity, found.facts["installed"]) == (Severity.OK, True), agent
        assert len(found.facts["entries"]) == len(edits(agent, Home.own()))
        assert {path: path.read_bytes() for path in before} == before


def test_an_entry_of_another_launcher_is_out_of_date(home: Path) -> None:
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    command = {"type": "command", "command": "'/gone/dejavu' hook capture --agent claude"}
    path.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [command]}]}}))
    (found,) = hooks("claude", Home.own())
    assert (found.severity, found.facts["stale"]) == (Severity.WARNING, [str(path)])
    assert "dejavu init --upgrade" in found.fix


def test_none_of_ours(home: Path) -> None:
    (found,) = hooks("codex", Home.own())
    assert (found.facts["installed"], "dejavu init codex" in found.message) == (False, True)
    assert list(hooks("aider", Home.own())) == []


def test_settings_that_cannot_be_read_are_said(home: Path) -> None:
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text("{")
    (found,) = hooks("claude", Home.own())
    assert (found.severity, str(path) in found.message) == (Severity.WARNING, True)


def test_settings_that_are_a_pipe_hang_nothing(home: Path) -> None:
    """Run as a program, so that a reader that waits is ended by the time limit."""
    claude_session(home, "one")
    for place in (".claude/settings.json", ".gemini/settings.json", ".codex/config.toml"):
        (home / place).parent.mkdir(exist_ok=True)
        os.mkfifo(home / place)
    for command in (("agents", "--json"), ("doctor", "--json"), ("init", "claude", "--dry-run")):
        words = [sys.executable, "-m", "dejavu", *command]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
        assert "internal error" not in done.stderr
        assert "Traceback" not in done.stderr
