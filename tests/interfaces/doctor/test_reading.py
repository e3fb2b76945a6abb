"""What the doctor says of how well screens are read."""

from pathlib import Path

from dejavu.interfaces.doctor.finding import Severity
from dejavu.interfaces.doctor.sessions import reading
from dejavu.scrapers.self_check import Agreement
from dejavu.sessions.reading_scores import add


def test_a_score_below_the_bar_is_a_warning_with_a_way_out(home: Path) -> None:
    assert list(reading()) == []
    add("claude", "2.1.400", (80, 24), "p", Agreement(20, 10.0), 1000.0)
    add("kimi", "1.0", (80, 24), "p", Agreement(20, 20.0), 1000.0)
    add("pi", "", (80, 24), "p", Agreement(1, 0.0), 1000.0)
    findings = {finding.subject: finding for finding in reading()}
    low = findings["claude 2.1.400 screen"]
    assert (low.severity, low.facts["score"], bool(low.fix)) == (Severity.WARNING, 0.5, True)
    assert findings["kimi 1.0 screen"].severity is Severity.OK
    assert "too few" in findings["pi screen"].message
    config = home / ".config/dejavu/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[capture]\nreading_bar = 0.4\n")
    assert {finding.severity for finding in reading()} == {Severity.OK}
