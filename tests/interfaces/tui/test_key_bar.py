from pathlib import Path
from typing import Any

import pytest
from tests.interfaces.tui.driving import SIZES, browsing, long, put, run, screen, settle

from dejavu.interfaces.tui.key_bar import KeyBar


def _last(pilot: Any) -> str:
    return screen(pilot.app).splitlines()[-1].rstrip()


@pytest.mark.parametrize("size", [(40, 12), *SIZES])
def test_help_and_the_way_out_are_always_told(home: Path, size: tuple[int, int]) -> None:
    put(home, long(4))

    async def task() -> None:
        async with browsing(home, size) as pilot:
            for key in ("down", "enter"):
                await pilot.press(key)
                await settle(pilot, lambda: _last(pilot).endswith("? Help  q Quit"))
                assert len(_last(pilot)) <= size[0]
            await pilot.press("s")
            await settle(pilot, lambda: _last(pilot).endswith("Answers  esc Leave"))
            assert len(_last(pilot)) <= size[0]

    run(task())


def test_a_click_is_the_key(home: Path) -> None:
    put(home, long(4))

    async def task() -> None:
        async with browsing(home) as pilot:
            at = screen(pilot.app).splitlines()[-1].index("? Help")
            assert "search as you type" not in screen(pilot.app)
            await pilot.click(KeyBar, offset=(at, 0))
            await settle(pilot, lambda: "search as you type" in screen(pilot.app))

    run(task())
