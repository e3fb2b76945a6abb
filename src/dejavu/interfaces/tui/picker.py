"""Which workspace or agent to list: the names the archive knows, with how many there are.

Takes `Counts`; gives the filter for `Archive.scan`, or None where nothing was chosen.
"""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from dejavu.archive import Counts

from .formatting import safe


class Picker(ModalScreen[dict[str, str] | None]):
    """Workspaces, then agents; the first row takes the filter away."""

    AUTO_FOCUS = "*"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,w", "cancel", "Cancel"),
        Binding("j", "app.simulate_key('down')", show=False),
        Binding("k", "app.simulate_key('up')", show=False),
    ]
    DEFAULT_CSS = """
    Picker { align: center middle; }
    Picker OptionList {
        width: 70; max-width: 96%; height: auto; max-height: 80%; border: round $accent;
    }
    """

    def __init__(self, counts: Counts) -> None:
        super().__init__()
        rows: list[tuple[dict[str, str], str, int]] = [({}, "everything", counts.conversations)]
        rows += [
            ({"workspace": n}, n or "(no workspace)", c) for n, c in counts.by_workspace.items()
        ]
        rows += [({"agent": n}, f"agent: {n}", c) for n, c in counts.by_agent.items()]
        self._rows = rows

    def compose(self) -> ComposeResult:
        """One list."""
        options = [
            Option(Content.assemble((f"{count:>7,}  ", "dim"), safe(name, 200)))
            for _, name, count in self._rows
        ]
        shown = OptionList(*options)
        shown.border_title = "Show"
        yield shown

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter or a click."""
        self.dismiss(self._rows[event.option_index][0])

    def action_cancel(self) -> None:
        """All as it was."""
        self.dismiss(None)
