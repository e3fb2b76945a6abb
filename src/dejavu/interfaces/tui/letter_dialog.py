"""Asks for the letter of a mark: one key, and the line that says which there are.

Tested in: tests/interfaces/tui/test_motions.py
"""

from collections.abc import Iterable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import Static


class LetterDialog(ModalScreen[str | None]):
    """One line at the bottom; the answer is a letter or a digit, None where it was left."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "Cancel")]
    DEFAULT_CSS = """
    LetterDialog { align: center bottom; background: transparent; }
    LetterDialog Static { height: 1; padding: 0 1; background: $surface; }
    """

    def __init__(self, asks: str, known: Iterable[str], *, others: str = "") -> None:
        """`known` are the letters in use, `others` what else may be pressed."""
        super().__init__()
        listed = " ".join(sorted(known))
        self._text = f"{asks}: a letter" + (f" (in use: {listed})" if listed else "")
        self._others = others

    def compose(self) -> ComposeResult:
        """What is asked."""
        yield Static(self._text, markup=False)

    def on_key(self, event: Key) -> None:
        """The first key decides."""
        if event.key == "escape":
            return
        event.stop()
        character = event.character or ""
        is_answer = len(character) == 1 and (character.isalnum() or character in self._others)
        self.dismiss(character if is_answer else None)
