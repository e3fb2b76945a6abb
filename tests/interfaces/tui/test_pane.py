from typing import ClassVar

from tests.interfaces.tui.driving import run
from textual.app import ComposeResult
from textual.strip import Strip

from dejavu.interfaces.tui.conversation_view import ConversationView
from dejavu.interfaces.tui.pane import Pane
from dejavu.interfaces.tui.rows import Rows
from dejavu.interfaces.tui.theme import ThemedApp


class Plain(Pane):
    def render_line(self, y: int) -> Strip:
        return Strip.blank(4)


class Page(ThemedApp[None]):
    AUTO_FOCUS: ClassVar[str | None] = ""

    def compose(self) -> ComposeResult:
        yield Plain()


def test_it_is_framed_and_shows_where_the_focus_is() -> None:
    async def task() -> None:
        app = Page()
        async with app.run_test() as pilot:
            pane = app.query_one(Plain)
            kind, color = pane.styles.border.top
            assert kind == "round"
            pane.focus()
            await pilot.pause()
            assert pane.has_focus
            assert pane.styles.border.top[1] != color

    run(task())


def test_lists_and_threads_are_panes() -> None:
    assert issubclass(Rows, Pane)
    assert issubclass(ConversationView, Pane)
