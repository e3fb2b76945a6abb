from pathlib import Path

import pytest
from tests.factories.archive import START, conversation
from tests.interfaces.tui.driving import browsing, put, run, screen, settle

from dejavu.archive import Archive
from dejavu.model import Conversation, Role, Text, Turn


@pytest.mark.parametrize("key", ["y", "e", "o", "R"])
def test_without_a_conversation_it_says_so(
    archived: list[Conversation], home: Path, key: str
) -> None:
    async def task() -> None:
        async with browsing(home, (60, 24)) as pilot:  # where none is shown beside
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


def test_copies_are_markdown_and_redacted(home: Path) -> None:
    secret = "sk-ant-api03-" + "A1b2C3d4E5f6G7h8" * 5 + "-abcdefAA"
    said = Turn(role=Role.USER, parts=(Text(f"# look\n\n`x` {secret}"),), at=START)
    answer = Turn(role=Role.ASSISTANT, parts=(Text("Done."),), at=START + 1)
    put(home, conversation("md", "codex", "/work/md", START, said, answer))

    async def task() -> None:
        async with browsing(home) as pilot:
            await pilot.press("enter", "Y")
            await settle(pilot, lambda: "## Assistant" in pilot.app.clipboard)
            assert "- Agent: codex" in pilot.app.clipboard
            assert "`x` [redacted" in pilot.app.clipboard
            assert secret not in pilot.app.clipboard
            pilot.app.action_copy_turn_markdown()
            await settle(pilot, lambda: pilot.app.clipboard.startswith("## User"))
            assert "Done." not in pilot.app.clipboard
            assert secret not in pilot.app.clipboard

    run(task())


def test_too_much_for_a_clipboard_is_refused(home: Path) -> None:
    turns = [Turn(role=Role.USER, parts=(Text("word " * 60_000),), at=START + n) for n in range(4)]
    put(home, conversation("big", "codex", "/work/big", START, *turns))

    async def task() -> None:
        async with browsing(home) as pilot:
            await pilot.press("enter", "Y")
            await settle(pilot, lambda: "too many for a clipboard" in screen(pilot.app))
            assert pilot.app.clipboard == ""

    run(task())
