"""The first run: which agents' histories are here, and importing them with one key.

Looking costs a `stat` a file and reads nothing; only the archive is written. The screen's result is
True when an import was made.
"""

# Textual leaves the types of `App`, `Screen` and `Worker` open.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import os
import time
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Middle, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import ProgressBar, Static
from textual.worker import get_current_worker

from dejavu.archive.access import open_archive
from dejavu.config.clock import now
from dejavu.config.paths import archive_shown, is_server
from dejavu.config.settings import load_config, own_instance
from dejavu.ingest.sync import Report, sync_homes
from dejavu.model import DejavuError
from dejavu.model.plural import counted
from dejavu.providers import Home, Source, agents
from dejavu.providers.overview import is_read
from dejavu.providers.registry import may_be_in

from ..agent_inventory import Inventory, inventory
from .formatting import safe
from .key_bar import KeyBar

_MOST_TOLD = 3


_SOON = 7 * 86400.0


def look(home: Home) -> list[Inventory]:
    """What each agent left below `home`, the most first; those that left nothing stay unloaded."""
    histories = (
        inventory(agent, home, {}) for agent in agents().values() if may_be_in(agent, home)
    )
    return sorted(
        (found for found in histories if found.sources), key=lambda found: -found.sessions
    )


def _note(found: Inventory) -> str:
    """What has to be said of an agent's history before it is imported; mostly nothing."""
    if not is_read(found.known.agent):
        return "kept as it is, not read yet"
    if found.purge_at is not None and found.purge_at < now() + _SOON:
        return f"it deletes its own after {found.retention_days:g} days"
    return ""


class _CancelledError(Exception):
    """The screen was left while an import ran."""


class FirstRun(ModalScreen[bool]):
    """Shown in place of an empty list."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("i,enter", "start", "Import", key_display="i"),
        Binding("escape,b", "leave", "Browse", key_display="esc"),
        Binding("q", "app.quit", "Quit"),
    ]
    DEFAULT_CSS = """
    FirstRun { align: center middle; background: $background; }
    FirstRun Middle { width: 100%; height: 1fr; align: center middle; }
    FirstRun Vertical {
        width: 72; max-width: 96%; height: auto; max-height: 100%;
        border: round $accent; padding: 1 2; overflow-y: auto;
    }
    FirstRun #progress { display: none; margin-top: 1; width: 100%; }
    FirstRun #progress Bar { width: 1fr; }
    FirstRun #told { margin-top: 1; }
    """

    def __init__(self, home: Home) -> None:
        super().__init__()
        self._home = home
        self._histories: list[Inventory] | None = None
        self._working = False
        self._finished = False

    def compose(self) -> ComposeResult:
        """What was found, a bar, and what was done."""
        with Middle(), Vertical() as box:
            box.border_title = "Déjà Vu"
            yield Static("Looking for your agents' histories …", id="found", markup=False)
            yield ProgressBar(id="progress", show_eta=False)
            yield Static("", id="told", markup=False)
        yield KeyBar()

    def on_mount(self) -> None:
        """Look at once; looking reads no conversation."""
        self._look()

    @work(thread=True)
    def _look(self) -> None:
        histories = look(self._home)
        if not get_current_worker().is_cancelled:
            self.app.call_from_thread(self._tell, histories)

    def _tell(self, histories: list[Inventory]) -> None:
        self._histories = histories
        self.query_one("#found", Static).update(self._words(histories))

    def _words(self, histories: list[Inventory]) -> Content:
        """What was found, and what a key will do."""
        if not histories:
            return Content.assemble(
                ("No history of any agent was found here.\n\n", "bold"),
                "Déjà Vu keeps what coding agents say. Start one through it:\n\n",
                ("    dejavu-run claude\n\n", "bold"),
                "or read another home: ",
                ("dejavu sync --home DIR", "bold"),
            )
        pieces: list[str | tuple[str, str]] = [("These agents have histories here:\n\n", "bold")]
        home = str(self._home.path)
        for found in histories:
            above = os.path.commonpath([source.path.parent for source in found.sources])
            folder = safe(above, 200).replace(home, "~", 1)
            sessions = counted(found.sessions, "session")
            pieces.append((f"  {found.known.agent.name:14} {sessions:>12}  ", "bold"))
            pieces.append((f"{_short(folder)}\n", "$dim"))
            if note := _note(found):
                pieces.append((f"  {'':14} {'':12}  {note}\n", "$warning"))
        where = safe(archive_shown(), 200).replace(home, "~", 1)
        whose = (
            "Everyone with access to that server's archive can read them"
            if is_server(where)
            else "They stay on this machine, readable by you alone"
        )
        pieces += ["\nPress ", ("i", "bold reverse")]
        pieces.append(
            f" to read them into {where}. {whose}; the agents' own files are not touched."
        )
        return Content.assemble(*pieces)

    def action_start(self) -> None:
        """Read it all in; or, once that is done, go on to the list."""
        if self._finished:
            self.dismiss(True)
        elif self._histories and not self._working:
            self._working = True
            bar = self.query_one("#progress", ProgressBar)
            bar.display = True
            bar.update(total=sum(history.sessions for history in self._histories), progress=0)
            self._import()

    def action_leave(self) -> None:
        """Continue without importing; not while an import runs."""
        if self._finished or not self._working:
            self.dismiss(self._finished)

    @work(thread=True, exclusive=True)
    def _import(self) -> None:
        worker, began = get_current_worker(), time.monotonic()

        def note(_source: Source, report: Report) -> None:
            if worker.is_cancelled:
                raise _CancelledError
            self.app.call_from_thread(self._progress, report, time.monotonic() - began)

        try:
            with open_archive(write=True) as archive:
                report = sync_homes(archive, [self._home], progress=note)
        except _CancelledError:
            return
        except (DejavuError, OSError) as error:
            self.app.call_from_thread(self._failed, str(error))
            return
        self.app.call_from_thread(self._done, report)

    def _progress(self, report: Report, elapsed: float) -> None:
        self.query_one("#progress", ProgressBar).update(total=report.total, progress=report.sources)
        self.query_one("#told", Static).update(report.progress_text(elapsed))

    def _failed(self, reason: str) -> None:
        self._working = False
        self.query_one("#told", Static).update(f"Not imported: {safe(reason)}\nPress i to retry.")

    def _done(self, report: Report) -> None:
        self._finished = True
        lines = [f"{counted(len(report.conversations), 'conversation')} are yours to browse."]
        if report.unreadable:
            lines.append(f"{counted(len(report.unreadable), 'file')} could not be read:")
            lines += [
                f"  {safe(path)}: {safe(why)}" for path, why in report.unreadable[:_MOST_TOLD]
            ]
        lines.append("Press Enter.")
        self.query_one("#told", Static).update("\n".join(lines))
        if not report.unreadable:
            self.dismiss(True)


def own_home() -> Home:
    """The home of this user on this machine."""
    return Home.own(own_instance(load_config()))


def _short(folder: str, most: int = 36) -> str:
    return folder if len(folder) <= most else "…" + folder[1 - most :]
