import pytest

from dejavu.redact import Redactor
from dejavu.scrapers import Pending, pending_on_screen, read
from dejavu.scrapers.pending import merged, named, running_in
from dejavu.scrapers.situations import SituationReader
from dejavu.screen import Snapshot

RULE = "─" * 60


def on_screen(agent: str, *rows: str) -> list[tuple[str, int]]:
    layout = read(agent, Snapshot.from_rows(rows)).layout
    return [(entry.kind, entry.count) for entry in pending_on_screen(layout)]


def claude(last: str, footer: str) -> list[tuple[str, int]]:
    return on_screen("claude", "❯ go", "", "● Done.", "", last, "", RULE, "❯ ", RULE, footer)


@pytest.mark.parametrize(
    ("last", "footer", "expected"),
    [
        ("✻ Baked for 12s · 1 shell still running", "  ? for shortcuts", [("shell", 1)]),
        ("✻ Baked for 12s", "  ⏵⏵ auto mode on · 2 shells · ← for agents", [("shell", 2)]),
        (
            "✻ Baked for 12s · 1 shell still running",
            "  ⏵⏵ auto mode on (shift+tab to cycle) · 1 shell · ← for agents",
            [("shell", 1)],
        ),
        (
            "✻ Baked for 1s · 1 shell, 2 MCP tasks still running",
            "  ? for shortcuts",
            [("mcp", 2)],
        ),
        ("✻ Baked for 12s", "  ? for shortcuts · 3 files changed", []),
        ("  I left 1 shell still running.", "  ? for shortcuts", []),
    ],
)
def test_what_runs_behind_stands_around_the_input(
    last: str, footer: str, expected: list[tuple[str, int]]
):
    assert claude(last, footer) == expected


def test_queued_inputs_are_counted():
    rows = [
        "• Fixing bug (3m 22s • esc to interrupt)", "", "• Queued follow-up inputs",
        "  ↳ also update the docs", "  ↳ and the tests", "    alt + ↑ edit last queued message",
        "", "› Explain this codebase", "", "  gpt-5.5 high · ~/p · 81% context left",
    ]  # fmt: skip
    assert on_screen("codex", *rows) == [("queued", 2)]


def test_queued_inputs_are_named_with_their_secrets_replaced():
    key = "sk-ant-api03-" + "A1b2C3d4E5f6G7h8" * 5 + "-abcdefAA"
    rows = [
        "• Fixing bug (3m 22s • esc to interrupt)", "", "• Queued follow-up inputs",
        "  ↳ also update the docs", f"  ↳ use {key}", "    alt + ↑ edit last queued message",
        "", "› Explain this codebase", "", "  gpt-5.5 high · ~/p · 81% context left",
    ]  # fmt: skip
    shown = Snapshot.from_rows(rows, 140)
    reading = read("codex", shown)
    situation = SituationReader(Redactor(b"k" * 32)).read(reading.state, None, reading, shown)
    (queued,) = situation.pending
    assert (queued.count, queued.names[0]) == (2, "also update the docs")
    assert queued.names[1].startswith("use [")
    assert "A1b2C3d4" not in str(situation)


def test_names_are_never_more_than_what_is_counted():
    entries = (Pending("shell", 1), Pending("task", 1, ("build",)))
    names = [("shell", "npm run dev"), ("shell", "tail"), ("task", "other")]
    assert named(entries, names) == (
        Pending("shell", 1, ("npm run dev",)), Pending("task", 1, ("build",)),
    )  # fmt: skip
    assert merged((Pending("shell", 2, ("a", "b")),), (Pending("shell", 3),)) == (
        Pending("shell", 3, ("a", "b")),
    )


def test_sources_that_tell_of_the_same_are_not_added_up():
    shell, task = (Pending("shell", 1),), (Pending("task", 2),)
    assert merged(shell, task) == (Pending("shell", 1), Pending("task", 1))
    assert merged(shell, (Pending("shell", 3),)) == (Pending("shell", 3),)
    assert merged() == ()
    assert running_in("2 background agents running") == (Pending("agent", 2),)
    assert running_in("12 shells") == ()
