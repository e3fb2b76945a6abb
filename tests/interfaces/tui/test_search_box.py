from pathlib import Path

from tests.interfaces.tui.driving import browsing, run, screen, settle

from dejavu.interfaces.search_answer import NOTHING
from dejavu.model import Conversation


def test_an_answer_to_an_older_question_is_dropped(
    archived: list[Conversation], home: Path
) -> None:
    async def task() -> None:
        async with browsing(home) as pilot:
            box = pilot.app.query_one("#search")
            await pilot.press("slash", *"never")
            await settle(pilot, lambda: pilot.app._hits.is_attached)
            assert pilot.app._hits.length() == 1
            box.post_message(box.Answered("older", NOTHING))
            await pilot.pause(0.1)
            assert pilot.app._hits.length() == 1
            await pilot.press("escape")
            await settle(pilot, lambda: "Recent" in screen(pilot.app))
            assert box.query_text == ""

    run(task())


def test_enter_before_the_answer_goes_to_the_answer(
    archived: list[Conversation], home: Path
) -> None:
    async def task() -> None:
        async with browsing(home) as pilot:
            await pilot.press("slash", *"never", "enter")
            await settle(pilot, lambda: pilot.app._hits.has_focus)
            assert pilot.app._search.value == "never"

    run(task())
