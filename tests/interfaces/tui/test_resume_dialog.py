from pathlib import Path

import pytest
from tests.interfaces.tui.driving import browsing, run, screen, settle

from dejavu.interfaces.tui.conversation_actions import ResumeRequest
from dejavu.interfaces.tui.resume_dialog import hindrance
from dejavu.model import Conversation


def _claude(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    (folder / "claude").write_text("#!/bin/sh\n")
    (folder / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def test_the_command_is_shown_and_copied(archived: list[Conversation], home: Path) -> None:
    async def task() -> None:
        async with browsing(home) as pilot:
            await pilot.press("down", "enter", "R")
            await settle(pilot, lambda: "claude --resume s-1" in screen(pilot.app))
            assert "cannot run here" in screen(pilot.app)
            await pilot.press("enter", "y")
            await settle(pilot, lambda: "resume s-1" in pilot.app.clipboard)
            assert pilot.app.clipboard == "cd /work/retry && claude --resume s-1"

    run(task())


def test_where_it_can_run_one_key_leaves_for_it(
    archived: list[Conversation], home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _claude(tmp_path / "bin", monkeypatch)
    monkeypatch.setattr(Path, "is_dir", lambda _self: True)

    async def task() -> None:
        async with browsing(home) as pilot:
            await pilot.press("down", "enter", "R")
            await settle(pilot, lambda: "leave the browser and run it" in screen(pilot.app))
            await pilot.press("enter")
            await settle(pilot, lambda: pilot.app.return_value is not None)
            assert pilot.app.return_value == ResumeRequest(archived[1].id)

    run(task())


def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = Conversation(id="c", agent="claude", native_id="s", workspace=str(tmp_path / "gone"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "not on the PATH" in hindrance(summary)
    _claude(tmp_path / "bin", monkeypatch)
    assert "no folder" in hindrance(summary)
    (tmp_path / "gone").mkdir()
    assert hindrance(summary) == ""
