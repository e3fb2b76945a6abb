"""What a search found: one row a turn, the words searched for highlighted. O(rows shown)."""

from rich.text import Text
from textual.content import Content

from dejavu.archive import Hit
from dejavu.config import clock
from dejavu.model import Conversation, Role
from dejavu.redact.sanitise import sanitise

from ..search_answer import SearchAnswer
from .formatting import day_or_time, safe, short_path, title_of
from .rows import Rows

_WHO = {Role.USER: "❯", Role.ASSISTANT: "●", Role.TOOL: "└", Role.SYSTEM: "·"}
_LEAD = 24
"""Characters shown before the first word found, so that it is seen in a narrow list."""


class Hits(Rows):
    """The answers to the search, in place of the conversations."""

    LINES = 3

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self.border_title = "Found"
        self._shown: list[tuple[Conversation, Hit]] = []
        self._more: dict[Hit, int] = {}

    def show(self, answer: SearchAnswer) -> None:
        """List the answer to another question, with what was searched for instead."""
        self._shown = answer.shown
        self._more = {one.hits[-1]: one.more for one in answer.conversations if one.more}
        self.cursor = 0
        self.scroll_to(y=0, animate=False)
        count = f"{len(self._shown)}" if self._shown else "nothing found"
        notes = (safe(note, 200) for note in answer.hits.notes)
        self.border_subtitle = Content(" · ".join([count, *notes]))
        self.resized()

    def hit(self, index: int) -> Hit:
        """The answer of a row."""
        return self._shown[index][1]

    def length(self) -> int:
        """All of them: a search has a limit."""
        return len(self._shown)

    def row(self, index: int, width: int) -> list[Text]:  # noqa: ARG002 - cut by the list
        """The excerpt; the conversation and its date below, dimmed."""
        (summary, hit), dim = self._shown[index], self.look("dim")
        more = self._more.get(hit)
        facts = [
            safe(hit.agent, 20), short_path(summary.place), day_or_time(hit.at, clock.now()),
            f"{more} more in this conversation" if more else "",
        ]  # fmt: skip
        return [
            Text.assemble((f" {_WHO[hit.role]} ", dim), self._excerpt(hit)),
            Text.assemble("   ", (title_of(summary), self.look("strong"))),
            Text.assemble("   ", (" · ".join(fact for fact in facts if fact), dim)),
        ]

    def _excerpt(self, hit: Hit) -> Text:
        """The words around the first mark; marks are ranges in the text as captured."""
        text, at = Text(), 0
        if hit.marks and hit.marks[0][0] > _LEAD:
            at = hit.marks[0][0] - _LEAD
            text.append("…")
        for start, stop in hit.marks:
            if start < at:
                continue
            text.append(sanitise(hit.excerpt[at:start], newlines=False))
            text.append(sanitise(hit.excerpt[start:stop], newlines=False), self.look("mark"))
            at = stop
        return text.append(sanitise(hit.excerpt[at:], newlines=False))
