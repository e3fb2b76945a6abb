"""Asking memory in the browser: the key, the list of what it found, and verdicts on it.

Memory and its index are loaded with the first question, which a thread asks. Must not: rank or leave
out anything (`recall_answer`).

Tested in: tests/interfaces/tui/test_recalled.py
"""

# Textual leaves the types of `App`, `Screen` and `Worker` open.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from typing import TYPE_CHECKING

from textual import work
from textual.worker import get_current_worker

from dejavu.archive import Archive
from dejavu.model import Conversation

from .archive_reader import Filters
from .formatting import safe
from .mark_actions import MarkActions
from .rows import Rows

if TYPE_CHECKING:
    from dejavu.recall import RecallHit

    from ..recall_answer import Recalled
    from .recalled import RecalledRows


class RecallActions(MarkActions):
    """The key `A`, and `c` and `x` in what was found."""

    recalled: "RecalledRows | None" = None
    """What memory found last; made for the first question."""
    _question = ""

    def show_recalled(self, rows: Rows) -> None:
        """Put what memory found in place of the list, and go to it."""
        raise NotImplementedError

    def _of_answer(self, hit: "RecallHit | None") -> tuple[Conversation | None, int]:
        """The conversation of an exchange, and where in it that is; none of a memory."""
        return (None, 0) if hit is None else (self.reader.summary(hit.conversation), hit.seq)

    def action_ask(self) -> None:
        """Ask for a question; the one before is offered again, until one types."""
        from .line_dialogs import LineDialog

        hint = "a question in your own words; Enter asks memory"
        self.push_screen(LineDialog("Ask", hint, self._question, replace=True), self._ask_question)

    def _ask_question(self, question: str | None) -> None:
        if not question:
            return
        from .recalled import RecalledRows

        self._question = question
        if self.recalled is None:
            self.recalled = RecalledRows(id="recalled")
        self.recalled.asking(question)
        self.show_recalled(self.recalled)
        self._ask_memory(question, dict(self.marked_list.filters))

    @work(thread=True, exclusive=True, group="recall")
    def _ask_memory(self, question: str, filters: Filters) -> None:
        found = self.reader.recall(question, filters)
        if not get_current_worker().is_cancelled:
            self.call_from_thread(self._on_recalled, question, found)

    def _on_recalled(self, question: str, found: "Recalled | None") -> None:
        if self.recalled is None or question != self._question:
            return
        if found is None:
            self.recalled.failed()
            return
        self.recalled.show(found)
        for sentence in (found.nothing, found.doubt.removesuffix("; the closest matches:")):
            if sentence:
                self.say(safe(sentence))
        if found.shown or found.memories:
            self.recalled.post_message(Rows.Moved(self.recalled, 0))

    def on_recalled_rows_judged(self, event: "RecalledRows.Judged") -> None:
        """Keep what a person says of a row, and show it there."""
        event.stop()

        def change(archive: Archive) -> str:
            from dejavu.recall.verdicts import judge

            judged = judge(archive, event.id, right=event.right)
            return judged.told if judged.memory is not None else f"{judged.id} {judged.told}"

        done = self.reader.change(change)
        if done is not None and self.recalled is not None:
            self.recalled.judged(event.id, event.right)
            self.say(safe(done))
