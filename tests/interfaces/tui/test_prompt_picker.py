from pathlib import Path
from typing import Any

import pytest
from tests.interfaces.tui.driving import run, screen, settle

from dejavu.archive import Archive
from dejavu.model import Conversation, Role, Text, Turn


def _picked(home: Path, *keys: str, wanted: str = "retry_budget") -> str | None:
    from dejavu.interfaces.tui.prompt_picker import PromptPicker

    results: list[str | None] = []

    async def task() -> None:
        with Archive.open(home / ".local/share/dejavu/archive") as archive:
            app: Any = PromptPicker(archive)
            async with app.run_test(size=(60, 14)) as pilot:
                await settle(pilot, lambda: wanted in screen(app))
                await pilot.press(*keys)
                await pilot.pause()
                results.append(app.return_value)

    run(task())
    return results[0]


def test_enter_resumes_and_tab_takes_the_prompt(archived: list[Conversation], home: Path) -> None:
    assert _picked(home, "enter") == f"dejavu resume {archived[0].id}"
    assert _picked(home, "down", "enter") == f"dejavu resume {archived[1].id}"
    assert _picked(home, "down", "tab") == "'Why does retry_budget run dry?'"


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
def test_it_is_left_without_a_choice(archived: list[Conversation], home: Path, key: str) -> None:
    assert _picked(home, key) is None


def test_typing_narrows(archived: list[Conversation], home: Path) -> None:
    assert _picked(home, *"budget", "enter") == f"dejavu resume {archived[1].id}"
    assert _picked(home, *"zzzz", "enter") is None


def test_an_id_that_a_member_chose_is_one_word_of_the_shell(home: Path) -> None:
    """In a team's archive an id is what its writer says."""
    identity = "x;touch ran $(touch ran)\n'"
    held = Conversation(id=identity, agent="x", native_id="n", title="mine", started_at=1.7e9)
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        archive.put(held.with_turns((Turn(role=Role.USER, parts=(Text("hi"),)),)))
    picked = _picked(home, "enter", wanted="mine")
    assert picked == "dejavu resume 'x;touch ran $(touch ran) '\\'''"
