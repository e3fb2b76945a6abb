"""The browser: which panes there are, what the keys do, and which pane gets what.

Opening costs one page of summaries; once they are drawn, the newest conversation's first turns are
read and shown next to them. Dialogs are loaded when they are asked for. Once a second one or two
summaries are read again, so that what comes in is shown without a key.
"""

# Textual leaves the types of `App`, `Screen` and `Worker` open.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import gc
import os
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult, SystemCommand
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.timer import Timer
from textual.worker import get_current_worker

from dejavu.archive import Counts
from dejavu.config.own_program import own_program
from dejavu.config.settings import load_config
from dejavu.model import ConfigError, Conversation
from dejavu.model.plural import counted
from dejavu.sessions.session_store import touch

from .archive_reader import ArchiveReader
from .conversation_actions import ResumeRequest
from .conversation_view import ConversationView
from .conversations import Conversations
from .formatting import searched_for
from .hits import Hits
from .key_bar import KeyBar
from .keys import BINDINGS, PALETTE, Keys
from .left_side import LeftSide
from .live import Live
from .rows import Rows
from .search_box import SearchBox
from .welcome import Welcome

if TYPE_CHECKING:
    from dejavu.providers import Home  # known to the first run alone

_PREVIEW = 0.08
_POLL_INTERVAL = 1.0
_TWO_PANES = 70
"""Columns from which the list and the conversation stand side by side."""


class Browser(LeftSide):
    """`dejavu` without a command."""

    TITLE = "Déjà Vu"
    AUTO_FOCUS = "#list"
    ENABLE_COMMAND_PALETTE = True
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (_TWO_PANES, "-wide")]  # noqa: RUF012 - Textual's declaration
    BINDINGS: ClassVar[list[BindingType]] = BINDINGS
    CSS = """
    #side { width: 38%; min-width: 30; max-width: 64; }
    #list, #hits, #recalled { height: 1fr; }
    #hits, #recalled { display: none; }
    #conversation { width: 1fr; height: 1fr; }
    .searching #list, .recalling #list, .recalling #hits { display: none; }
    .searching #hits, .recalling #recalled { display: block; }
    .reading #welcome { display: none; }
    .zoomed #side { display: none; }
    .-narrow #side { width: 1fr; max-width: 100%; }
    .-narrow #welcome, .-narrow #conversation { display: none; }
    .-narrow.zoomed #conversation { display: block; }
    #conversation.gone { display: none; }
    """

    def __init__(self, home: "Home | None" = None) -> None:
        super().__init__()
        self._home = home
        self.reader = ArchiveReader(self.complain)
        # In the tree once there is something in them: what is not shown costs no start-up.
        self.conversation_view = ConversationView(self.reader.turns, id="conversation")
        self._waiting: Timer | None = None
        self._keys = Keys()
        self._newest: Conversation | None = None
        self._behind = 0

    def compose(self) -> ComposeResult:
        """Search, live sessions and lists at the left; one conversation at the right."""
        with Horizontal():
            with Vertical(id="side"):
                yield SearchBox(self.reader)
                yield Live(id="live")
                yield Conversations(self.reader, id="list")
            yield Welcome()
        yield KeyBar()

    def on_mount(self) -> None:
        """Open what there is; without any, say what could be had."""
        self._list.focus()
        self._take_keys()
        self.reader.open()
        self._list.show()
        self.set_interval(_POLL_INTERVAL, self._poll)
        if not self._list.length():
            self.action_import()

    def _take_keys(self) -> None:
        """Put the keys of the settings in place of ours; say which names are unknown."""
        try:
            self._keys.choose(load_config().keys)
        except ConfigError as error:
            self.complain(error)
        self.set_keymap(self._keys.chosen)

    def on_ready(self) -> None:
        """The first frame is drawn: collect garbage again, among what is made from now on."""
        gc.freeze()
        gc.enable()
        self.set_timer(_PREVIEW, self._preview_first)

    def _preview_first(self) -> None:
        """Show the newest conversation next to the list, unless something was done already."""
        rows = self._list
        untouched = not self._base.has_class("reading") and self._waiting is None
        if untouched and self.size.width >= _TWO_PANES and rows.cursor < rows.length():
            self._read(rows, rows.cursor)

    def on_unmount(self) -> None:
        """Let go of the archive."""
        self.reader.close()

    # -- what comes in unasked

    def _poll(self) -> None:
        shown = self.conversation_view.summary
        self._poll_archive(None if shown is None else shown.id)

    @work(thread=True, exclusive=True, group="poll")
    def _poll_archive(self, shown: str | None) -> None:
        """Read the newest summary and the open one again, in the background."""
        newest = next(self.reader.summaries({}, limit=1), None)
        again = None if shown is None else self.reader.summary(shown)
        if not get_current_worker().is_cancelled:
            self.call_from_thread(self._on_polled, newest, again)

    def _on_polled(self, newest: Conversation | None, again: Conversation | None) -> None:
        if newest is not None and newest != self._newest:
            if self._newest is not None:
                self._list.refresh_rows()
            self._newest = newest
        if again is not None:
            self.conversation_view.grow(again)

    # -- choosing what to read

    @on(Rows.Moved)
    def _preview(self, event: Rows.Moved) -> None:
        """Show what the cursor is on, once it rests."""
        event.stop()
        if not isinstance(event.rows, Live):
            self._later(_PREVIEW, lambda: self._read(event.rows, event.index))

    @on(Rows.Chosen)
    def _chosen(self, event: Rows.Chosen) -> None:
        """Go to it."""
        event.stop()
        if self._read(event.rows, event.index):
            self._focus_thread()

    def _later(self, seconds: float, call: Callable[[], object]) -> None:
        if self._waiting is not None:
            self._waiting.stop()
        self._waiting = self.set_timer(seconds, call)

    def _read(self, rows: Rows, index: int) -> bool:
        """Show the conversation of a row, if it has one."""
        summary: Conversation | None = None
        seq = 0
        if index >= rows.length() or not self._list.is_attached:  # or the browser is closing
            return False
        if isinstance(rows, Hits):
            hit = rows.hit(index)
            summary, seq = self.reader.summary(hit.conversation), hit.seq
        elif self.recalled is not None and rows is self.recalled:
            summary, seq = self._of_answer(self.recalled.hit(index))
        elif isinstance(rows, Live):
            summary = self._of_session(rows, index)
            seq = 0 if summary is None else summary.turn_count - 1
        elif isinstance(rows, Conversations):
            summary = rows.summary(index)
        if summary is not None:
            self._base.add_class("reading")
            self.conversation_view.remove_class("gone")
            if not self.conversation_view.is_attached:
                self._base.query_one(Horizontal).mount(self.conversation_view)
            pattern = searched_for(self._search.query_text) if self._searching else None
            self.conversation_view.show(summary, seq, pattern)
        return summary is not None

    def show_another(self) -> None:
        """What was open is gone: open what the cursor is on now, or nothing."""
        self.conversation_view.summary = None
        if not self._read(self._list, self._list.cursor):
            self.conversation_view.add_class("gone")
            self._base.remove_class("reading")
            self.zoomed = False
            self._list.focus()

    def _of_session(self, live: Live, index: int) -> Conversation | None:
        """The conversation that a live session writes; it counts as seen from now on."""
        session = live.session(index)
        touch(session.folder, "seen")
        if session.status.conversation is None:
            self.say("No conversation of this session is archived yet.")
            return None
        return self.reader.summary(session.status.conversation)

    def _focus_thread(self) -> None:
        if self.size.width < _TWO_PANES:
            self.zoomed = True
        self.conversation_view.focus()

    # -- searching and listing

    @on(SearchBox.Answered)
    def _answered(self, event: SearchBox.Answered) -> None:
        if event.query == self._search.query_text and self._list.is_attached:
            entered = self._list.has_focus  # Enter was quicker than the answer
            self._base.remove_class("recalling").add_class("searching")
            if not self._hits.is_attached:
                self._base.query_one("#side").mount(self._hits)
            self._hits.show(event.answer)
            if entered:
                self.call_after_refresh(self._hits.focus)
            behind = event.answer.hits.behind
            if behind and not self._behind:  # once, not at every key
                self.notify(f"{counted(behind, 'conversation')} not searched yet")
            self._behind = behind
            self._later(_PREVIEW, lambda: self._read(self._hits, 0))

    @work(thread=True, exclusive=True, group="count")
    def action_pick(self) -> None:
        """Choose a project or an agent; counting reads every summary, in the background."""
        counts = self.reader.counts()
        if counts is not None:
            self.call_from_thread(self._ask, counts)

    def _ask(self, counts: Counts) -> None:
        from .picker import Picker

        self.push_screen(Picker(counts), self._picked)

    def _picked(self, chosen: dict[str, str] | None) -> None:
        if chosen is not None:
            self._list.show(filters=chosen)
            self._search.filters = chosen
            self._search.ask()

    # -- the other keys

    def action_reload(self) -> None:
        """Read the lists again, from their beginning."""
        self.reader.open()
        self._list.show()
        self._poll()

    def action_help(self) -> None:
        """The keys."""
        from .help import Help

        self.push_screen(Help(self._keys.in_force(self.get_key_display)), self._run_listed)

    def _run_listed(self, chosen: "tuple[str, str] | None") -> None:
        """Press the key that was chosen on the page of keys, in the pane it is for."""
        if chosen is None:
            return
        pane, key = chosen
        if pane == "Lists":
            self._shown_list.focus()
        elif pane == "Conversation" and self.conversation_view.is_attached:
            self.conversation_view.focus()
        self.call_after_refresh(self.action_click_key, key)

    async def action_click_key(self, key: str) -> None:
        """A key that was clicked."""
        await self.run_action(f"simulate_key({key!r})")

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """What the palette offers: our keys by name, then Textual's own."""
        for title, told, action in PALETTE:
            yield SystemCommand(title, told, getattr(self, f"action_{action}"))
        for command in super().get_system_commands(screen):
            if command.title not in ("Maximize", "Minimize"):  # z is that here
                yield command

    def action_import(self) -> None:
        """What the first run offers, and later again."""
        from .first_run import FirstRun, own_home

        try:
            home = self._home or own_home()
        except ConfigError as error:
            self.complain(error)
            return
        self.reader.close()
        self.push_screen(FirstRun(home), self._after_import)

    def _after_import(self, _imported: bool | None) -> None:
        self.action_reload()


def browse() -> int:
    """Run the browser until it is left; return the exit code.

    Where the reader continues a conversation, this process becomes the agent, captured.
    """
    app = Browser()
    resumed = app.run()
    if isinstance(resumed, ResumeRequest):
        words = own_program("dejavu.interfaces.cli", "resume", resumed.conversation)
        os.execv(sys.executable, words)  # noqa: S606 - becoming it is the point
    return app.return_code or 0
