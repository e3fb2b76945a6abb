import time
from pathlib import Path

from tests.factories.sessions import start

from dejavu.config.paths import private_folder, state_home
from dejavu.interfaces.doctor.finding import Severity
from dejavu.interfaces.doctor.sessions import observer_log, running
from dejavu.sessions import session_store as sessions


def test_a_killed_session_is_noted_with_a_cure(home: Path) -> None:
    folder = start("20260101-000000-aaaa", "working", live=False)
    known = sessions.read_json(folder / "session.json")
    sessions.write_json(folder / "session.json", {**known, "started_at": time.time()})
    first, killed = running()
    assert first.message == "0 running, 1 ended"
    assert killed.severity is Severity.WARNING
    assert "sync --agent amp" in killed.fix


def test_faults_in_the_log_are_counted(home: Path) -> None:
    assert list(observer_log()) == []
    log = private_folder(state_home()) / "observer.log"
    log.write_text("Traceback (most recent call last)\n" * 2)
    (finding,) = observer_log()
    assert (finding.severity, finding.message.split()[0]) == (Severity.WARNING, "2")
