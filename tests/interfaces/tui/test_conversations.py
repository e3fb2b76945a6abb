from pathlib import Path

from tests.factories.archive import START, conversation
from tests.interfaces.tui.driving import browsing, put, run, screen, settle

from dejavu.model import Conversation, Role, Text, Turn


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
            assert listed.length() == 102
            for _ in range(4):
                await pilot.press("G")
            await settle(pilot, lambda: "title 229" in screen(pilot.app))
            assert listed.length() == 231
            assert "229" not in screen(pilot.app).splitlines()[-2]

    run(task())


def _one(n: int) -> Conversation:
    turn = Turn(role=Role.USER, parts=(Text(f"title {n}"),), at=START + n)
    return conversation(str(n), "amp", f"/work/w{n % 2}", START, turn)


def test_what_comes_in_is_listed_and_the_cursor_stays(home: Path) -> None:
    put(home, *(_one(n) for n in range(6)))

    async def task() -> None:
        async with browsing(home) as pilot:
            await settle(pilot, lambda: "title 5" in screen(pilot.app))
            await pilot.press("down", "down")
            listed = pilot.app.query_one("#list")
            assert listed.summary(listed.cursor).title == "title 3"
            await pilot.pause(1.2)
            put(home, _one(9))
            await settle(pilot, lambda: "title 9" in screen(pilot.app))
            assert listed.summary(listed.cursor).title == "title 3"

    run(task())


def test_a_list_at_its_beginning_shows_what_is_new_and_another_stays_where_it_is(
    home: Path,
) -> None:
    put(home, *(_one(n) for n in range(60)))

    async def task() -> None:
        async with browsing(home, (120, 24)) as pilot:
            await settle(pilot, lambda: "title 59" in screen(pilot.app))
            listed = pilot.app.query_one("#list")
            await pilot.pause(1.2)
            put(home, _one(90))
            await settle(pilot, lambda: "title 90" in screen(pilot.app))
            assert (listed.scroll_y, listed.summary(listed.cursor).title) == (0, "title 59")
            await pilot.press("ctrl+f", "ctrl+d", "ctrl+u", "ctrl+d")
            await pilot.pause(0.3)
            here, line = listed.summary(listed.cursor), listed.top(listed.cursor) - listed.scroll_y
            assert listed.scroll_y > 10
            put(home, _one(91))
            await settle(pilot, lambda: listed._outline.rows[1].summary.title == "title 91")
            await pilot.pause(0.3)
            assert listed.summary(listed.cursor) == here
            assert listed.top(listed.cursor) - listed.scroll_y == line
            await pilot.press("ctrl+b", "ctrl+b", "ctrl+b")
            await settle(pilot, lambda: "title 91" in screen(pilot.app))

    run(task())


def test_places_open_and_close_by_keys_and_the_border_by_mouse(home: Path) -> None:
    put(home, *(_one(n) for n in range(6)))

    async def task() -> None:
        async with browsing(home, (200, 60)) as pilot:
            await pilot.press("2")
            await settle(pilot, lambda: "▸ w1" in screen(pilot.app))
            assert all("title" not in line[:40] for line in screen(pilot.app).splitlines())
            await pilot.press("right", "down")
            await settle(pilot, lambda: "title 5" in screen(pilot.app))
            await pilot.press("left", "left")
            await settle(pilot, lambda: "▸ w1" in screen(pilot.app))
            assert "▾" not in screen(pilot.app)
            listed = pilot.app.query_one("#list")
            border = screen(pilot.app).splitlines()[listed.region.y]
            await pilot.click("#list", offset=(border.index("Agents") + 1, 0))
            await settle(pilot, lambda: "▸ amp" in screen(pilot.app))
            await pilot.press("left_square_bracket")
            await settle(pilot, lambda: "▸ local" in screen(pilot.app))

    run(task())
