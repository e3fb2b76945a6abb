"""The keys, on `?`."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

KEYS = (
    ("Everywhere", (
        ("/  s", "search as you type; Esc leaves it"),
        ("Tab  Shift+Tab", "next, previous pane"),
        ("1  2  3  4", "recent; by workspace, instance, agent"),
        ("w", "one workspace or agent only"),
        ("z", "the conversation alone, or both"),
        ("r", "read the lists again"),
        ("t", "dark, light; it is remembered"),
        ("Ctrl+P", "every command by name"),
        ("?  q", "this page; quit"),
    )),
    ("Lists", (
        ("↑ ↓  PgUp PgDn  g G", "move; the conversation is shown next to it"),
        ("Ctrl+F B  Ctrl+D U", "a page, half a page down or up"),
        ("Enter, click", "go to it; open or close a place"),
        ("Space", "select; * # D are about all selected"),
        ("→ ←  ]  [", "open, close a place; next, previous list"),
        ("a", "of a live session: its question and screen; 1 to 9 answer"),
    )),
    ("Conversation", (
        ("↑ ↓  PgUp PgDn", "scroll; Ctrl+F B D U too"),
        ("j k", "next, previous turn"),
        ("/  n N", "find in it; next, previous (s searches everything)"),
        ("]  [", "next, previous prompt"),
        ("g G", "first, last turn; 12G the 12th, 5j the fifth from here"),
        ("m a  ' a  ' '", "mark a turn, go to it; back to before the jump"),
        ("Enter, click twice", "unfold calls and thinking of a turn"),
        ("f", "unfold all, fold all"),
        ("y  Y", "copy the turn; the conversation as Markdown"),
        ("e", "export to a file (.md or .html)"),
        ("o", "open in $PAGER, everything unfolded"),
        ("R", "go on with it in its agent"),
        ("*  #  T", "star; tag; title"),
        ("D  U", "delete; bring back what was deleted last"),
    )),
)  # fmt: skip
"""Groups of (keys, what they do)."""
_SIGNS = """
❯ a person  ● the agent  ▸ a call  └ what the tool said
At the right of a turn: its time, and how it was captured."""


class Help(ModalScreen[None]):
    """A page of keys."""

    AUTO_FOCUS = "*"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,enter", "dismiss", "Close")
    ]
    DEFAULT_CSS = """
    Help { align: center middle; }
    Help VerticalScroll {
        width: 70; max-width: 96%; height: auto; max-height: 92%;
        border: round $accent; padding: 0 2; background: $surface;
    }
    """

    def compose(self) -> ComposeResult:
        """The groups, one below the other."""
        pieces: list[str | tuple[str, str]] = []
        for at, (group, keys) in enumerate(KEYS):
            pieces.append((f"{'' if at == 0 else chr(10)}{group}\n", "bold underline"))
            for key, does in keys:
                pieces += [(f"{key:20} ", "bold"), f"{does}\n"]
        pieces.append((_SIGNS, "$dim"))
        with VerticalScroll() as page:
            page.border_title = "Keys"
            page.border_subtitle = "Esc closes"
            yield Static(Content.assemble(*pieces))
