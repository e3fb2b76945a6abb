"""How to resume a conversation: the agent's own command, to copy or to run, or why it cannot run here."""

import shutil
from pathlib import Path
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from dejavu.model import Conversation
from dejavu.providers.resume import resume_command, resume_line

from .formatting import safe

Answer = Literal["run", "copy"]


def hindrance(summary: Conversation) -> str:
    """Why the command cannot run here; empty where it can."""
    command = resume_command(summary) or [""]
    if not shutil.which(command[0]):
        return f"{command[0]} is not on the PATH here"
    if not Path(summary.workspace).is_dir():
        return f"there is no folder {safe(summary.workspace, 80)} here"
    return ""


class ResumeDialog(ModalScreen[Answer | None]):
    """Shows the command line and asks what to do with it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "run", "Run"),
        Binding("y,c", "copy", "Copy"),
        Binding("escape,q,R", "cancel", "Cancel"),
    ]
    DEFAULT_CSS = """
    ResumeDialog { align: center middle; }
    ResumeDialog Vertical {
        width: 76; max-width: 96%; height: auto; padding: 1 2;
        border: round $accent; background: $surface;
    }
    """

    def __init__(self, summary: Conversation) -> None:
        super().__init__()
        self._summary = summary
        self._hindrance = hindrance(summary)

    def compose(self) -> ComposeResult:
        """The command, and the keys."""
        folder, _, command = (resume_line(self._summary) or "").rpartition(" && ")
        pieces: list[str | tuple[str, str]] = [(f"{safe(folder)}\n", "$dim")] if folder else []
        pieces.append((f"{safe(command)}\n\n", "bold"))
        if self._hindrance:
            pieces.append((f"It cannot run here: {self._hindrance}.\n\n", "$dim"))
            pieces += [("y", "bold"), "  copy the whole line\n", ("Esc", "bold"), "  cancel"]
        else:
            pieces += [
                ("Enter", "bold"), "  leave the browser and run it, captured\n",
                ("y", "bold"), "      copy the whole line\n", ("Esc", "bold"), "    cancel",
            ]  # fmt: skip
        with Vertical() as box:
            box.border_title = f"Resume in {self._summary.agent}"
            yield Static(Content.assemble(*pieces))

    def action_run(self) -> None:
        """Here and now, where it can."""
        if not self._hindrance:
            self.dismiss("run")

    def action_copy(self) -> None:
        """To the clipboard."""
        self.dismiss("copy")

    def action_cancel(self) -> None:
        """Neither."""
        self.dismiss(None)
