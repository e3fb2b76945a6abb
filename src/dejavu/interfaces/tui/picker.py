"""Which project or agent to list: the names the archive knows, with how many there are of each.

Typing narrows the list; the answer is a filter for `Archive.scan`, or None where nothing was chosen.
"""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from dejavu.archive import Counts

from .formatting import safe


class Picker(ModalScreen[dict[str, str] | None]):
    """Projects, then agents; the first row takes the filter away."""

    AUTO_FOCUS = "Input"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Cancel"),
        Binding("down,ctrl+n", "move(1)", show=False),
        Binding("up,ctrl+p", "move(-1)", show=False),
        Binding("pagedown", "move(10)", show=False),
        Binding("pageup", "move(-10)", show=False),
    ]
    DEFAULT_CSS = """
    Picker { align: center middle; }
    Picker Vertical {
        width: 70; max-width: 96%; height: auto; max-height: 90%;
        border: round $accent; background: $surface;
    }
    Picker Input, Picker Input:focus {
        border: none; height: 1; padding: 0 1; background: transparent;
    }
    Picker Input > .input--placeholder { color: $dim; }
    Picker OptionList { height: auto; max-height: 20; border: none; background: transparent; }
    Picker OptionList > .option-list--option-highlighted { background: $cursor; color: $foreground; }
    """

    def __init__(self, counts: Counts) -> None:
        super().__init__()
        rows: list[tuple[dict[str, str], str, int]] = [({}, "everything", counts.conversations)]
        rows += [({"project": n}, n or "(no project)", c) for n, c in counts.by_project.items()]
        rows += [({"agent": n}, f"agent: {n}", c) for n, c in counts.by_agent.items()]
        self._rows = rows
        self._shown = rows

    def compose(self) -> ComposeResult:
        """What is typed, and the names that hold it."""
        with Vertical() as box:
            box.border_title = "Show"
            box.border_subtitle = "type to narrow · Enter · Esc"
            yield Input(placeholder="a part of a name")
            yield OptionList()

    def on_mount(self) -> None:
        """List all names."""
        self._list("")

    def on_input_changed(self, event: Input.Changed) -> None:
        """List the names that hold every word typed, in any case."""
        self._list(event.value)

    def _list(self, typed: str) -> None:
        words = typed.casefold().split()
        self._shown = [
            row for row in self._rows if all(word in row[1].casefold() for word in words)
        ]
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options(
            Option(Content.assemble((f"{count:>7,}  ", "$dim"), safe(name, 200)))
            for _, name, count in self._shown
        )
        options.highlighted = 0 if self._shown else None

    def action_move(self, by: int) -> None:
        """Move in the list while the typing continues."""
        options = self.query_one(OptionList)
        if options.highlighted is not None:
            options.highlighted = max(0, min(options.highlighted + by, len(self._shown) - 1))

    def on_input_submitted(self, _event: Input.Submitted) -> None:
        """Enter."""
        highlighted = self.query_one(OptionList).highlighted
        if highlighted is not None:
            self.dismiss(self._shown[highlighted][0])

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A click."""
        self.dismiss(self._shown[event.option_index][0])

    def action_cancel(self) -> None:
        """All as it was."""
        self.dismiss(None)
