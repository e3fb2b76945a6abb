"""The search line: searches while one types, once the typing rests.

Posts `Answered` and `Cleared`. The search runs in a thread, and the answer to a query that has
changed since is dropped.
"""

# Textual leaves the types of `App`, `Screen` and `Worker` open.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input
from textual.worker import get_current_worker

from ..search_answer import SearchAnswer
from .archive_reader import ArchiveReader, Filters

_DEBOUNCE = 0.12


class SearchBox(Input):
    """One line above the lists."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,down", "submit", "Answers"),
        Binding("escape", "app.leave", "Leave"),
    ]
    DEFAULT_CSS = """
    SearchBox { border: round $foreground 30%; height: 3; padding: 0 1; background: transparent; }
    SearchBox:focus { border: round $accent; }
    SearchBox > .input--placeholder { color: $dim; }
    """

    class Answered(Message):
        """What was found for `query`."""

        def __init__(self, query: str, answer: SearchAnswer) -> None:
            super().__init__()
            self.query, self.answer = query, answer

    class Cleared(Message):
        """Nothing is asked any more."""

    def __init__(self, reader: ArchiveReader) -> None:
        super().__init__(placeholder="/ to search", id="search", select_on_focus=False)
        self._reader = reader
        self._waiting: Timer | None = None
        self.filters: Filters = {}
        self.query_text = ""

    def watch_value(self, value: str) -> None:
        """Ask when the typing rests."""
        query = value.strip()
        if query == self.query_text:
            return
        self.query_text = query
        if self._waiting is not None:
            self._waiting.stop()
        if query:
            self._waiting = self.set_timer(_DEBOUNCE, self.ask)
        else:
            self.post_message(self.Cleared())

    def ask(self) -> None:
        """Ask now: the filter may have changed."""
        if self.query_text:
            self._ask(self.query_text, dict(self.filters))

    @work(thread=True, exclusive=True, group="search")
    def _ask(self, query: str, filters: Filters) -> None:
        answer = self._reader.search(query, filters)
        if not get_current_worker().is_cancelled and query == self.query_text:
            self.post_message(self.Answered(query, answer))
