"""A pane of turns in which one can find a text: `/`, `n` and `N`, as in less and vim.

Looks in a thread (`find.py`), so that a long conversation can be left meanwhile. Must not draw: what
is found is revealed by the pane that this is.

Tested in: tests/interfaces/tui/test_conversation_view.py
"""

# Textual leaves the types of `App`, `Screen` and `Worker` open.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from collections.abc import Callable, Sequence
from re import Pattern
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.worker import get_current_worker

from dejavu.model import Conversation, Turn

from .pane import Pane

if TYPE_CHECKING:
    from .find import Found

Fetch = Callable[[str, int, int], Sequence[Turn]]
"""The turns of a conversation from a number up to another."""


class FindingPane(Pane):
    """The keys; a subclass draws, and says what a turn is."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "find", "Find", key_display="/"),
        Binding("n", "find_next(1)", "Next found", show=False),
        Binding("N", "find_next(-1)", "Previous found", show=False),
    ]
    fetch: Fetch
    summary: Conversation | None = None
    current = 0
    """The turn that the reader is at."""
    pattern: Pattern[str] | None = None
    """What is marked: what was searched for, or is to be found."""
    _wanted = ""

    def redraw(self) -> None:
        """Redraw everything."""
        raise NotImplementedError

    def reveal_found(self, seq: int, *, folded: bool) -> None:
        """Go to a turn that was found."""
        raise NotImplementedError

    def action_turn(self, by: int) -> None:
        """Go to the next or previous turn."""
        raise NotImplementedError

    def action_find(self) -> None:
        """Ask what to find here; the lists' `/` searches everything."""
        from .find_dialog import FindDialog

        self.app.push_screen(FindDialog(self._wanted), self._find)

    def _find(self, wanted: str | None) -> None:
        if wanted and self.summary is not None:
            from .find import pattern_of

            self._wanted, self.pattern = wanted, pattern_of(wanted)
            self.redraw()
            self._look(self.current, backwards=False)

    def action_find_next(self, by: int) -> None:
        """On to the next or previous turn with what was found or searched for; else the next turn."""
        if self.pattern is None or self.summary is None or not self.summary.turn_count:
            self.action_turn(by)
        else:
            self._look((self.current + by) % self.summary.turn_count, backwards=by < 0)

    @work(thread=True, exclusive=True, group="find")
    def _look(self, start: int, *, backwards: bool) -> None:
        from .find import find

        summary, pattern = self.summary, self.pattern
        if summary is None or pattern is None:
            return
        worker = get_current_worker()
        found = find(
            lambda first, stop: self.fetch(summary.id, first, stop),
            summary.turn_count, start, pattern,
            backwards=backwards, stopped=lambda: worker.is_cancelled,
        )  # fmt: skip
        if not worker.is_cancelled:
            self.app.call_from_thread(self._on_found, summary.id, found)

    def _on_found(self, conversation: str, found: "Found | None") -> None:
        if self.summary is None or self.summary.id != conversation:
            return
        if found is None:
            self.notify("It is nowhere in this conversation.")
            return
        if found.wrapped:
            self.notify("On from the other end.", timeout=2)
        self.reveal_found(found.seq, folded=found.folded)
