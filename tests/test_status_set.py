"""The public set of labelled screens: every file is whole, and a tool is scored on what it prints."""

import sys
from collections import Counter
from pathlib import Path

import pytest
from benchmarks.scrapers import conformance
from benchmarks.scrapers.left_out import without
from benchmarks.scrapers.status_set import (
    STATES,
    by_packs,
    by_tool,
    is_right,
    load,
    run,
    score,
    table,
)

from dejavu.scrapers import default_packs

REPO = Path(__file__).resolve().parent.parent


def test_every_screen_has_its_facts() -> None:
    screens = load()
    assert len(screens) >= 300
    assert {screen.state for screen in screens} == set(STATES)
    for screen in screens:
        assert screen.reason.endswith("."), screen.name
        assert screen.origin in ("ours", "rebuilt")
        assert set(screen.also) <= set(STATES) - {screen.state}
        assert len(screen.rows) <= max(screen.size[1], 40), screen.name
        if screen.origin == "rebuilt":
            assert screen.source.startswith(("https://", "a public ")), screen.name
    assert sum(screen.origin == "rebuilt" for screen in screens) >= 50
    held_out = [screen for screen in screens if not screen.tuned]
    assert len(held_out) >= 60
    assert {screen.origin for screen in held_out} == {"ours", "rebuilt"}
    looks = Counter((screen.agent, screen.state, screen.rows) for screen in screens)
    assert max(looks.values()) == 1, "two screens of one agent are the same"


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("print('idle')", "idle"),
        ("print('STATE: Running!')", "working"),
        ("import os; print('waiting' if os.environ['STATUS_AGENT'] == 'claude' else '?')", "blocked"),
        ("import sys; print('busy' if '❯' in sys.stdin.read() else 'idle')", "working"),
        ("raise SystemExit(3)", "unknown"),
        ("print('no such thing')", "unknown"),
    ],
)  # fmt: skip
def test_a_tools_word_is_understood(tmp_path: Path, program: str, said: str) -> None:
    script = tmp_path / "tool.py"
    script.write_text(program)
    (screen,) = [s for s in load() if s.name == "claude/rebuilt-plan-approval-blocked"]
    assert by_tool(f"{sys.executable} {script} {{agent}}")(screen) == said


def test_an_agents_own_pack_reads_no_screen_set_worse_than_the_rules_for_any_agent() -> None:
    figures: dict[str, Counter[str]] = {}
    for screen in load():
        agent = default_packs()[screen.agent].spec.agent
        if agent == "generic":
            continue
        of_agent = figures.setdefault(agent, Counter())
        for by, packs in (("own", None), ("any", without(agent))):
            got = by_packs(packs)(screen)
            of_agent[f"{by} right"] += is_right(screen, got)
            of_agent[f"{by} wrong"] += got != "unknown" and not is_right(screen, got)
    worse = {
        agent: dict(of_agent) for agent, of_agent in figures.items()
        if of_agent["own right"] < of_agent["any right"] or of_agent["own wrong"] > of_agent["any wrong"]
    }  # fmt: skip
    assert worse == {}


def test_the_conformance_table_is_what_its_command_writes() -> None:
    text = conformance.README.read_text("utf-8")
    assert conformance.with_table(text, conformance.table()) == text, (
        "python -m benchmarks.scrapers.conformance --write"
    )
    rows = list(conformance.rows(run(load(), lambda _: "idle")))
    assert rows[-1].startswith(f"| all | | {len(load())} |")
    assert rows[-1].endswith(f"| 0 of {sum(one.state == 'blocked' for one in load())} |")


def test_a_tool_that_always_says_idle_is_wrong_and_confident() -> None:
    verdicts = run(load(), lambda _: "idle")
    figures = score(verdicts)
    assert figures["wrong"] > 0.4
    assert (figures["blocked_R"], figures["blocked_P"], figures["abstained"]) == (0.0, 1.0, 0.0)
    silent = score(run(load(), lambda _: "unknown"))
    assert (silent["wrong"], silent["right"] < 0.1) == (0.0, True)
    assert {"all", "not tuned on", "origin rebuilt"} <= set(table(verdicts))


def test_our_own_command_is_a_tool() -> None:
    (screen,) = [s for s in load() if s.name == "claude/rebuilt-plan-approval-blocked"]
    ask = by_tool(f"{sys.executable} -m dejavu explain - --agent {{agent}}")
    assert ask(screen) == "blocked"


def test_a_command_that_does_not_exist_is_named() -> None:
    with pytest.raises(SystemExit, match="no-such-tool"):
        by_tool("no-such-tool")(load()[0])
