"""The keys, on `?`: those in force, each a press of Enter away.

Tested in: tests/interfaces/tui/test_help.py
"""

# Textual leaves the type of `app` open.
# pyright: reportUnknownMemberType=false

from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import ClassVar, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option


class Line(NamedTuple):
    """One line: keys (`{name}` is that of an action), what they do, and the one that Enter presses."""

    keys: str
    does: str
    press: str


KEYS = (
    ("Everywhere", (
        Line("{search}  s", "search as you type; Esc leaves it", "s"),
        Line("{ask}", "ask memory: what answers a question; Esc leaves it", "ask"),
        Line("Tab  Shift+Tab", "next, previous pane", "tab"),
        Line("1  2  3  4", "recent; by project, machine, agent", "1"),
        Line("{pick}", "one project or agent only", "pick"),
        Line("{zoom}", "the conversation alone, or both", "zoom"),
        Line("{reload}", "read the lists again", "reload"),
        Line("{theme}", "dark, light; it is remembered", "theme"),
        Line("Ctrl+P", "every command by name", "ctrl+p"),
        Line("{quit}", "quit", "quit"),
    )),
    ("Lists", (
        Line("↑ ↓  PgUp PgDn  g G", "move; the conversation is shown next to it", "down"),
        Line("Ctrl+F B  Ctrl+D U", "a page, half a page down or up", "ctrl+f"),
        Line("Enter, click", "go to it; open or close a group", "enter"),
        Line("Space", "select several to star, tag, export or delete", "space"),
        Line("→ ←  ]  [", "open, close a group; next, previous list", "right_square_bracket"),
        Line("c  x", "what memory found is right, is wrong", "c"),
        Line("a", "a live session's question; 1 to 9 answer it", "a"),
    )),
    ("Conversation", (
        Line("↑ ↓  PgUp PgDn", "scroll; Ctrl+F B D U too", "down"),
        Line("j k", "next, previous turn", "j"),
        Line("/  n N", "find in it; next, previous (s searches everything)", "slash"),
        Line("]  [", "next, previous prompt", "right_square_bracket"),
        Line("g G", "first, last turn; 12G the 12th, 5j the fifth from here", "g"),
        Line("m a  ' a  ' '", "mark a turn, go to it; back to before the jump", "m"),
        Line("Enter, click twice", "unfold calls and thinking of a turn", "enter"),
        Line("f", "unfold all, fold all", "f"),
        Line("{copy}", "copy the turn", "copy"),
        Line("{copy_markdown}", "copy the conversation as Markdown", "copy_markdown"),
        Line("{export}", "export to a file (.md or .html)", "export"),
        Line("{pager}", "open in $PAGER, everything unfolded", "pager"),
        Line("{resume}", "resume it in its agent", "resume"),
        Line("{star}", "star, or take the star away", "star"),
        Line("{tag}", "tag", "tag"),
        Line("{rename}", "give it a title", "rename"),
        Line("{delete}", "delete", "delete"),
        Line("{undelete}", "bring back what was deleted last", "undelete"),
    )),
)  # fmt: skip
"""Groups of lines; the keys of a group are for the pane of that name."""
_WIDTH = 76  # columns of the page
_AROUND = 5  # of them its border, padding and scroll bar
_KEYS = 21  # columns of the keys
_SIGNS = """\
❯ you  ● the agent  ▸ a call  └ what the tool said
At the right of a turn: its time, and its source unless that is the session file."""


class Help(ModalScreen[tuple[str, str] | None]):
    """A page of keys; gives the pane and the key that were chosen."""

    AUTO_FOCUS = "*"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark", "dismiss", "Close"),
        Binding("j", "app.simulate_key('down')", show=False),
        Binding("k", "app.simulate_key('up')", show=False),
    ]
    DEFAULT_CSS = """
    Help { align: center middle; }
    Help Vertical {
        width: 76; max-width: 96%; height: auto; max-height: 92%;
        border: round $accent; padding: 0 1; background: $surface;
    }
    Help OptionList, Help OptionList:focus {
        height: auto; max-height: 100%; border: none; padding: 0; background: $surface;
        background-tint: transparent;
        scrollbar-size-vertical: 1; scrollbar-color: $dim; scrollbar-background: $surface;
    }
    Help OptionList > .option-list--option-disabled { color: $text; }
    Help OptionList > .option-list--option-highlighted,
    Help OptionList:focus > .option-list--option-highlighted {
        background: $cursor; color: $text; text-style: none;
    }
    """

    def __init__(self, keys: Mapping[str, tuple[str, str]]) -> None:
        """`keys`: by the name of an action, its key and how that is written."""
        super().__init__()
        self._shown = {name: shown for name, (_, shown) in keys.items()}
        self._pressed = {name: key for name, (key, _) in keys.items()}
        self._chosen: dict[str, tuple[str, str]] = {}

    def compose(self) -> ComposeResult:
        """The groups, one below the other."""
        with Vertical() as page:
            page.border_title = "Keys"
            page.border_subtitle = "Enter runs it · Esc closes"
            yield OptionList(*self._options())

    def _options(self) -> Iterator[Option]:
        room = min(_WIDTH, int(0.96 * self.app.size.width)) - _AROUND - _KEYS
        for group, lines in KEYS:
            yield Option(Content.styled(group, "bold underline"), disabled=True)
            for number, (keys, does, press) in enumerate(lines):
                name = f"{group}{number}"
                self._chosen[name] = group, self._pressed.get(press, press)
                shown = keys.format_map(self._shown)
                told = wrap(does, max(10, room))
                rest = f"\n{'':{_KEYS}}".join(told)
                yield Option(Content.assemble((f"{shown:{_KEYS - 1}} ", "bold"), rest), id=name)
            yield Option("", disabled=True)
        yield Option(Content.styled(_SIGNS, "$dim"), disabled=True)

    @on(OptionList.OptionSelected)
    def _run(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._chosen[event.option.id or ""])
