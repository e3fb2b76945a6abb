"""What one does with the selected conversations: star, tag, rename, export, delete, and bring back.

Without a selection they are about the open conversation. The archive is written in one short
transaction each. Must not: decide what a tag or a title may be (`services.marks`).
"""

# Textual leaves the types of `App`, `Screen` and `Worker` open.
# pyright: reportUnknownMemberType=false

from collections.abc import Sequence
from pathlib import Path

from dejavu.archive import Archive
from dejavu.model import Conversation
from dejavu.model.plural import counted

from .conversation_actions import ConversationActions
from .conversations import Conversations
from .formatting import safe


class MarkActions(ConversationActions):
    """The keys `*`, `#`, `T`, `e`, `D` and `U`."""

    @property
    def marked_list(self) -> Conversations:
        """The list whose selection counts."""
        raise NotImplementedError

    def show_another(self) -> None:
        """What was open is gone: open what the cursor is on now, or nothing."""
        raise NotImplementedError

    def _targets(self) -> list[Conversation]:
        """The selected conversations as they are now, else the open one; says where there is none."""
        names = list(self.marked_list.selected)
        if not names and (summary := self._open_summary()) is not None:
            names = [summary.id]
        found = [self.reader.summary(name) for name in names]
        return [summary for summary in found if summary is not None]

    def _marked(self, done: str | None) -> None:
        """Say what was done, and show it."""
        if done is None:
            return
        self.say(done)
        self.marked_list.selected.clear()
        self.marked_list.refresh_rows()
        self.marked_list.refresh()
        shown = self.conversation_view.summary
        if shown is None or self.reader.has(shown.id):
            again = None if shown is None else self.reader.summary(shown.id)
            if again is not None:
                self.conversation_view.grow(again)
        else:
            self.show_another()

    def action_star(self) -> None:
        """Star, or take the star away where all have one."""
        if not (chosen := self._targets()):
            return
        starred = not all(one.starred for one in chosen)

        def change(archive: Archive) -> str:
            from dejavu.services.marks import star

            for one in chosen:
                star(archive, one.id, starred=starred)
            return f"{counted(len(chosen), 'conversation')} {'starred' if starred else 'unstarred'}"

        self._marked(self.reader.change(change))

    def action_tag(self) -> None:
        """Ask for tags; `-name` removes one."""
        if not (chosen := self._targets()):
            return
        from .line_dialogs import LineDialog

        self.push_screen(
            LineDialog("Tag", "tags to add; -tag removes one"),
            lambda text: self._tag(chosen, text),
        )

    def _tag(self, chosen: Sequence[Conversation], text: str | None) -> None:
        words = (text or "").split()
        add = [word for word in words if not word.startswith("-")]
        remove = [word[1:] for word in words if word.startswith("-")]
        if not words:
            return

        def change(archive: Archive) -> str:
            from dejavu.services.marks import tag

            for one in chosen:
                tag(archive, one.id, add, remove)
            return f"{counted(len(chosen), 'conversation')} tagged"

        self._marked(self.reader.change(change))

    def action_rename(self) -> None:
        """Ask for a title; an empty one goes back to the agent's."""
        chosen = self._targets()
        if len(chosen) > 1:
            self.say("Rename one conversation at a time.")
        if len(chosen) != 1:
            return
        from .line_dialogs import LineDialog

        self.push_screen(
            LineDialog("Rename", "empty: the agent's title", chosen[0].title),
            lambda text: self._rename(chosen[0], text),
        )

    def _rename(self, summary: Conversation, text: str | None) -> None:
        if text is None:
            return

        def change(archive: Archive) -> str:
            from dejavu.services.marks import rename

            rename(archive, summary.id, text)
            return "Renamed"

        self._marked(self.reader.change(change))

    def action_export(self) -> None:
        """Ask where to, and write the selected conversations, else the open one."""
        if not self.marked_list.selected:
            super().action_export()
        elif chosen := self._targets():
            from .export import ExportDialog  # the page's renderer is not needed to read

            title = f"Export {counted(len(chosen), 'conversation')} to"
            suggested = Path.cwd() / "conversations" / "*.md"
            self.push_screen(
                ExportDialog(suggested, title), lambda path: self._export_all(chosen, path)
            )

    def _export_all(self, chosen: Sequence[Conversation], path: Path | None) -> None:
        if path is None:
            return
        from .export import write_all

        found = (self.reader.whole(one.id) for one in chosen)
        try:
            count, replaced = write_all(path, (one for one in found if one is not None))
        except (OSError, ValueError) as error:
            self.complain(error)
        else:
            redacted = f"; redacted: {replaced}" if replaced else ""
            self._marked(f"{counted(count, 'file')} written to {safe(str(path.parent))}{redacted}")

    def action_delete(self) -> None:
        """Ask, then delete."""
        if not (chosen := self._targets()):
            return
        from .line_dialogs import ConfirmDialog

        question = f"Delete {counted(len(chosen), 'conversation')} from the archive?"
        self.push_screen(ConfirmDialog(question), lambda yes: self._delete(chosen) if yes else None)

    def _delete(self, chosen: Sequence[Conversation]) -> None:
        def change(archive: Archive) -> str:
            from dejavu.services.deletion import delete

            done = delete(archive, [one.id for one in chosen])
            held = f"; {len(done.held)} under a legal hold stay" if done.held else ""
            undo = "; U brings back" if archive.maintenance.keeps_deleted else ""
            return f"{counted(len(done.conversations), 'conversation')} deleted{undo}{held}"

        self._marked(self.reader.change(change))

    def action_undelete(self) -> None:
        """Bring back what was deleted last."""

        def change(archive: Archive) -> str:
            from dejavu.services.deletion import undelete

            return f"{counted(len(undelete(archive, [])), 'conversation')} brought back"

        self._marked(self.reader.change(change))
