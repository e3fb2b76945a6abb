"""Asking memory in the browser: the list, the way to its place, verdicts, and the way out."""

import re
from pathlib import Path
from typing import Any

import pytest
from tests.factories.archive import START, conversation
from tests.interfaces.tui.driving import browsing, put, run, screen, settle

from dejavu.archive.access import open_archive
from dejavu.interfaces.tui.line_dialogs import LineDialog
from dejavu.model import Role, Text, Turn
from dejavu.recall import Memory
from dejavu.recall.verdicts import precision

DAY = 86_400.0
QUESTION = "what does the membership cost?"


def _said(name: str, workspace: str, at: float, *said: str) -> Any:
    turns = (
        Turn(role=(Role.USER, Role.ASSISTANT)[n % 2], parts=(Text(text),), at=at + n)
        for n, text in enumerate(said)
    )
    return conversation(name, "codex", workspace, at, *turns)


@pytest.fixture
def asked(home: Path) -> Path:
    """Two prices of a membership, the newer one replaces the older, and a hostile memory."""
    put(
        home,
        _said("old", "/w/club", START, "What does a membership cost?",
              "Membership costs 60 euros a year. \x1b[2J"),
        _said("new", "/w/club", START + DAY, "Welcome", "Hello.", "Note the vote on membership",
              "For membership it is 75 euros a year from now on."),
        _said("other", "/w/zoo", START + 2 * DAY, "Paint the fence", "The fence is green."),
    )  # fmt: skip
    with open_archive(write=True) as archive:
        Memory(archive).remember("The membership cost is decided in May \u202e\x1b[2J")
    return home


async def _ask(pilot: Any, question: str = QUESTION) -> None:
    await settle(pilot, lambda: pilot.app.conversation_view.summary is not None
                 or pilot.app.size.width < 70)  # fmt: skip
    await pilot.press("A")
    await settle(pilot, lambda: isinstance(pilot.app.screen, LineDialog))
    pilot.app.screen.query_one("Input").value = question
    await pilot.press("enter")
    await settle(pilot, lambda: pilot.app.recalled is not None and "ask" not in str(
        pilot.app.recalled.border_subtitle))  # fmt: skip


def test_the_answers_are_ranked_marked_and_open_at_their_place(asked: Path) -> None:
    async def task() -> None:
        async with browsing(asked) as pilot:
            await _ask(pilot)
            await settle(pilot, lambda: "1 memory, 1 sure · 2 exchanges, " in screen(pilot.app))
            shown = screen(pilot.app)
            assert "\x1b" not in shown
            assert shown.index(" memory · ") < shown.index("75 euros") < shown.index("60 euros")
            assert re.search(r"replaces Nov 1\d's answer", shown)
            assert re.search(r"replaced by Nov \d\d's answer", shown)
            assert "green" not in shown.partition("│")[0]
            await pilot.press("j", "enter")
            view = pilot.app.conversation_view
            await settle(pilot, lambda: view.has_focus and view.current == 3)
            await pilot.press("escape")
            await settle(pilot, lambda: pilot.app.recalled.has_focus)
            await pilot.press("escape")
            await settle(pilot, lambda: pilot.app._list.has_focus)
            assert "Recent" in screen(pilot.app)

    run(task())


def test_what_cannot_be_answered_is_said(asked: Path) -> None:
    async def task() -> None:
        async with browsing(asked) as pilot:
            await _ask(pilot)
            settings = asked / ".config/dejavu/config.toml"
            settings.parent.mkdir(parents=True)
            settings.write_text('[recall]\nstrategy = "x"\n')
            await _ask(pilot, "what does the fence cost?")
            await settle(pilot, lambda: "not answered" in screen(pilot.app))
            await settle(pilot, lambda: "short_circuit" in screen(pilot.app))
            assert pilot.app.recalled.length() == 0

    run(task())


def test_a_memory_is_said_whole(asked: Path) -> None:
    with open_archive(write=True) as archive:
        Memory(archive).remember("The membership cost " + "and so on " * 20 + "the end")

    async def task() -> None:
        async with browsing(asked, (80, 24)) as pilot:
            await _ask(pilot)
            row = next(n for n in (0, 1) if "so on" in pilot.app.recalled._rows[n].memory.text)
            await pilot.press(*["j"] * row, "enter")
            await settle(pilot, lambda: "the end" in screen(pilot.app))
            assert pilot.app.recalled.has_focus

    run(task())


def test_a_row_is_judged_by_a_key(asked: Path) -> None:
    async def task() -> None:
        async with browsing(asked) as pilot:
            await _ask(pilot)
            await pilot.press("c")
            await settle(pilot, lambda: "confidence 0.5 -> 0.6" in screen(pilot.app))
            await pilot.press("j", "x")
            await settle(pilot, lambda: "marked as wrong" in screen(pilot.app))
            with open_archive() as archive:
                week = precision(archive, 0.0)
            assert (week.memories_right, week.right + week.withheld) == (1, 0)
            assert week.wrong == 1

    run(task())


@pytest.mark.parametrize("size", [(80, 24), (60, 24)])
def test_it_fits_a_small_terminal(asked: Path, size: tuple[int, int]) -> None:
    async def task() -> None:
        async with browsing(asked, size) as pilot:
            await _ask(pilot)
            await settle(pilot, lambda: "c Right" in screen(pilot.app))
            assert " sure " in screen(pilot.app)
            await pilot.press("j", "enter")
            await settle(pilot, lambda: "75 euros" in screen(pilot.app))
            await pilot.press("escape")
            await settle(pilot, lambda: pilot.app.recalled.has_focus)

    run(task())


def test_a_filter_asks_one_project_and_nothing_found_is_said(asked: Path) -> None:
    async def task() -> None:
        async with browsing(asked) as pilot:
            await _ask(pilot, "membership fence")
            await settle(pilot, lambda: "3 exchanges" in screen(pilot.app))
            pilot.app._list.show(filters={"project": "/w/zoo"})
            await _ask(pilot, "fence membership")
            await settle(pilot, lambda: "1 exchange," in screen(pilot.app))
            await _ask(pilot, "xylophone")
            await settle(pilot, lambda: "nothing recalled for 'xylophone'" in screen(pilot.app))

    run(task())


def test_a_search_covers_what_memory_found(asked: Path) -> None:
    async def task() -> None:
        async with browsing(asked) as pilot:
            await _ask(pilot)
            await pilot.press("slash", *"fence")
            await settle(pilot, lambda: "Found" in screen(pilot.app))
            assert not pilot.app.recalled.display
            await pilot.press("enter", "A")
            await settle(pilot, lambda: QUESTION in screen(pilot.app))  # it is offered again
            await pilot.press(*"fence", "enter")  # and goes, where one types another
            await settle(pilot, lambda: pilot.app._question == "fence")
            await settle(pilot, lambda: "Memory: fence" in screen(pilot.app))

    run(task())
