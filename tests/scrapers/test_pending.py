import pytest

from dejavu.scrapers import Pending, pending_on_screen, read
from dejavu.scrapers.pending import merged, running_in
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


def test_sources_that_tell_of_the_same_are_not_added_up():
    shell, task = (Pending("shell", 1),), (Pending("task", 2),)
    assert merged(shell, task) == (Pending("shell", 1), Pending("task", 1))
    assert merged(shell, (Pending("shell", 3),)) == (Pending("shell", 3),)
    assert merged() == ()
    assert running_in("2 background agents running") == (Pending("agent", 2),)
    assert running_in("12 shells") == ()
