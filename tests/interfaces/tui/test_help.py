from pathlib import Path

from tests.interfaces.tui.driving import browsing, long, put, run, screen, settle
from textual.binding import Binding

from dejavu.interfaces.tui.app import Browser
from dejavu.interfaces.tui.help import KEYS


def test_every_key_of_the_browser_is_told() -> None:
    told = " ".join(line.keys for _, lines in KEYS for line in lines)
    for binding in Browser.BINDINGS:
        assert isinstance(binding, Binding)
        named = f"{{{binding.id}}}" in told or binding.id in ("help", "leave")
        assert named or binding.key in told.split(), binding


def test_a_line_of_the_page_runs_its_key(home: Path) -> None:
    put(home, long(4))

    async def task() -> None:
        async with browsing(home, (80, 40)) as pilot:
            await settle(pilot, lambda: pilot.app.conversation_view.summary is not None)
            await pilot.press("question_mark")
            await settle(pilot, lambda: "search as you type" in screen(pilot.app))
            await pilot.press("escape")
            await settle(pilot, lambda: "search as you type" not in screen(pilot.app))
            await pilot.press("question_mark")
            await settle(pilot, lambda: "search as you type" in screen(pilot.app))
            await pilot.press(*["j"] * 5, "enter")
            await settle(pilot, lambda: pilot.app.zoomed)

    run(task())


def test_the_page_shows_and_runs_the_keys_of_the_settings(home: Path) -> None:
    put(home, long(4))
    settings = home / ".config/dejavu/config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('[keys]\nzoom = "f8"\nstar = "ctrl+s"\n')

    async def task() -> None:
        async with browsing(home, (80, 40)) as pilot:
            await settle(pilot, lambda: pilot.app.conversation_view.summary is not None)
            await pilot.press("question_mark")
            await settle(pilot, lambda: "F8" in screen(pilot.app).upper())
            await pilot.press(*["j"] * 5, "enter")
            await settle(pilot, lambda: pilot.app.zoomed)
            await pilot.press("z")
            await pilot.pause()
            assert pilot.app.zoomed  # z is no longer its key

    run(task())
