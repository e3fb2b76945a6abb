"""The left side of the browser: which list is there, and whether it is shown at all.

All conversations, or what a search or memory found; each covers the one before until it is left. Must
not read the archive.

Tested in: tests/interfaces/tui/test_app.py
"""

# Textual leaves the types of `App` and `Screen` open.
# pyright: reportUnknownMemberType=false

from textual import on
from textual.reactive import reactive
from textual.screen import Screen

from .conversation_view import ConversationView
from .conversations import Conversations
from .hits import Hits
from .recall_actions import RecallActions
from .rows import Rows
from .search_box import SearchBox


class LeftSide(RecallActions):
    """The keys `/`, `1` to `4`, `z` and Esc."""

    zoomed: reactive[bool] = reactive(False)

    def __init__(self) -> None:
        super().__init__()
        self._hits = Hits(id="hits")

    @property
    def _base(self) -> Screen[object]:
        """The screen of the panes, whatever dialog is on top."""
        return self.screen_stack[0]

    @property
    def _list(self) -> Conversations:
        return self._base.query_one(Conversations)

    @property
    def marked_list(self) -> Conversations:
        """The list whose selection counts."""
        return self._list

    @property
    def _search(self) -> SearchBox:
        return self._base.query_one(SearchBox)

    @property
    def _searching(self) -> bool:
        return self._base.has_class("searching")

    @property
    def _shown_list(self) -> Rows:
        """The list at the left: what memory or a search found, or all conversations."""
        if self.recalled is not None and self._base.has_class("recalling"):
            return self.recalled
        return self._hits if self._searching else self._list

    def action_search(self) -> None:
        """To the search line."""
        self.zoomed = False
        self._search.focus()

    @on(SearchBox.Cleared)
    def _cleared(self) -> None:
        self._base.remove_class("searching")

    @on(SearchBox.Submitted)
    def _to_hits(self) -> None:
        self._shown_list.focus()

    def show_recalled(self, rows: Rows) -> None:
        """Put what memory found in place of the list, and go to it."""
        self.zoomed = False
        self._base.add_class("recalling")
        if not rows.is_attached:
            self._base.query_one("#side").mount(rows)
        self.call_after_refresh(rows.focus)

    def action_leave(self) -> None:
        """One step back: out of the conversation, out of what memory or a search found."""
        self.zoomed = False
        if not isinstance(self.focused, ConversationView):
            if self._base.has_class("recalling"):
                self._base.remove_class("recalling")
            elif self._searching:
                self._search.value = ""
                self._base.remove_class("searching")
        self._to_hits()

    def action_list(self, tab: int) -> None:
        """Recent, projects, machines, agents."""
        self.zoomed = False
        self._base.remove_class("searching", "recalling")
        self._list.show(tab=tab)
        self._list.focus()

    def action_zoom(self) -> None:
        """The conversation alone, or next to the list."""
        if self._base.has_class("reading"):
            self.zoomed = not self.zoomed

    def watch_zoomed(self) -> None:
        """Show or hide the left side; the focus is never on what is hidden."""
        self._base.set_class(self.zoomed, "zoomed")
        if self.zoomed:
            self.conversation_view.focus()
