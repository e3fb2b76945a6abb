from pathlib import Path

from tests.interfaces.tui.driving import browsing, long, put, run, screen, settle

from dejavu.interfaces.tui.app import Browser
from dejavu.interfaces.tui.help import KEYS


def test_every_key_of_the_browser_is_told(home: Path) -> None:
    told = " ".join(key for _, keys in KEYS for key, _ in keys).split()
    names = {"slash": "/", "question_mark": "?", "asterisk": "*", "number_sign": "#"}
    for binding in Browser.BINDINGS:
        key = binding.key  # type: ignore[union-attr]
        assert key == "escape" or names.get(key, key) in told

    put(home, long(4))

    async def task() -> None:
        async with browsing(home, (80, 24)) as pilot:
            await pilot.press("question_mark")
            await settle(pilot, lambda: "search as you type" in screen(pilot.app))
            await pilot.press("escape")
            await settle(pilot, lambda: "search as you type" not in screen(pilot.app))

    run(task())
