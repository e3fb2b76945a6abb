"""What one does with the open conversation: copy, export, page through it, resume it.

Writes to the clipboard (OSC 52), to a new file, to a pager, or leaves the browser with the agent's
command to run. What is copied or exported is redacted, and the word that appears says so. Dialogs and
the redactor are loaded when asked for.
"""

# Textual leaves the types of `App`, `Screen` and `Worker` open.
# pyright: reportUnknownMemberType=false

from pathlib import Path
from typing import NamedTuple

from textual.app import SuspendNotSupported

from dejavu.export.parts import label_and_body
from dejavu.model import Conversation, Turn
from dejavu.model.conversation import turn_number
from dejavu.providers.resume import resume_command, resume_line
from dejavu.redact.sanitise import sanitise

from .archive_reader import ArchiveReader
from .conversation_view import ConversationView
from .formatting import safe
from .theme import ThemedApp

_CLIPBOARD = 1_000_000
"""Characters that are given to a terminal for its clipboard; many take fewer."""


class ResumeRequest(NamedTuple):
    """What `dejavu resume` is to resume once the browser is left."""

    conversation: str


class ConversationActions(ThemedApp[ResumeRequest]):
    """The keys `y`, `Y`, `e`, `o` and `R`."""

    reader: ArchiveReader
    conversation_view: ConversationView
    """The conversation on the right."""

    def say(self, message: str) -> None:
        """A word that disappears after a moment."""
        self.notify(message, markup=False)

    def complain(self, error: Exception) -> None:
        """What went wrong, from any thread."""
        self.notify(safe(str(error)), severity="error", markup=False)

    def _open_summary(self) -> Conversation | None:
        if self.conversation_view.summary is None:
            self.say("Open a conversation first.")
        return self.conversation_view.summary

    def _whole(self) -> Conversation | None:
        summary = self._open_summary()
        return None if summary is None else self.reader.whole(summary.id)

    def action_copy(self) -> None:
        """The text of the current turn, redacted."""
        self._copy(raw_secrets=False)

    def action_copy_raw(self) -> None:
        """The text of the current turn, secrets included."""
        self._copy(raw_secrets=True)

    def action_copy_turn_markdown(self) -> None:
        """The current turn as Markdown, redacted."""
        if self._open_summary() is None or (turn := self._current_turn()) is None:
            return
        from dejavu.archive.redactor import counting_redactor
        from dejavu.export.markdown import turn_as_markdown
        from dejavu.redact.conversation import redact_turn

        redactor = counting_redactor()
        text = turn_as_markdown(redact_turn(turn, redactor.redact))
        self._to_clipboard(f"Turn {turn_number(turn.seq)}", text, redactor.summary())

    def action_copy_markdown(self) -> None:
        """The whole conversation as Markdown, redacted."""
        if (whole := self._whole()) is None:
            return
        from dejavu.archive.redactor import counting_redactor
        from dejavu.export.markdown import as_markdown
        from dejavu.redact.conversation import redact_conversation

        redactor = counting_redactor()
        text = as_markdown(redact_conversation(whole, redactor.redact))
        if len(text) > _CLIPBOARD:
            self.say(f"{len(text):,} characters are too many for a clipboard; e writes a file.")
            return
        self._to_clipboard("Conversation", text, redactor.summary())

    def _to_clipboard(self, what: str, text: str, redacted: str) -> None:
        self.copy_to_clipboard(text)
        note = f", redacted: {redacted}" if redacted else ""
        self.say(f"{what} copied as Markdown, {len(text):,} characters{note}.")

    def _current_turn(self) -> Turn | None:
        return self.conversation_view.turn(self.conversation_view.current)

    def _copy(self, *, raw_secrets: bool) -> None:
        if self._open_summary() is None or (turn := self._current_turn()) is None:
            return
        from dejavu.archive.redactor import counting_redactor
        from dejavu.redact.conversation import redact_turn

        redactor = counting_redactor()
        text = _text_of(turn if raw_secrets else redact_turn(turn, redactor.redact))
        self.copy_to_clipboard(text)
        replaced = f", redacted: {redactor.summary()}" if redactor.total else ""
        self.say(f"Turn {turn_number(turn.seq)} copied, {len(text):,} characters{replaced}.")

    def action_export(self) -> None:
        """Ask where to, and write."""
        if (summary := self._open_summary()) is None:
            return
        from .export import ExportDialog  # the page's renderer is not needed to read

        suggested = Path.cwd() / f"{safe(summary.agent, 20)}-{summary.id}.md"
        self.push_screen(ExportDialog(suggested), self._export)

    def _export(self, path: Path | None) -> None:
        if path is None or (whole := self._whole()) is None:
            return
        from .export import write

        try:
            replaced = write(path, whole)
        except FileExistsError:
            self.complain(ValueError(f"{path} exists already; choose another name"))
        except (OSError, ValueError) as error:
            self.complain(error)
        else:
            redacted = f"; redacted: {replaced}" if replaced else ""
            self.say(f"Written: {safe(str(path))}{redacted}")

    def action_pager(self) -> None:
        """The reader's own pager."""
        if (whole := self._whole()) is None:
            return
        from dejavu.export.text import as_text

        from ..pager import page

        try:
            with self.suspend():
                page(as_text(whole, paint=lambda line, _code: line, full=True), "R")
        except SuspendNotSupported:
            self.say("This terminal cannot be handed to a pager.")
        except (OSError, ValueError) as error:
            self.complain(error)

    def action_resume(self) -> None:
        """The agent's own command that continues this conversation."""
        if (summary := self._open_summary()) is None:
            return
        if resume_command(summary) is None:
            self.say(f"No command is known that continues a session of {safe(summary.agent, 20)}.")
            return
        from .resume_dialog import ResumeDialog

        self.push_screen(ResumeDialog(summary), self._resume)

    def _resume(self, answer: str | None) -> None:
        summary = self.conversation_view.summary
        if summary is None or answer is None:
            return
        command, line = resume_command(summary), resume_line(summary)
        if answer == "copy" and line is not None:
            self.copy_to_clipboard(line)
            self.say("The command is on the clipboard.")
        elif command is not None:
            self.exit(ResumeRequest(summary.id))


def _text_of(turn: Turn) -> str:
    return sanitise(turn.text or "\n\n".join(label_and_body(part)[1] for part in turn.parts))
