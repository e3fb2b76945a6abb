from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.model import RulePackError
from dejavu.scrapers import default_packs, load_packs
from dejavu.scrapers.packs import CompiledLine
from dejavu.scrapers.rules import LineRule, RegionRule, StateRule

MINE = 'agent = "claude"\ntitle = "Mine"\ndate = 2026-11-21\n'


def test_built_in_packs_cover_the_agents():
    agents = set(default_packs().agents)
    assert {
        "claude", "codex", "amp", "kimi", "opencode", "gemini", "qwen", "copilot", "pi", "cline",
        "aider", "cursor", "droid", "grok", "goose", "amazonq", "kiro", "auggie", "demo",
    } <= agents  # fmt: skip


def test_an_unknown_agent_gets_the_generic_pack():
    packs = default_packs()
    assert packs["nobody-knows"].spec.agent == "generic"
    assert packs["auto"].spec.agent == "generic"
    assert "nobody-knows" not in packs


def test_aliases_and_case_do_not_matter():
    packs = default_packs()
    assert packs["AMP-OLD"] is packs["amp"]


def test_an_override_of_the_same_file_replaces_the_built_in():
    packs = load_packs({"claude.toml": MINE})
    assert packs["claude"].spec.title == "Mine"
    assert default_packs()["claude"].spec.title != "Mine"


def test_an_override_of_a_new_name_is_added():
    packs = load_packs({"own.toml": MINE.replace("claude", "own")})
    assert packs["own"].spec.title == "Mine"
    assert "claude" in packs


def test_a_broken_override_is_refused():
    with pytest.raises(RulePackError, match=r"claude\.toml, line 4"):
        load_packs({"claude.toml": MINE + "colour = 3\n"})


@pytest.mark.parametrize("agent", default_packs().agents)
def test_rules_name_only_what_exists(agent: str):
    pack = default_packs()[agent].spec
    ids = {rule.id for rule in pack.line}
    regions = {rule.name for rule in pack.region} | {rule.beyond for rule in pack.region}
    known = regions | {"transcript", "tail", "typed", "title", "progress", "prompt_mark", "screen"}
    for state in pack.state:
        assert state.region in known, state.id
    for line in pack.line:
        assert set(line.after) <= ids, line.id
    for rule in (*pack.region, *pack.state, *pack.line):
        assert isinstance(rule, RegionRule | StateRule | LineRule)
        assert rule.since is None or rule.since <= pack.date


GOLDEN = Path(__file__).resolve().parents[2] / "golden"


def alone(agent: str, row: str) -> list[str]:
    """The rules whose first row this may be, each asked by itself, to the first without conditions."""
    names: list[str] = []
    for line in default_packs()[agent].lines:
        if line.first.match(row):
            names.append(line.rule.id)
            if not line.rule.after and line.rule.near is None and not line.style_matchers:
                break
    return names


def test_remembered_rows_begin_what_they_would_begin():
    for path in sorted(GOLDEN.glob("*/*/screen.txt")):
        agent = path.parent.parent.name
        rows = path.read_text("utf-8").splitlines()
        for row in (*rows, *rows):
            found = default_packs()[agent].starting(row, None)
            assert [line.rule.id for line in found] == alone(agent, row)


@given(
    st.sampled_from(["claude", "codex", "gemini", "generic"]),
    st.text("⏺●>•✻╭│ aB1.:(/…\t$ü你", max_size=12),
)
def test_any_row_begins_what_it_would_begin(agent: str, row: str):
    pack = default_packs()[agent]
    expected = alone(agent, row)
    assert [line.rule.id for line in pack.starting(row, None)] == expected
    assert [line.rule.id for line in pack.starting(row, None)] == expected


def test_behind_a_block_that_no_rule_asks_for_only_free_rules_begin():
    pack = default_packs()["kimi"]
    row = "   what a command printed"
    assert [line.rule.id for line in pack.starting(row)] == []
    assert "response" in [line.rule.id for line in pack.starting(row, "shell")]


def test_a_pack_with_one_more_rule_remembers_anew():
    pack = default_packs()["claude"]
    assert pack.starting("%% said") == ()
    rule = LineRule(id="mine", kind="text", first="^%% ", since=pack.spec.date, note="")
    line = CompiledLine(rule)
    assert pack.with_line(line).starting("%% said") == (line,)
    assert pack.starting("%% said") == ()


@pytest.mark.parametrize(
    ("version", "older"),
    [("2.1.330", False), ("2.1.331", True), ("2.2", True), ("10.0.1-beta.9", True),
     ("2.1.9", False), ("", False), ("unknown", False)],
)  # fmt: skip
def test_a_pack_is_old_for_releases_above_those_its_rules_were_seen_on(
    version: str, older: bool
) -> None:
    rule = '[[state]]\nid = "a"\nstate = "idle"\nregion = "screen"\nany = ["x"]\n'
    rule += 'seen_on = ["2.1.40", "2.1.330"]\n'
    pack = load_packs({"claude.toml": MINE + rule})["claude"]
    assert pack.newest_seen == "2.1.330"
    assert pack.is_older_than(version) is older


def test_a_pack_that_names_no_release_is_never_old() -> None:
    assert not load_packs({"claude.toml": MINE})["claude"].is_older_than("99.0")
