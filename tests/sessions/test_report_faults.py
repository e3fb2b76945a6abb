from pathlib import Path

from dejavu.config.paths import state_home
from dejavu.interfaces.doctor.sessions import reading
from dejavu.scrapers.state import Disagreement, State
from dejavu.sessions import report_faults

FOUND = Disagreement("program-status", State.IDLE, State.BLOCKED, 1.0, followed=True)


def test_faults_are_counted_by_agent_and_version_and_shown_by_doctor(home: Path) -> None:
    assert report_faults.load() == []
    report_faults.add("codex", "0.169.0", FOUND, 10.0)
    report_faults.add("codex", "0.169.0", FOUND, 20.0)
    report_faults.add("claude", "2.1.330", FOUND, 30.0)
    claude, codex = report_faults.load()
    assert (codex.version, codex.reported, codex.read, codex.times, codex.last_at) == (
        "0.169.0", "idle", "blocked", 2, 20.0,
    )  # fmt: skip
    assert claude.times == 1
    told = [finding.message for finding in reading()]
    assert "reported idle while its screen showed blocked, 2 times" in told


def test_a_damaged_file_is_as_none(home: Path) -> None:
    report_faults.add("codex", "", FOUND, 10.0)
    path = state_home() / report_faults.FILE
    path.write_text('{"records": [{"agent": 1}, 7, {}]}')
    assert report_faults.load() == []
    path.write_text("not JSON")
    assert report_faults.load() == []
    report_faults.add("codex", "", FOUND, 10.0)
    assert len(report_faults.load()) == 1
