from pathlib import Path

from tests.surfaces.conftest import START, conversation
from tests.surfaces.tui.driving import browsing, put, run, screen, settle

from dejavu.record import Role, Text, Turn


def test_heads_come_in_pages_as_one_scrolls(home: Path) -> None:
    every = [
        conversation(str(n), "amp", "/work/w", START,
                     Turn(role=Role.USER, parts=(Text(f"title {n}"),), at=START - n))
        for n in range(230)
    ]  # fmt: skip
    put(home, *every)

    async def task() -> None:
        async with browsing(home) as pilot:
            listed = pilot.app.query_one("#list")
            assert listed.length() == 100
            for _ in range(4):
                await pilot.press("G")
            await settle(pilot, lambda: "title 229" in screen(pilot.app))
            assert listed.length() == 230
            assert "229" not in screen(pilot.app).splitlines()[-2]

    run(task())
