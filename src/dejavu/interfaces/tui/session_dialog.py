"""A live session close up: what it asks with keys to answer by, and its screen as it is.

The screen is asked for once a second, in the background. An answer goes to the dialog that is
shown, and to no other (`sessions.answer`).

Tested in: tests/interfaces/tui/test_live.py
"""

# Textual leaves the types of `App` and `Worker` open.
# pyright: reportUnknownMemberType=false

from functools import partial
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from dejavu.model import DejavuError
from dejavu.redact.sanitise import sanitise
from dejavu.sessions.answer import answer
from dejavu.sessions.observer.screen_server import look
from dejavu.sessions.session_store import SessionView, load

from .formatting import safe

_EVERY = 1.0  # seconds between two looks at the screen
_ROWS = 14  # of the screen's end that are shown
_SUBJECT = 1200  # characters of what is asked about


class SessionDialog(ModalScreen[None]):
    """Shows one live session; digits answer what it asks."""

    AUTO_FOCUS = "*"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,a", "dismiss", "Close"),
        *(Binding(str(number), f"answer({number})", show=False) for number in range(1, 10)),
    ]
    DEFAULT_CSS = """
    SessionDialog { align: center middle; }
    SessionDialog VerticalScroll {
        width: 100; max-width: 96%; height: auto; max-height: 92%; padding: 1 2;
        border: round $accent; background: $surface;
    }
    """

    def __init__(self, view: SessionView) -> None:
        super().__init__()
        self._view = view
        self._rows: list[str] = []
        self._said = ""
        self._busy = False

    def compose(self) -> ComposeResult:
        """The question and the screen, one below the other."""
        with VerticalScroll() as box:
            box.border_title = safe(f"{self._view.label} · {self._view.session.agent}", 60)
            box.border_subtitle = "Esc closes"
            yield Static(self._content(), id="asked")

    def on_mount(self) -> None:
        """Look now, and then once a second."""
        self._follow()
        self.set_interval(_EVERY, self._follow)

    def _follow(self) -> None:
        self.run_worker(self._look, thread=True, exclusive=True, group="look")

    def _look(self) -> None:
        view = load(self._view.folder) or self._view._replace(live=False)
        try:
            rows = [str(row) for row in look(view.folder, timeout=_EVERY)["rows"]]
        except DejavuError:
            rows = []
        self.app.call_from_thread(self._show, view, rows)

    def _show(self, view: SessionView, rows: list[str]) -> None:
        self._view, self._rows = view, rows
        if self.is_mounted:
            self.query_one("#asked", Static).update(self._content())

    def _asked(self) -> dict[str, Any] | None:
        return self._view.status.blocked if self._view.state == "blocked" else None

    def _content(self) -> Content:
        pieces: list[str | tuple[str, str]] = [(f"{self._view.state}\n\n", "bold")]
        if (asked := self._asked()) is not None:
            subject = str(asked.get("subject") or asked.get("question") or "")[:_SUBJECT]
            pieces += [f"{sanitise(subject)}\n\n"]
            for number, choice in enumerate(asked.get("choices", ()), int(asked.get("first", 1))):
                pieces += [(f"{number} ", "bold"), f"{safe(str(choice), 90)}\n"]
            pieces.append("\n")
        if self._said:
            pieces.append((f"{safe(self._said, 300)}\n\n", "bold"))
        rows = [sanitise(row, newlines=False).rstrip() for row in self._rows]
        while rows and not rows[-1]:
            rows.pop()
        pieces.append(("\n".join(rows[-_ROWS:]), "$dim"))
        return Content.assemble(*pieces)

    def action_answer(self, number: int) -> None:
        """Choose, where that many choices are offered and none was chosen just now."""
        asked = self._asked()
        if asked is None or self._busy:
            return
        first = int(asked.get("first", 1))
        if not first <= number < first + len(asked.get("choices", ())):
            return
        self._busy, self._said = True, "Answering…"
        self._show(self._view, self._rows)
        self.run_worker(partial(self._answer, number, asked), thread=True)

    def _answer(self, number: int, asked: dict[str, Any]) -> None:
        try:
            said = f"Answered: {answer(self._view, str(number), asked=asked)}"
        except DejavuError as error:
            said = str(error)
        self._busy, self._said = False, said
        self.app.call_from_thread(self._follow)
