"""A pane of turns with the motions of less and vim: counts, and marks one can go back to.

A number typed before a key says how often, or which turn (`12G`, `5j`). `m` and a letter mark the
turn, `'` and the letter go there; `''` goes back to where the last jump began. Marks are of one
conversation and last as long as the browser. Must not draw.
"""

# Textual leaves the types of `App`, `Screen` and `Worker` open.
# pyright: reportUnknownMemberType=false

from collections.abc import Callable
from typing import ClassVar

from textual.binding import Binding, BindingType

from dejavu.model.conversation import turn_number

from .finding_pane import FindingPane

_LARGEST = 10**7
_BACK = "'"


class MotionPane(FindingPane):
    """The keys; a subclass has the turns."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(str(digit), f"count({digit})", show=False) for digit in range(10)),
        Binding("m", "mark", "Mark", show=False),
        Binding("apostrophe", "to_mark", "To a mark", show=False),
    ]

    _count = 0

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._marks: dict[str, dict[str, int]] = {}
        """Turns by their letters, of each conversation."""

    def go(self, seq: int) -> None:
        """Make `seq` the current turn and show it."""
        raise NotImplementedError

    def action_count(self, digit: int) -> None:
        """A digit of the number for the next key."""
        self._count = min(self._count * 10 + digit, _LARGEST)

    def take_count(self) -> int | None:
        """The number that was typed before this key; None if there was none."""
        count, self._count = self._count, 0
        return count or None

    def jump(self, seq: int) -> None:
        """Go to a turn, and remember where from."""
        self._known()[_BACK] = self.current
        self.go(seq)

    def _known(self) -> dict[str, int]:
        name = "" if self.summary is None else self.summary.id
        return self._marks.setdefault(name, {})

    def action_mark(self) -> None:
        """Ask for a letter, and mark the turn by it."""
        if self.summary is not None:
            self._ask("Mark this turn", self._mark)

    def _mark(self, letter: str | None) -> None:
        if letter:
            self._known()[letter] = self.current
            self.notify(
                f"Turn {turn_number(self.current)} is marked {letter}: ' {letter} goes to it."
            )

    def action_to_mark(self) -> None:
        """Ask for a letter, and go to its turn."""
        if self.summary is not None:
            self._ask("Go to mark", self._to_mark, others=_BACK)

    def _to_mark(self, letter: str | None) -> None:
        if not letter or self.summary is None:
            return
        seq = self._known().get(letter)
        if seq is None:
            self.notify(f"There is no mark {letter} in this conversation; m sets one.")
        else:
            self.jump(min(seq, max(0, self.summary.turn_count - 1)))

    def _ask(self, asks: str, answered: Callable[[str | None], None], *, others: str = "") -> None:
        from .letter_dialog import LetterDialog

        known = [letter for letter in self._known() if letter != _BACK]
        self.app.push_screen(LetterDialog(asks, known, others=others), answered)
