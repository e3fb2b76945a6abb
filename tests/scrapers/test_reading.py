from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.scrapers import Confidence, Signals, State, default_packs, read
from dejavu.screen import Snapshot

ADVERSARIAL = sorted((Path(__file__).parent / "data" / "adversarial").glob("*.txt"))

CLAUDE = ["❯ hello", "", "● Hi.", "", "─" * 40, "❯ ", "─" * 40, "  ? for shortcuts"]


def test_an_idle_screen():
    reading = read("claude", Snapshot.from_rows(CLAUDE))
    assert (reading.state, reading.rule, reading.confidence) == (
        State.IDLE,
        "input",
        Confidence.STRONG,
    )
    assert {region.name for region in reading.regions} == {"transcript", "input", "footer"}


def test_nothing_recognised_is_unknown_with_a_reason():
    reading = read("claude", Snapshot.from_rows(["$ ls", "README.md"]))
    assert (reading.state, reading.confidence) == (State.UNKNOWN, Confidence.NONE)
    assert reading.detail == "no rule recognises this screen"
    assert read("claude", Snapshot.from_rows([""], 5)).detail == "the screen is empty"


@pytest.mark.parametrize(
    "rows",
    [
        ["> quoted", ">> more", "> "],
        ["❯ ls", "a b c", "❯"],
        ["╭────────────────╮", "│ a boxed notice │", "╰────────────────╯"],
        ["user@host:~$ ls", "user@host:~$"],
    ],
)
def test_an_agent_nobody_knows_is_not_guessed_idle(rows: list[str]):
    assert read("mystery", Snapshot.from_rows(rows)).state is State.UNKNOWN


def test_a_question_nobody_can_mistake_is_seen_whoever_asks():
    rows = ["Unpacking.", "Do you want to continue? [Y/n] "]
    assert read("mystery", Snapshot.from_rows(rows)).state is State.BLOCKED


def test_the_explanation_holds_every_rule_that_was_tried():
    reading = read("claude", Snapshot.from_rows(CLAUDE))
    tried = {(one.kind, one.rule) for one in reading.explanation}
    assert ("region", "dialog") in tried
    assert ("state", "spinner") in tried
    assert [one.rule for one in reading.explanation if one.kind == "state" and one.matched] == [
        "input"
    ]


def test_a_viewer_holds():
    rows = [*CLAUDE[:3], "  Showing detailed transcript · ctrl+o to toggle"]
    assert read("claude", Snapshot.from_rows(rows)).hold


def test_the_title_is_evidence():
    rows = [*CLAUDE[:-1], "  keys"]
    assert read("claude", Snapshot.from_rows(rows, title="◐ Claude Code")).state is State.WORKING
    assert read("claude", Snapshot.from_rows(rows, title="✳ Claude Code")).state is State.IDLE


def test_an_error_counts_only_at_the_end():
    failed = ["❯ go", "", "● API Error: 400 refused", ""]
    assert read("claude", Snapshot.from_rows(failed + CLAUDE[4:])).state is State.ERROR
    assert read("claude", Snapshot.from_rows(failed + CLAUDE)).state is State.IDLE
    typed = [*failed, CLAUDE[4], "❯ and again", *CLAUDE[6:]]
    assert read("claude", Snapshot.from_rows(typed)).state is State.IDLE


def test_text_left_of_the_cursor_tells_typing_from_a_placeholder():
    rows = ["■ boom", "", "", "› Ask Codex to do anything", "", "  gpt-5 · ~/project"]
    assert read("codex", Snapshot.from_rows(rows, cursor=(3, 2))).state is State.ERROR
    assert read("codex", Snapshot.from_rows(rows, cursor=(3, 9))).state is State.IDLE


def test_an_unknown_agent_is_read_with_care():
    rows = ["said", "", "╭" + "─" * 30 + "╮", "│ >" + " " * 28 + "│", "╰" + "─" * 30 + "╯"]
    reading = read("some-agent", Snapshot.from_rows(rows))
    assert (reading.state, reading.confidence) == (State.IDLE, Confidence.WEAK)


@pytest.mark.parametrize("path", ADVERSARIAL, ids=lambda path: path.stem)
def test_prose_that_quotes_chrome_is_no_chrome(path: Path):
    head, _, body = path.read_text(encoding="utf-8").partition("\n")
    agent, expected, *title = head.removeprefix("# ").split(" ", 2)
    snapshot = Snapshot.from_rows(body.removesuffix("\n").split("\n"), title="".join(title))
    reading = read(agent, snapshot)
    assert (str(reading.state), reading.rule) == (expected, reading.rule)


glyphs = st.text("─│╭╮╰╯❯›>●•┃▀█ ✻⠋…0123456789abc()[]?/\u200d你", max_size=60)


@given(
    st.sampled_from([*default_packs().agents, "auto"]), st.lists(glyphs, min_size=1, max_size=30)
)
def test_reading_never_raises(agent: str, rows: list[str]):
    reading = read(agent, Snapshot.from_rows(rows, 60), signals=Signals("3;0", "A;"))
    for region in reading.regions:
        assert 0 <= region.top <= region.bottom <= len(rows)
        assert 0 <= region.left <= region.right <= 60


def test_a_screen_that_only_the_rules_for_any_agent_know_is_read_weakly() -> None:
    rows = [*[""] * 10, "⠹ Considering it… (12s · esc to interrupt)", "", "╭" + "─" * 40 + "╮"]
    rows += ["│ >" + " " * 38 + "│", "╰" + "─" * 40 + "╯"]
    snapshot = Snapshot.from_rows(rows, 80)
    alone = read("auto", snapshot)
    assert alone.state is State.WORKING
    for agent in ("vibe", "aider", "hermes"):
        reading = read(agent, snapshot)
        assert reading.state is State.WORKING, agent
        assert reading.agent == agent
        if reading.rule.startswith("generic:"):
            assert reading.confidence is Confidence.WEAK


def test_a_screen_that_nobody_knows_stays_unknown() -> None:
    snapshot = Snapshot.from_rows(["make: Nothing to be done", "", "total 12"], 80)
    for agent in ("claude", "vibe", "auto"):
        assert read(agent, snapshot).state is State.UNKNOWN
