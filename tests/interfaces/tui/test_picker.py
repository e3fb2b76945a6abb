"""Choosing a project or an agent, by keys."""

from typing import Any

from tests.interfaces.tui.driving import run, screen

from dejavu.archive import Counts
from dejavu.interfaces.tui.picker import Picker
from dejavu.interfaces.tui.theme import ThemedApp

COUNTS = Counts(
    conversations=5, turns=9, sources=5, raw_bytes=0, stored_bytes=0, log_entries=0,
    by_agent={"amp": 2, "claude": 3}, by_workspace={}, by_project={"/w/\x1b[2Jone": 5},
)  # fmt: skip


async def _choose(*keys: str) -> tuple[str, Any]:
    chosen: list[Any] = []
    app: ThemedApp[None] = ThemedApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(Picker(COUNTS), chosen.append)
        await pilot.pause()
        shown = screen(app)
        await pilot.press(*keys)
        await pilot.pause()
    return shown, chosen[0]


def test_the_first_row_takes_the_filter_away_and_the_rest_set_one() -> None:
    async def task() -> None:
        shown, everything = await _choose("enter")
        assert everything == {}
        assert "agent: claude" in shown
        assert "\x1b" not in shown
        assert (await _choose("down", "enter"))[1] == {"project": "/w/\x1b[2Jone"}
        assert (await _choose("down", "down", "enter"))[1] == {"agent": "amp"}
        assert (await _choose("escape"))[1] is None

    run(task())


def test_typing_narrows_the_list() -> None:
    async def task() -> None:
        assert (await _choose(*"CLAU", "enter"))[1] == {"agent": "claude"}
        assert (await _choose(*"agent", "down", "enter"))[1] == {"agent": "claude"}
        assert (await _choose(*"qwj", "enter", "escape"))[1] is None  # letters, and no such name
        assert (await _choose("down", "down", *"am", "enter"))[1] == {"agent": "amp"}

    run(task())
