"""A list of a hundred thousand rows asks for those it shows, and for no others."""

from rich.text import Text
from tests.interfaces.tui.driving import run, settle
from textual.app import ComposeResult

from dejavu.interfaces.tui.rows import Rows
from dejavu.interfaces.tui.theme import ThemedApp

COUNT = 100_000


class Numbers(Rows):
    """Row n says its number; what was asked for is remembered."""

    def __init__(self) -> None:
        super().__init__()
        self.requested: set[int] = set()

    def length(self) -> int:
        return COUNT

    def row(self, index: int, width: int) -> list[Text]:
        self.requested.add(index)
        return [Text(f"row {index}"), Text("")]


class Page(ThemedApp[None]):
    def compose(self) -> ComposeResult:
        yield Numbers()


def test_only_what_is_shown_is_asked_for() -> None:
    async def task() -> None:
        app = Page()
        async with app.run_test(size=(80, 24)) as pilot:
            rows = app.query_one(Numbers)
            rows.resized()
            rows.focus()
            await settle(pilot, lambda: bool(rows.requested))
            assert max(rows.requested) < 100
            await pilot.press("end")
            await settle(pilot, lambda: COUNT - 1 in rows.requested)
            assert rows.cursor == COUNT - 1
            assert len(rows.requested) < 300
            await pilot.press("home")
            await settle(pilot, lambda: rows.cursor == 0)

    run(task())
