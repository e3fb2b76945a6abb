"""Counts and marks, as less and vim have them."""

from pathlib import Path

import pytest
from tests.interfaces.tui.driving import browsing, long, put, run, screen, settle


@pytest.mark.parametrize(
    ("keys", "turn"),
    [
        ("12G", 11), ("12g", 11), ("5j", 5), ("20j", 20), ("2]", 8), ("G3k", 196), ("9999j", 199),
        ("0j", 1), ("10j5j", 15), ("99999G", 199), ("7Gg", 0),
    ],
)  # fmt: skip
def test_a_number_says_how_often_or_which(home: Path, keys: str, turn: int) -> None:
    put(home, long(200))

    async def task() -> None:
        async with browsing(home) as pilot:
            await pilot.press("enter")
            await settle(pilot, lambda: "Question number 0." in screen(pilot.app))
            await pilot.press(*(key.replace("]", "right_square_bracket") for key in keys))
            await settle(pilot, lambda: pilot.app.conversation_view.current == turn)

    run(task())


def test_a_number_that_leads_to_nothing_is_forgotten(home: Path) -> None:
    put(home, long(50))

    async def task() -> None:
        async with browsing(home) as pilot:
            await pilot.press("enter", "7", "tab", "shift+tab", "j")
            await settle(pilot, lambda: pilot.app.conversation_view.current == 1)

    run(task())


def test_marks_and_the_way_back(home: Path) -> None:
    put(home, long(200))

    async def task() -> None:
        async with browsing(home) as pilot:
            view = pilot.app.conversation_view
            await pilot.press("enter", "5", "j", "m", "a")
            await settle(pilot, lambda: "is marked a" in screen(pilot.app))
            await pilot.press("G")
            await settle(pilot, lambda: view.current == 199)
            await pilot.press("apostrophe")
            await settle(pilot, lambda: "in use: a" in screen(pilot.app))
            await pilot.press("a")
            await settle(pilot, lambda: view.current == 5)
            await pilot.press("apostrophe", "apostrophe")
            await settle(pilot, lambda: view.current == 199)
            await pilot.press("apostrophe", "z")
            await settle(pilot, lambda: "no mark z" in screen(pilot.app))
            await pilot.press("apostrophe", "escape", "m", "f1")
            await settle(pilot, lambda: len(pilot.app.screen_stack) == 1)
            assert view.current == 199

    run(task())
