"""Export to new files (0600), in the form that the name's ending says: `.md`, `.html`.

Secrets are redacted; `dejavu export --raw-secrets` is for who wants them.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from dejavu.archive.redactor import counting_redactor
from dejavu.export.html import as_html
from dejavu.export.markdown import as_markdown
from dejavu.model import Conversation
from dejavu.redact.conversation import redact_conversation

from .formatting import safe


def write(path: Path, conversation: Conversation) -> str:
    """Write a new file in the form its ending names; return what was redacted, for people.

    Raises:
        ValueError: neither `.md` nor `.html`.
        OSError: it exists already, or its folder does not.
    """
    if path.suffix not in (".md", ".html"):
        raise ValueError("the name must end in .md or .html")
    redactor = counting_redactor()
    conversation = redact_conversation(conversation, redactor.redact)
    page = as_html(conversation) if path.suffix == ".html" else [as_markdown(conversation)]
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.writelines(page)
    return redactor.summary()


def write_all(pattern: Path, conversations: Iterable[Conversation]) -> tuple[int, str]:
    """Write each conversation into the folder of `pattern`, whose ending is the form.

    Return how many files were written, and what was redacted. The folder is made where it is missing.

    Raises:
        ValueError: the ending is neither `.md` nor `.html`.
        OSError: a file exists already, or the folder cannot be made.
    """
    if pattern.suffix not in (".md", ".html"):
        raise ValueError("the name must end in *.md or *.html")
    pattern.parent.mkdir(exist_ok=True)
    told = [
        write(pattern.with_name(f"{safe(one.agent, 20)}-{one.id}{pattern.suffix}"), one)
        for one in conversations
    ]
    return len(told), "; ".join(filter(None, told))


class ExportDialog(ModalScreen[Path | None]):
    """Asks for the path."""

    AUTO_FOCUS = "*"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Cancel")]
    DEFAULT_CSS = """
    ExportDialog { align: center middle; }
    ExportDialog Vertical {
        width: 70; max-width: 96%; height: auto; border: round $accent; background: $surface;
    }
    ExportDialog Static { padding: 0 1; color: $text-muted; }
    """

    def __init__(self, suggested: Path, title: str = "Export to") -> None:
        super().__init__()
        self._suggested = suggested
        self._title = title

    def compose(self) -> ComposeResult:
        """One line to edit."""
        with Vertical() as box:
            box.border_title = self._title
            yield Input(str(self._suggested), select_on_focus=False)
            yield Static("a name ending in .md or .html · Enter writes · Esc cancels", markup=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter."""
        if event.value.strip():
            self.dismiss(Path(event.value.strip()).expanduser())

    def action_cancel(self) -> None:
        """Nothing is written."""
        self.dismiss(None)
