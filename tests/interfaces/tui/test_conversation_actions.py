from pathlib import Path

import pytest
from tests.interfaces.tui.driving import browsing, run, screen, settle

from dejavu.model import Conversation


@pytest.mark.parametrize("key", ["y", "e", "o", "R"])
def test_without_a_conversation_it_says_so(
    archived: list[Conversation], home: Path, key: str
) -> None:
    async def task() -> None:
        async with browsing(home) as pilot:
            await pilot.press(key)
            await settle(pilot, lambda: "Open a conversation first." in screen(pilot.app))
            assert pilot.app.return_value is None
            assert len(pilot.app.screen_stack) == 1  # nothing was opened on top

    run(task())


def test_an_agent_that_cannot_go_on_is_named(archived: list[Conversation], home: Path) -> None:
    async def task() -> None:
        async with browsing(home) as pilot:
            await pilot.press("enter")
            await settle(pilot, lambda: pilot.app.conversation_view.head is not None)
            pilot.app.conversation_view.head = Conversation(id="x", agent="aider", native_id="1")
            await pilot.press("R")
            await settle(pilot, lambda: "No command is known" in screen(pilot.app))
            assert len(pilot.app.screen_stack) == 1  # no dialog was opened

    run(task())
