"""Every golden case reads today as its folder says."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.golden import ROOT, Case, cases, difference

from dejavu.scrapers import default_packs
from dejavu.scrapers.packs import GENERIC

SCREENS = [case for case in cases() if not case.is_recording]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_golden(case: Case) -> None:
    changed = difference(case, case.expected(), case.actual())
    if changed:
        if case.is_recording:
            rules = "\n".join(f"{c.at:9.2f}s {c.state} by {c.rule}" for c in case.read().status)
        else:
            rules = case.reading().rule
        fix = f"`make golden-update CASE={case.name}` accepts it"
        pytest.fail(f"{changed}\nrules that decided:\n{rules}\n{fix}")


@pytest.mark.parametrize("case", SCREENS, ids=lambda case: case.name)
def test_a_screen_has_the_state_its_author_says(case: Case) -> None:
    """`reading.json` can be rewritten by a command; `state` is written by a person."""
    assert case.reading().state == case.facts["state"]


@pytest.mark.parametrize("agent", [*default_packs().agents, GENERIC])
def test_every_pack_has_a_case(agent: str) -> None:
    assert any(case.facts["agent"] == agent for case in cases())


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_a_case_says_what_it_is(case: Case) -> None:
    assert {"agent", "version", "size", "date", "why"} <= set(case.facts)
    assert case.facts["why"]
    if not case.is_recording:
        assert isinstance(case.facts["observed"], bool)


@pytest.mark.parametrize("arguments", [["demo/tour"], ["demo/new", "--from", "screen.txt"]])
def test_the_update_refuses_under_ci(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "screen.txt").write_text("> \n", "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "tests.golden", *arguments],
        env={**os.environ, "CI": "true", "PYTHONPATH": str(ROOT.parent)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert "never" in done.stderr
    assert not (ROOT / "demo" / "new").exists()
