"""The conversations, the newest first: heads in pages, as far as one scrolls, turns never.

Takes a scan of heads (`Archive.scan`); costs O(rows scrolled past).
"""

from collections.abc import Iterator
from itertools import islice

from rich.text import Text

from dejavu.record import Conversation

from ..clock import now
from .rows import Rows
from .wording import counted, day_or_time, last_moment, place, safe, title_of

_PAGE = 100


class Conversations(Rows):
    """The list on the left."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self.border_title = "Conversations"
        self._heads: list[Conversation] = []
        self._scan: Iterator[Conversation] = iter(())
        self._more = False

    def show(self, scan: Iterator[Conversation]) -> None:
        """List what `scan` gives, from its beginning."""
        self._heads, self._scan, self._more = [], scan, True
        self.cursor = 0
        self.scroll_to(y=0, animate=False)
        self._load()

    def head(self, index: int) -> Conversation:
        """The conversation of a row."""
        return self._heads[index]

    def length(self) -> int:
        """Rows loaded so far."""
        return len(self._heads)

    def approach(self, index: int) -> None:
        """Load another page when its beginning is near."""
        if self._more and index + _PAGE // 4 >= len(self._heads):
            self._load()

    def _load(self) -> None:
        page = list(islice(self._scan, _PAGE))
        self._heads += page
        self._more = len(page) == _PAGE
        known = f"{len(self._heads):,}{'+' if self._more else ''}"
        self.border_subtitle = known if self._heads else "none"
        self.resized()

    def row(self, index: int, width: int) -> list[Text]:
        """Title and date; agent, place and size below, dimmed."""
        head = self._heads[index]
        dim = self.look("dim")
        when = day_or_time(last_moment(head), now())
        title = Text(title_of(head), end="", no_wrap=True)
        title.truncate(max(4, width - len(when) - 2), overflow="ellipsis", pad=True)
        facts = [safe(head.agent, 20), place(head.workspace), counted(head.turn_count, "turn")]
        return [
            Text.assemble(" ", title, " ", (when, dim)),
            Text.assemble(" ", (" · ".join(facts), dim)),
        ]
