from collections.abc import Iterator
from pathlib import Path

import pytest

from dejavu.interfaces.doctor import CHECKS, Finding, Grade, examine, registry


def test_a_fresh_home_is_healthy(home: Path) -> None:
    findings = list(examine())
    assert {finding.subject for finding in findings} >= {
        "data",
        "settings",
        "rule packs",
        "archive",
    }
    assert all(finding.grade is not Grade.BAD for finding in findings)


def test_a_check_that_fails_is_a_finding(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    def broken_check() -> Iterator[Finding]:
        raise RuntimeError("oops")
        yield

    monkeypatch.setattr(registry, "CHECKS", (broken_check, *CHECKS))
    first, *rest = examine()
    assert (first.subject, first.grade) == ("broken check", Grade.BAD)
    assert rest
