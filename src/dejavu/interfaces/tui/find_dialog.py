"""What to find in a conversation: one line at the foot of the screen, as less and vim ask it.

Tested in: tests/interfaces/tui/test_conversation_view.py
"""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Input


class FindDialog(ModalScreen[str | None]):
    """Gives what was typed, or None where it was left; `before` is offered again."""

    AUTO_FOCUS = "*"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "Leave")]
    DEFAULT_CSS = """
    FindDialog { align: left bottom; background: transparent; }
    FindDialog Input { border: round $accent; height: 3; padding: 0 1; background: $surface; }
    FindDialog Input > .input--placeholder { color: $dim; }
    """

    def __init__(self, before: str = "") -> None:
        super().__init__()
        self._before = before

    def compose(self) -> ComposeResult:
        """The line."""
        yield Input(self._before, placeholder="Find in this conversation", id="find")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter: find it."""
        event.stop()
        self.dismiss(event.value or None)
