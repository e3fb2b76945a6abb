"""What memory found for a question: a row a memory or an exchange, in place of the conversations.

`c` and `x` say that the row under the cursor was right or wrong, by a message. O(rows shown).
"""

# Textual leaves the type of `app` open.
# pyright: reportUnknownMemberType=false

from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.content import Content

from dejavu.config import clock
from dejavu.recall import RecallHit

from ..recall_answer import Recalled, RecalledExchange, RecalledMemory
from .formatting import day_or_time, safe, short_path
from .rows import Rows

_INDENT = "   "


class RecalledRows(Rows):
    """The memories first, then past exchanges, the best of each first."""

    LINES = 4
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "judge(True)", "Right"),
        Binding("x", "judge(False)", "Wrong"),
    ]

    class Judged(Rows.About):
        """A person says whether a row is right; `id` is of the memory or the hit."""

        def __init__(self, rows: Rows, index: int, id: str, *, right: bool) -> None:  # noqa: A002 - as commands call it
            super().__init__(rows, index)
            self.id, self.right = id, right

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self.border_title = "Memory"
        self._rows: list[RecalledMemory | RecalledExchange] = []
        self._dates: dict[str, float | None] = {}
        self._verdicts: dict[str, bool] = {}

    def asking(self, question: str) -> None:
        """Say what is asked, until the answer is there; the one before goes."""
        self._rows, self.cursor = [], 0
        self.border_title = Content(f"Memory: {safe(question, 200)}")
        self.border_subtitle = "asking"
        self.resized()

    def failed(self) -> None:
        """Say that there is no answer; why was said elsewhere."""
        self.border_subtitle = "not answered"

    def show(self, found: Recalled) -> None:
        """List the answer to another question, with what is to be said about it."""
        self._rows = [*found.memories, *found.shown]
        self._dates = {hit.event: hit.at for hit in found.answer.hits}
        self._verdicts = {}
        self.cursor = 0
        self.scroll_to(y=0, animate=False)
        self.border_title = Content(f"Memory: {safe(found.question, 200)}")
        said = (safe(sentence, 200) for sentence in (found.behind, *found.common))
        self.border_subtitle = Content(_joined([found.counts or "nothing recalled", *said]))
        self.resized()

    def judged(self, identity: str, right: bool) -> None:
        """Show what was said of a row."""
        self._verdicts[identity] = right
        self.refresh()

    def hit(self, index: int) -> RecallHit | None:
        """The exchange of a row; None of a memory."""
        row = self._rows[index]
        return row.hit if isinstance(row, RecalledExchange) else None

    def length(self) -> int:
        """All of them: an answer has a limit."""
        return len(self._rows)

    def row(self, index: int, width: int) -> list[Text]:
        """How sure it is and what was asked; the answer; where and when; what it replaces."""
        row, dim = self._rows[index], self.look("dim")
        word = self.look("good" if row.sure else "dim")
        if isinstance(row, RecalledMemory):
            return self._memory(row, width)
        asked, *answers = [safe(text) for text in row.texts] or ["(no words)"]
        facts = [
            safe(row.hit.agent, 20), short_path(row.hit.workspace),
            day_or_time(row.hit.at, clock.now()),
            f"{row.more} more in this conversation" if row.more else "",
        ]  # fmt: skip
        return [
            Text.assemble((f" {row.word:7} ", word), (asked, self.look("strong"))),
            Text.assemble(_INDENT, " · ".join(answers)),
            Text.assemble(_INDENT, (_joined(facts), dim)),
            Text.assemble(_INDENT, (_joined([self._verdict(row.hit.event), *self._changes(row)]),
                                    self.look("busy"))),
        ]  # fmt: skip

    def _memory(self, row: RecalledMemory, width: int) -> list[Text]:
        """A memory's text in two lines, and how sure people are of it."""
        mark = f" {row.word:7} "
        said = Text(safe(row.memory.text)).wrap(self.app.console, max(10, width - len(mark)))
        rest = Text(" ").join(said[1:])
        facts = ["memory", self._verdict(row.memory.id), f"confidence {row.memory.confidence}"]
        return [
            Text.assemble(
                (mark, self.look("good" if row.sure else "dim")), said[0] if said else ""
            ),
            *([Text.assemble(_INDENT, rest)] if rest else []),
            Text.assemble(_INDENT, (_joined(facts), self.look("dim"))),
        ]

    def _changes(self, row: RecalledExchange) -> list[str]:
        """What it replaces and what replaced it, by their days; the list has both."""
        now = clock.now()
        days = [day_or_time(self._dates.get(name), now) for name in row.hit.replaces]
        older = ", ".join(f"{day}'s" for day in dict.fromkeys(filter(None, days)))
        newer = day_or_time(self._dates.get(row.replaced_by), now)
        return [
            f"replaces {older} answer" if older else "",
            f"replaced by {newer}'s answer" if newer else "",
        ]

    def _verdict(self, identity: str) -> str:
        right = self._verdicts.get(identity)
        return "" if right is None else f"marked as {'right' if right else 'wrong'}"

    def action_choose(self) -> None:
        """Go to the exchange under the cursor; say the whole of a memory."""
        row = self._rows[self.cursor] if self.cursor < self.length() else None
        if isinstance(row, RecalledMemory):
            self.notify(safe(row.memory.text, 2_000), title="Memory", timeout=15, markup=False)
        else:
            super().action_choose()

    def action_judge(self, right: bool) -> None:
        """Say that the row under the cursor is right, or wrong."""
        if self.cursor < self.length():
            row = self._rows[self.cursor]
            identity = row.memory.id if isinstance(row, RecalledMemory) else row.hit.event
            self.post_message(self.Judged(self, self.cursor, identity, right=right))


def _joined(facts: list[str]) -> str:
    return " · ".join(fact for fact in facts if fact)
