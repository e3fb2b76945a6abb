"""The first page says how to begin."""

from tests.interfaces.tui.driving import run, screen
from textual.app import App, ComposeResult

from dejavu.interfaces.tui.welcome import Welcome


class Page(App[None]):
    def compose(self) -> ComposeResult:
        yield Welcome()


def test_it_names_the_first_keys() -> None:
    async def task() -> None:
        app = Page()
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            shown = screen(app)
        assert all(word in shown for word in ("Déjà Vu", "Enter", "search everything", "all keys"))

    run(task())
