from pathlib import Path

import pytest
from tests.factories.archive import START, conversation
from tests.interfaces.tui.driving import browsing, run, screen, settle

from dejavu.archive import Archive
from dejavu.model import Conversation, Role, Text, Turn


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
            await settle(pilot, lambda: pilot.app.conversation_view.summary is not None)
            pilot.app.conversation_view.summary = Conversation(id="x", agent="aider", native_id="1")
            await pilot.press("R")
            await settle(pilot, lambda: "No command is known" in screen(pilot.app))
            assert len(pilot.app.screen_stack) == 1  # no dialog was opened

    run(task())


def test_a_copy_and_an_export_are_redacted(home: Path, tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    turn = Turn(role=Role.USER, parts=(Text(f"use {token}"),), at=START)
    folder = home / ".local/share/dejavu"
    folder.mkdir(parents=True, mode=0o700)
    with Archive.open(folder / "archive") as archive:
        archive.put(conversation("s-9", "claude", "/w", START, turn))

    async def task() -> None:
        async with browsing(home) as pilot:
            await pilot.press("enter")
            await settle(pilot, lambda: pilot.app.conversation_view.summary is not None)
            await pilot.press("y")
            await settle(pilot, lambda: pilot.app.clipboard.startswith("use [redacted:"))
            assert token not in pilot.app.clipboard
            await settle(pilot, lambda: "redacted: 1 github" in screen(pilot.app))
            pilot.app.action_copy_raw()
            assert pilot.app.clipboard == f"use {token}"
            out = tmp_path / "out.md"
            pilot.app._export(out)
            assert "[redacted:github:" in out.read_text()
            assert token not in out.read_text()

    run(task())
