"""What people come for, by keys: find, read, copy, take along; at three sizes."""

import gc
from pathlib import Path
from typing import Any

import pytest
from tests.factories.archive import START, conversation
from tests.interfaces.tui import pictures
from tests.interfaces.tui.driving import SIZES, browsing, long, put, run, screen, settle

from dejavu.archive import Archive
from dejavu.model import Conversation, Role, Text, Turn


@pytest.fixture(autouse=True)
def _colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.mark.parametrize("size", SIZES)
def test_walk_read_and_unfold(
    archived: list[Conversation], home: Path, size: tuple[int, int]
) -> None:
    async def task() -> None:
        async with browsing(home, size) as pilot:
            assert "Why does retry_budget" in screen(pilot.app) or size[0] == 80
            assert "2" in screen(pilot.app)
            await pilot.press("down", "enter")
            await settle(pilot, lambda: "is never called" in screen(pilot.app))
            shown = screen(pilot.app)
            assert "❯ You" in shown
            assert "▸ Bash" in shown
            assert "**never**" not in shown
            assert "line 3" not in shown
            await pilot.press("f")
            await settle(pilot, lambda: "│ line 3" in screen(pilot.app))
            assert "Quit" in screen(pilot.app).splitlines()[-1]

    run(task())


def test_a_preview_that_comes_due_while_it_closes_is_dropped(
    archived: list[Conversation], home: Path
) -> None:
    async def task() -> None:
        async with browsing(home, (80, 24)) as pilot:
            app = pilot.app
            rows = app._list
            await settle(pilot, lambda: rows.length() > 0)
            await settle(pilot, lambda: app.conversation_view.is_attached)
            await app.conversation_view.remove()
            assert rows.summary(rows.cursor) is not None
            app.exit()
            assert not app._read(rows, rows.cursor)  # without the check Textual raises MountError

    run(task())


@pytest.mark.parametrize("size", SIZES)
def test_search_as_one_types(
    archived: list[Conversation], home: Path, size: tuple[int, int]
) -> None:
    async def task() -> None:
        async with browsing(home, size) as pilot:
            await pilot.press("slash", *"never call")
            hits = pilot.app._hits
            await settle(pilot, lambda: hits.is_attached and hits.length() == 1)
            await pilot.press("enter", "enter")
            await settle(pilot, lambda: "is never called" in screen(pilot.app))
            assert pilot.app.conversation_view.current == 1
            await pilot.press("escape", "escape")
            await settle(pilot, lambda: not hits.display)
            assert pilot.app.focused.id == "list"

    run(task())


def test_opening_reads_the_first_turns_of_the_newest_alone(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(home, long(300), *(_short(n) for n in range(150)))
    asked: list[tuple[Any, ...]] = []
    turns = Archive.turns
    monkeypatch.setattr(
        Archive, "turns", lambda self, *given: asked.append(given) or turns(self, *given)
    )
    monkeypatch.setattr(Archive, "get", lambda *_: pytest.fail("a whole conversation was read"))

    async def task() -> None:
        async with browsing(home) as pilot:
            await settle(pilot, lambda: "100+" in screen(pilot.app))
            await settle(pilot, lambda: "Question number 0." in screen(pilot.app))
            await pilot.press("enter")
            assert {given[1:] for given in asked} == {(0, 64)}

    run(task())


def _short(n: int) -> Conversation:
    turn = Turn(role=Role.USER, parts=(Text(f"short {n}"),), at=START - n)
    return conversation(f"short-{n}", "amp", "/work/short", START, turn)


@pytest.mark.parametrize(("name", "size"), pictures.every())
def test_it_looks_as_it_is_pictured(tmp_path: Path, name: str, size: tuple[int, int]) -> None:
    if pictures.VERSIONS.read_text("utf-8") != pictures.drawn_by():
        pytest.skip(f"the pictures were drawn by {pictures.VERSIONS.read_text('utf-8').strip()}")
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    drawn = pictures.draw(name, size, home)
    kept = pictures.path(name, size)
    new = tmp_path / kept.name
    new.write_text(drawn, "utf-8")
    assert drawn == kept.read_text("utf-8"), f"look at {new}; `make tui-pictures` takes it over"


def test_pictures_are_not_rewritten_under_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    monkeypatch.setattr(pictures, "draw", lambda *_: pytest.fail("a picture was drawn"))
    assert pictures.main(lambda _told: None) == 1


HOSTILE = (
    "[bold red]not markup[/] [@click=app.quit]x[/] "
    "\x1b]52;c;aGk=\x07\x1b[2J\x9b31m\u202egnp.exe\u202c \x00\u200b &#27;[2J &#x202e; &#155;31m"
)


@pytest.mark.parametrize("role", [Role.USER, Role.ASSISTANT])
def test_hostile_text_is_drawn_harmlessly(home: Path, role: Role) -> None:
    page = f"# {HOSTILE}\n\n`{HOSTILE}`\n\n```{HOSTILE}\n{HOSTILE}\n```"
    turns = (
        Turn(role=Role.USER, parts=(Text("needle " + HOSTILE),), at=START),
        Turn(role=role, parts=(Text(page),), at=START, model=HOSTILE),
    )
    put(home, conversation("h", "evil\x1b[2J", "/work/\x1b]0;x\x07[red]", START, *turns))

    async def task() -> None:
        async with browsing(home) as pilot:
            await pilot.press("enter", "f")
            await settle(pilot, lambda: "not markup" in screen(pilot.app))
            seen = [screen(pilot.app)]
            await pilot.press("s", *"needle")
            await settle(pilot, lambda: pilot.app._hits.length() > 0)
            seen.append(screen(pilot.app))
            await pilot.press("escape", "escape", "w")
            await settle(pilot, lambda: "everything" in screen(pilot.app))
            seen.append(screen(pilot.app))
            for text in seen:
                assert not set(text) & set("\x1b\x07\x9b\x00\u200b\u202e\u202c")
            assert "[bold red]not markup[/]" in seen[0]

    run(task())


def test_copy_puts_the_turn_on_the_clipboard(archived: list[Conversation], home: Path) -> None:
    async def task() -> None:
        async with browsing(home) as pilot:
            await pilot.press("down", "enter", "j", "y")
            await settle(pilot, lambda: pilot.app.clipboard.startswith("Because"))
            assert pilot.app.clipboard == "Because `RetryBudget.tick` is **never** called."

    run(task())


@pytest.mark.parametrize("ending", ["md", "html"])
def test_export_to_a_file(
    archived: list[Conversation],
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    ending: str,
) -> None:
    monkeypatch.chdir(tmp_path)

    async def task() -> None:
        async with browsing(home) as pilot:
            await pilot.press("down", "enter", "e")
            await settle(pilot, lambda: "Export to" in screen(pilot.app))
            pilot.app.screen.query_one("Input").value = str(tmp_path / f"out.{ending}")
            await pilot.press("enter")
            await settle(pilot, (tmp_path / f"out.{ending}").exists)

    run(task())
    assert "never" in (tmp_path / f"out.{ending}").read_text()
    assert (tmp_path / f"out.{ending}").stat().st_mode & 0o777 == 0o600


def test_garbage_is_collected_again_once_it_is_drawn(
    archived: list[Conversation], home: Path
) -> None:
    async def task() -> None:
        gc.disable()
        try:
            async with browsing(home) as pilot:
                await settle(pilot, gc.isenabled)
        finally:
            gc.enable()

    run(task())


def test_one_workspace_only(archived: list[Conversation], home: Path) -> None:
    async def task() -> None:
        async with browsing(home) as pilot:
            await pilot.press("w")
            await settle(pilot, lambda: "agent: amp" in screen(pilot.app))
            await pilot.press("down", "enter")
            await settle(pilot, lambda: "only other" in screen(pilot.app))
            assert pilot.app.query_one("#list").length() == 2  # a heading, and it

    run(task())


def test_the_palette_and_the_theme(archived: list[Conversation], home: Path) -> None:
    async def task() -> None:
        async with browsing(home) as pilot:
            await pilot.press("t")
            assert pilot.app.theme == "dejavu-light"
            await pilot.press("ctrl+p", *"export")
            await settle(pilot, lambda: "The conversation as .md or .html" in screen(pilot.app))

    run(task())


def test_the_theme_is_remembered(archived: list[Conversation], home: Path) -> None:
    async def task() -> None:
        for expected in ("dejavu-dark", "dejavu-light", "dejavu-dark"):
            async with browsing(home) as pilot:
                assert pilot.app.theme == expected
                await pilot.press("t")

    run(task())


def test_a_narrow_terminal_shows_one_pane(archived: list[Conversation], home: Path) -> None:
    async def task() -> None:
        async with browsing(home, (60, 20)) as pilot:
            side, list_ = pilot.app.query_one("#side"), pilot.app.query_one("#list")
            assert (side.size.width, pilot.app.query_one("#welcome").display) == (60, False)
            await pilot.press("down", "enter")
            await settle(pilot, lambda: "is never called" in screen(pilot.app))
            assert (side.display, pilot.app.conversation_view.size.width > 50) == (False, True)
            await pilot.press("escape")
            await settle(pilot, lambda: list_.has_focus and side.display)
            await settle(pilot, lambda: not pilot.app.conversation_view.display)
            await pilot.resize_terminal(100, 20)
            await settle(pilot, lambda: pilot.app.conversation_view.display)
            assert side.size.width < 50

    run(task())


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "linux", "COLORTERM": ""}])
def test_it_needs_no_colours(
    archived: list[Conversation],
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    async def task() -> None:
        async with browsing(home) as pilot:
            await pilot.press("down", "enter")
            await settle(pilot, lambda: "is never called" in screen(pilot.app))
            expected = "ansi-dark" if "TERM" in variables else "dejavu-dark"
            assert pilot.app.theme == expected

    run(task())


def test_the_mouse_opens_and_unfolds(archived: list[Conversation], home: Path) -> None:
    async def task() -> None:
        async with browsing(home) as pilot:
            await pilot.click("#list", offset=(5, 4))
            await settle(pilot, lambda: "is never called" in screen(pilot.app))
            at = screen(pilot.app).splitlines()
            y = next(n for n, line in enumerate(at) if "└" in line)
            view = pilot.app.conversation_view
            for _ in range(2):
                await pilot.click("#conversation", offset=(10, y - view.region.y))
                await pilot.pause(0.6)
            await settle(pilot, lambda: "│ line 3" in screen(pilot.app))

    run(task())
