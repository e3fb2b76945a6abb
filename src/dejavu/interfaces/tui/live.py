"""The sessions that run now, the one that needs a person first; refreshes automatically.

A poll costs a few `stat` calls a session (`sessions.watch`).
"""

# Textual leaves the type of `App` open.
# pyright: reportUnknownMemberType=false

from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType

from dejavu.config import clock
from dejavu.sessions.priority import by_attention
from dejavu.sessions.session_store import SessionView
from dejavu.sessions.watch import Watch

from .formatting import ago, safe, short_path
from .rows import Rows

_POLL_INTERVAL = 0.5
_SIGN = {
    "blocked": ("?", "bad"),
    "error": ("!", "bad"),
    "done": ("✓", "good"),
    "working": ("↻", "busy"),
    "idle": ("·", "good"),
}


class Live(Rows):
    """Running sessions; gone from the screen when none runs."""

    LINES = 1
    BINDINGS: ClassVar[list[BindingType]] = [Binding("a", "look_closely", "Answer")]
    DEFAULT_CSS = """
    Live { height: auto; max-height: 8; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self.border_title = "Live"
        self.display = False
        self._watch = Watch()
        self._sessions: list[SessionView] = []

    def on_mount(self) -> None:
        """Look now, and then twice a second."""
        self._poll()
        self.set_interval(_POLL_INTERVAL, self._poll)

    def _poll(self) -> None:
        self._watch.poll()
        here = self._sessions[self.cursor].session.id if self._sessions else ""
        self._sessions = by_attention(session for session in self._watch.sessions if session.live)
        names = [session.session.id for session in self._sessions]
        self.cursor = names.index(here) if here in names else 0
        if not names and self.has_focus:
            self.screen.focus_next()
        self.display = bool(names)
        if names:
            self.border_subtitle = f"{len(names)}"
            self.styles.height = min(len(names), 6) + 2
            self.resized()

    def session(self, index: int) -> SessionView:
        """The session of a row."""
        return self._sessions[index]

    def action_look_closely(self) -> None:
        """Show what the session asks, and its screen."""
        if self._sessions:
            from .session_dialog import SessionDialog

            self.app.push_screen(SessionDialog(self._sessions[self.cursor]))

    def length(self) -> int:
        """Sessions that run."""
        return len(self._sessions)

    def row(self, index: int, width: int) -> list[Text]:  # noqa: ARG002 - cut by the list
        """State by sign, word and colour; how long; who and where."""
        session = self._sessions[index]
        sign, style = _SIGN.get(session.state, ("-", "dim"))
        duration = ago(clock.now() - (session.status.since or session.session.started_at))
        who = safe(session.session.name or session.session.agent, 24)
        return [
            Text.assemble(
                (f" {sign} {safe(session.state, 10):7}", self.look(style)),
                (f" {duration:>4}", self.look("dim")),
                f"  {who} ",
                (f"{question}  " if (question := _question(session)) else "", self.look("bad")),
                (short_path(session.session.workspace), self.look("dim")),
            )
        ]


def _question(view: SessionView) -> str:
    """What a blocked session asks."""
    asked = view.status.blocked if view.state == "blocked" else None
    return safe(str(asked.get("question", "")), 60) if asked else ""
