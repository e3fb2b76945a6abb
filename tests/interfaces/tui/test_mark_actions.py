from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from tests.interfaces.tui.driving import browsing, run, screen, settle
from textual.widgets import Input

from dejavu.archive import Archive
from dejavu.model import Conversation


def _after(home: Path, steps: Callable[[Any], Coroutine[Any, Any, None]]) -> list[Conversation]:
    """What the archive has after somebody pressed keys in a browser that shows the newest."""

    async def task() -> None:
        async with browsing(home, (80, 24)) as pilot:
            await settle(pilot, lambda: pilot.app.conversation_view.summary is not None)
            await steps(pilot)

    run(task())
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        return list(archive.scan())


def test_star_tag_and_rename_the_open_conversation(
    archived: list[Conversation], home: Path
) -> None:
    async def steps(pilot: Any) -> None:
        await pilot.press("asterisk")
        await settle(pilot, lambda: "★" in screen(pilot.app))
        await pilot.press("number_sign", *"bug", "enter")
        await settle(pilot, lambda: "#bug" in screen(pilot.app))
        await pilot.press("T")
        await settle(pilot, lambda: "Rename" in screen(pilot.app))
        await pilot.press("home", *"Mine", "enter")
        await settle(pilot, lambda: "Mine" in screen(pilot.app) and "Renamed" in screen(pilot.app))

    newest = _after(home, steps)[0]
    assert newest.id == archived[0].id
    assert (newest.starred, newest.tags, newest.title[:4]) == (True, ("bug",), "Mine")
    assert newest.agent_title == archived[0].title


def test_all_selected_go_and_come_back(archived: list[Conversation], home: Path) -> None:
    async def steps(pilot: Any) -> None:
        await pilot.press("space", "space")
        await settle(pilot, lambda: screen(pilot.app).count("✓") == 2)
        await pilot.press("D")
        await settle(pilot, lambda: "Delete 2 conversations from the archive?" in screen(pilot.app))
        await pilot.press("y")
        await settle(pilot, lambda: "2 conversations deleted" in screen(pilot.app))
        await pilot.press("U")
        await settle(pilot, lambda: "2 conversations brought" in screen(pilot.app))

    assert {one.id for one in _after(home, steps)} == {one.id for one in archived}


def test_any_other_key_deletes_nothing(archived: list[Conversation], home: Path) -> None:
    async def steps(pilot: Any) -> None:
        await pilot.press("D")
        await settle(pilot, lambda: "[y/N]" in screen(pilot.app))
        await pilot.press("enter")
        await settle(pilot, lambda: "[y/N]" not in screen(pilot.app))

    assert len(_after(home, steps)) == len(archived)


def test_the_selected_conversations_are_exported(
    archived: list[Conversation], home: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "out"

    async def steps(pilot: Any) -> None:
        await pilot.press("space", "space", "e")
        await settle(pilot, lambda: "Export 2 conversations to" in screen(pilot.app))
        pilot.app.screen.query_one(Input).value = f"{folder}/*.md"
        await pilot.press("enter")
        await settle(pilot, lambda: "2 files written" in screen(pilot.app))

    assert len(_after(home, steps)) == len(archived)
    assert {path.name for path in folder.iterdir()} == {
        f"{one.agent}-{one.id}.md" for one in archived[:2]
    }


def test_what_cannot_be_a_tag_is_told(archived: list[Conversation], home: Path) -> None:
    async def steps(pilot: Any) -> None:
        await pilot.press("number_sign", *"a,b", "enter")
        await settle(pilot, lambda: "cannot be a tag" in screen(pilot.app))

    assert all(one.tags == () for one in _after(home, steps))


def test_the_settings_choose_the_keys(archived: list[Conversation], home: Path) -> None:
    config = home / ".config/dejavu/config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('[keys]\nstar = "f2"\nfly = "f3"\n')

    async def steps(pilot: Any) -> None:
        await settle(pilot, lambda: "fly is unknown" in screen(pilot.app))
        await pilot.press("asterisk", "f2")
        await settle(pilot, lambda: "1 conversation starred" in screen(pilot.app))

    assert [one.starred for one in _after(home, steps)] == [True, False]
