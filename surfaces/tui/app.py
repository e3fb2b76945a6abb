"""The browser: which panes there are, what the keys do, and who tells whom.

Takes the archive (opened read-only, its heads in pages, its turns in windows) and the sessions'
folders. Opening costs one page of heads: no turn is touched before a conversation is looked at.
Searching runs beside the drawing; its answers are dropped when the question has changed.
"""

# Textual leaves the types of `App`, `Screen` and `Worker` open.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.app import App, ComposeResult, SuspendNotSupported, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.reactive import reactive
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Footer, Input
from textual.worker import get_current_worker

from dejavu.archive import Archive, Counts, Hit
from dejavu.providers import Home
from dejavu.record import Conversation, DejavuError, Turn
from dejavu.record.sanitise import sanitise

from ..compose import NoArchive, open_archive
from ..config import load_config
from ..instance import own_instance
from ..render.parts import label_and_body
from ..sessions import mark
from .conversations import Conversations
from .export import ExportDialog, write
from .first_run import FirstRun
from .help import Help
from .hits import Hits
from .live import Live
from .pager import page
from .picker import Picker
from .rows import Rows
from .thread import Thread
from .welcome import Welcome
from .wording import as_typed, place, safe, searched_for

_DEBOUNCE = 0.12
_PREVIEW = 0.08
_ANSWERS = 60


class Browser(App[int]):
    """`dejavu` without a command."""

    TITLE = "Déjà Vu"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Search", key_display="/"),
        Binding("w", "pick", "Filter"),
        Binding("y", "copy", "Copy"),
        Binding("e", "export", "Export"),
        Binding("o", "pager", "Pager"),
        Binding("z", "zoom", "Zoom", show=False),
        Binding("t", "theme", "Theme", show=False),
        Binding("r", "reload", "Reload", show=False),
        Binding("question_mark", "help", "Help", key_display="?"),
        Binding("q", "quit", "Quit"),
        Binding("escape", "leave", "Back", show=False),
    ]
    CSS = """
    #side { width: 38%; min-width: 30; max-width: 64; }
    #search { border: round $foreground 30%; height: 3; padding: 0 1; background: transparent; }
    #search:focus { border: round $accent; }
    #list, #hits { height: 1fr; }
    #hits, #thread { display: none; }
    #thread { width: 1fr; height: 1fr; }
    .searching #list { display: none; }
    .searching #hits { display: block; }
    .reading #welcome { display: none; }
    .reading #thread { display: block; }
    .zoomed #side { display: none; }
    """

    zoomed: reactive[bool] = reactive(False)

    def __init__(self, home: Home | None = None) -> None:
        super().__init__()
        self._home = home
        self._stack = ExitStack()
        self._archive: Archive | None = None
        self._filter: dict[str, str] = {}
        self._waiting: Timer | None = None
        self._asked = ""
        if not _many_colours():
            self.theme = "ansi-dark"

    def compose(self) -> ComposeResult:
        """Search, live sessions and list at the left; one conversation at the right."""
        with Horizontal():
            with Vertical(id="side"):
                yield Input(placeholder="/ to search", id="search", select_on_focus=False)
                yield Live(id="live")
                yield Conversations(id="list")
                yield Hits(id="hits")
            yield Welcome()
            yield Thread(self._turns, id="thread")
        wide = self.size.width >= 100
        yield Footer(show_command_palette=wide, compact=not wide)

    @property
    def _base(self) -> Screen[object]:
        """The screen of the panes, whatever dialog lies upon it."""
        return self.screen_stack[0]

    def on_mount(self) -> None:
        """Open what there is; without any, say what could be had."""
        self._base.query_one("#list").focus()
        self._open()
        if not self._base.query_one(Conversations).length():
            self._close()
            self.push_screen(FirstRun(self._home or _own_home()), self._after_first_run)

    def on_unmount(self) -> None:
        """Let go of the archive."""
        self._close()

    def _open(self) -> None:
        if self._archive is None:
            try:
                self._archive = self._stack.enter_context(open_archive())
            except NoArchive:
                return
        self._list()

    def _close(self) -> None:
        self._archive = None
        self._stack.close()

    def _after_first_run(self, _imported: bool | None) -> None:
        self._open()

    def _list(self) -> None:
        self._base.query_one(Conversations).show(self._scan())

    def _scan(self) -> Iterator[Conversation]:
        """The heads that pass the filter; a damaged archive ends the list with a word."""
        if self._archive is None:
            return
        workspace, agent = self._filter.get("workspace"), self._filter.get("agent")
        try:
            yield from self._archive.scan(workspace=workspace, agent=agent)
        except DejavuError as error:
            self._complain(error)

    def _turns(self, conversation: str, start: int, stop: int) -> Sequence[Turn]:
        """A window of turns, for the thread."""
        if self._archive is None:
            return ()
        try:
            return tuple(self._archive.turns(conversation, start, stop))
        except (DejavuError, OSError) as error:
            self._complain(error)
            return ()

    def _complain(self, error: Exception) -> None:
        self.notify(safe(str(error)), severity="error", markup=False)

    # -- choosing what to read

    @on(Rows.Moved, "Conversations, Hits")
    def _preview(self, event: Rows.Moved) -> None:
        """Show what the cursor stands on, once it rests."""
        event.stop()
        self._later(_PREVIEW, lambda: self._read(event.rows, event.index))

    @on(Rows.Chosen, "Conversations, Hits")
    def _chosen(self, event: Rows.Chosen) -> None:
        """Go to it."""
        event.stop()
        self._read(event.rows, event.index)
        self._focus_thread()

    @on(Rows.Chosen, "Live")
    def _live(self, event: Rows.Chosen) -> None:
        """The conversation that a live session writes."""
        event.stop()
        seen = self._base.query_one(Live).session(event.index)
        mark(seen.folder, "seen")
        if seen.status.conversation is None:
            self.notify("No conversation of this session is archived yet.", markup=False)
        elif (head := self._head(seen.status.conversation)) is not None:
            self._show(head, head.turn_count - 1)
            self._focus_thread()

    def _later(self, seconds: float, call: Callable[[], object]) -> None:
        self._hush()
        self._waiting = self.set_timer(seconds, call)

    def _hush(self) -> None:
        if self._waiting is not None:
            self._waiting.stop()

    def _read(self, rows: Rows, index: int) -> None:
        if index >= rows.length():
            return
        if isinstance(rows, Hits):
            hit = rows.hit(index)
            if (head := self._head(hit.conversation)) is not None:
                self._show(head, hit.seq)
        elif isinstance(rows, Conversations):
            self._show(rows.head(index))

    def _head(self, conversation: str) -> Conversation | None:
        try:
            return None if self._archive is None else self._archive.head(conversation)
        except DejavuError as error:
            self._complain(error)
            return None

    def _show(self, head: Conversation, seq: int = 0) -> None:
        self._base.add_class("reading")
        found = searched_for(self._asked) if self._base.has_class("searching") else None
        self._base.query_one(Thread).show(head, seq, found)

    def _focus_thread(self) -> None:
        self._base.query_one(Thread).focus()
        if self.size.width < 60:
            self.zoomed = True

    # -- searching

    def action_search(self) -> None:
        """To the search line."""
        self.zoomed = False
        self._base.query_one("#search", Input).focus()

    @on(Input.Changed, "#search")
    def _typed(self, event: Input.Changed) -> None:
        query = event.value.strip()
        self._asked = query
        if query:
            self._later(_DEBOUNCE, lambda: self._search(query))
        else:
            self._hush()
            self._unsearch()

    @on(Input.Submitted, "#search")
    def _to_hits(self) -> None:
        self._base.query_one("#hits" if self._base.has_class("searching") else "#list").focus()

    def _unsearch(self) -> None:
        self._base.remove_class("searching")

    @work(thread=True, exclusive=True, group="search")
    def _search(self, query: str) -> None:
        """Ask the archive beside the drawing."""
        worker, archive = get_current_worker(), self._archive
        if archive is None:
            return
        hits: list[Hit] = []
        heads: dict[str, Conversation] = {}
        try:
            workspace, agent = self._filter.get("workspace"), self._filter.get("agent")
            hits = archive.search(as_typed(query), limit=_ANSWERS, workspace=workspace, agent=agent)
            for identity in {hit.conversation for hit in hits}:
                heads[identity] = archive.head(identity)
        except (DejavuError, OSError) as error:
            self.call_from_thread(self._complain, error)
        if not worker.is_cancelled:
            self.call_from_thread(self._answer, query, hits, heads)

    def _answer(self, query: str, hits: Sequence[Hit], heads: dict[str, Conversation]) -> None:
        if query == self._asked:
            self._base.add_class("searching")
            self._base.query_one(Hits).show(hits, heads)

    def action_leave(self) -> None:
        """One step back: out of the conversation, out of the search."""
        if self.zoomed:
            self.zoomed = False
        search = self._base.query_one("#search", Input)
        if self._base.has_class("searching") and not isinstance(self.focused, Thread):
            search.value = ""
            self._unsearch()
        self._base.query_one("#hits" if self._base.has_class("searching") else "#list").focus()

    # -- the other keys

    def action_pick(self) -> None:
        """Choose a workspace or an agent."""
        if self._archive is not None:
            self._count(self._archive)

    @work(thread=True, exclusive=True, group="count")
    def _count(self, archive: Archive) -> None:
        """Counting reads every head: beside the drawing."""
        counts = archive.counts()
        self.call_from_thread(self._ask, counts)

    def _ask(self, counts: Counts) -> None:
        self.push_screen(Picker(counts), self._picked)

    def _picked(self, chosen: dict[str, str] | None) -> None:
        if chosen is None:
            return
        self._filter = chosen
        name = next(iter(chosen.values()), None)
        told = "Conversations" if name is None else f"Conversations · {place(name)}"
        self._base.query_one("#list").border_title = Content(told)
        self._list()
        if self._asked:
            self._search(self._asked)

    def action_copy(self) -> None:
        """The text of the current turn, to the clipboard (OSC 52)."""
        thread = self._base.query_one(Thread)
        turn = thread.turn(thread.current) if thread.head is not None else None
        if turn is None:
            self.notify("Open a conversation first.", markup=False)
            return
        text = turn.text or "\n\n".join(label_and_body(part)[1] for part in turn.parts)
        self.copy_to_clipboard(sanitise(text))
        self.notify(f"Turn {turn.seq + 1} copied, {len(text):,} characters.", markup=False)

    def _whole(self) -> Conversation | None:
        """All of the open conversation."""
        head = self._base.query_one(Thread).head
        if head is None or self._archive is None:
            self.notify("Open a conversation first.", markup=False)
            return None
        try:
            return self._archive.get(head.id)
        except DejavuError as error:
            self._complain(error)
            return None

    def action_export(self) -> None:
        """Ask where to, and write."""
        head = self._base.query_one(Thread).head
        if head is None:
            self.notify("Open a conversation first.", markup=False)
            return
        suggested = Path.cwd() / f"{safe(head.agent, 20)}-{head.id}.md"
        self.push_screen(ExportDialog(suggested), self._export)

    def _export(self, path: Path | None) -> None:
        if path is None or (whole := self._whole()) is None:
            return
        try:
            write(path, whole)
        except FileExistsError:
            self._complain(ValueError(f"{path} exists already; choose another name"))
        except (OSError, ValueError) as error:
            self._complain(error)
        else:
            self.notify(f"Written: {safe(str(path))}", markup=False)

    def action_pager(self) -> None:
        """The reader's own pager."""
        if (whole := self._whole()) is None:
            return
        try:
            with self.suspend():
                page(whole)
        except SuspendNotSupported:
            self.notify("This terminal cannot be handed to a pager.", markup=False)
        except (OSError, ValueError) as error:
            self._complain(error)

    def action_zoom(self) -> None:
        """The conversation alone, or beside the list."""
        if self._base.has_class("reading"):
            self.zoomed = not self.zoomed

    def watch_zoomed(self) -> None:
        """Show or hide the left side; the focus is never on what is hidden."""
        self._base.set_class(self.zoomed, "zoomed")
        if self.zoomed:
            self._base.query_one(Thread).focus()

    def action_theme(self) -> None:
        """Dark, light."""
        kind = "ansi" if self.theme.startswith("ansi") else "textual"
        self.theme = f"{kind}-{'light' if self.current_theme.dark else 'dark'}"

    def action_reload(self) -> None:
        """What came in since."""
        self._open()
        thread = self._base.query_one(Thread)
        if thread.head is not None and (head := self._head(thread.head.id)) is not None:
            self._show(head, thread.current)

    def action_help(self) -> None:
        """The keys."""
        self.push_screen(Help())

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """What the palette offers: our keys by name, then Textual's own."""
        yield SystemCommand("Search", "Everything that was said", self.action_search)
        yield SystemCommand("Filter", "One workspace or agent", self.action_pick)
        yield SystemCommand("Copy turn", "To the clipboard", self.action_copy)
        yield SystemCommand("Export", "The conversation as .md or .html", self.action_export)
        yield SystemCommand("Open in pager", "With $PAGER", self.action_pager)
        yield SystemCommand("Reload", "Read the archive again", self.action_reload)
        yield SystemCommand("Import", "Read agents' histories in", self.action_import)
        yield from super().get_system_commands(screen)

    def action_import(self) -> None:
        """What the first run offers, again."""
        self._close()
        self.push_screen(FirstRun(self._home or _own_home()), self._after_first_run)


def _own_home() -> Home:
    return Home.own(own_instance(load_config()))


def _many_colours() -> bool:
    """Whether the terminal says that it has more than 16 colours."""
    term, depth = os.environ.get("TERM", ""), os.environ.get("COLORTERM", "")
    return bool(depth) or "256" in term or "direct" in term or term in _RICH_TERMS


_RICH_TERMS = {"xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm", "tmux", "contour"}


def browse() -> int:
    """Run the browser until it is left; gives the exit code."""
    return Browser().run() or 0
