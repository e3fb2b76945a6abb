"""Every golden case gives today what it gave when it was kept."""

import os
import subprocess
import sys

import pytest
from tests.golden import Case, cases, difference


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_golden(case: Case) -> None:
    changed = difference(case, case.kept(), case.made())
    if changed:
        rules = "\n".join(f"{c.at:9.2f}s {c.state} by {c.rule}" for c in case.read().status)
        cure = f"`make golden-update CASE={case.name}` accepts it"
        pytest.fail(f"{changed}\nrules that decided:\n{rules}\n{cure}")


def test_there_are_cases() -> None:
    assert len(cases()) >= 3


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_a_case_says_what_it_is(case: Case) -> None:
    assert {"agent", "version", "size", "date", "why"} <= set(case.about)
    assert case.about["why"]


def test_the_update_refuses_under_ci() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.golden", "demo/tour"],
        env={**os.environ, "CI": "true"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert "never" in done.stderr
