"""One line at the foot of the screen: a text to type, or a question that one key answers.

Tested in: tests/interfaces/tui/test_mark_actions.py
"""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import Input, Static


class LineDialog(ModalScreen[str | None]):
    """Gives what was typed, which may be nothing, or None where it was left."""

    AUTO_FOCUS = "*"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "Leave")]
    DEFAULT_CSS = """
    LineDialog { align: left bottom; background: transparent; }
    LineDialog Input { border: round $accent; height: 3; padding: 0 1; background: $surface; }
    LineDialog Input > .input--placeholder { color: $dim; }
    """

    def __init__(self, title: str, hint: str, before: str = "", *, replace: bool = False) -> None:
        """replace: `before` is selected, and goes with the first letter typed."""
        super().__init__()
        self._title, self._hint, self._before, self._replace = title, hint, before, replace

    def compose(self) -> ComposeResult:
        """The line."""
        line = Input(self._before, placeholder=self._hint, select_on_focus=self._replace)
        line.border_title = self._title
        yield line

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter."""
        event.stop()
        self.dismiss(event.value.strip())


class ConfirmDialog(ModalScreen[bool]):
    """A question; `y` is yes, every other key is no."""

    DEFAULT_CSS = """
    ConfirmDialog { align: center bottom; background: transparent; }
    ConfirmDialog Static { height: 1; padding: 0 1; background: $surface; }
    """

    def __init__(self, question: str) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        """What is asked."""
        yield Static(f"{self._question} [y/N]", markup=False)

    def on_key(self, event: Key) -> None:
        """The first key decides."""
        event.stop()
        self.dismiss(event.key.lower() == "y")
