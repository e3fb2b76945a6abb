from collections.abc import Iterator
from pathlib import Path

import pytest

from dejavu.interfaces.doctor import CHECKS, Finding, Severity, registry, run_checks


def test_a_fresh_home_is_healthy(home: Path) -> None:
    findings = list(run_checks())
    assert {finding.subject for finding in findings} >= {
        "data",
        "settings",
        "rule packs",
        "archive",
    }
    assert all(finding.severity is not Severity.ERROR for finding in findings)


def test_broken_settings_are_named_once(home: Path) -> None:
    path = home / ".config/dejavu/config.toml"
    path.parent.mkdir(parents=True)
    path.write_text("x = [")
    found = [one for one in run_checks() if "config.toml" in one.message]
    assert [(one.subject, one.severity) for one in found] == [("settings", Severity.ERROR)]


def test_a_check_that_fails_is_a_finding(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    def broken_check() -> Iterator[Finding]:
        raise RuntimeError("oops")
        yield

    monkeypatch.setattr(registry, "CHECKS", (broken_check, *CHECKS))
    first, *rest = run_checks()
    assert (first.subject, first.severity) == ("broken check", Severity.ERROR)
    assert rest
