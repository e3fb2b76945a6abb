"""What can be done in the browser: its keys, the same by name, and the keys of the settings in their place.

The panes have keys of their own. Does nothing itself: `app.py` has an action of each name.

Tested in: tests/interfaces/tui/test_app.py
"""

from collections.abc import Callable, Mapping

from textual.binding import Binding, BindingType

from dejavu.model import ConfigError

BINDINGS: list[BindingType] = [
    Binding("slash", "search", "Search", id="search", key_display="/"),
    Binding("s", "search", "Search everything", show=False),
    Binding("A", "ask", "Ask", id="ask"),
    Binding("w", "pick", "Filter", id="pick"),
    Binding("y", "copy", "Copy", id="copy"),
    Binding("Y", "copy_markdown", "Copy as Markdown", id="copy_markdown", show=False),
    Binding("e", "export", "Export", id="export"),
    Binding("o", "pager", "Pager", id="pager", show=False),
    Binding("R", "resume", "Resume", id="resume"),
    Binding("asterisk", "star", "Star", id="star", key_display="*", show=False),
    Binding("number_sign", "tag", "Tag", id="tag", key_display="#", show=False),
    Binding("T", "rename", "Rename", id="rename", show=False),
    Binding("D", "delete", "Delete", id="delete", show=False),
    Binding("U", "undelete", "Bring back", id="undelete", show=False),
    *(Binding(str(n + 1), f"list({n})", show=False) for n in range(4)),
    Binding("z", "zoom", "Zoom", id="zoom", show=False),
    Binding("t", "theme", "Theme", id="theme", show=False),
    Binding("r", "reload", "Reload", id="reload", show=False),
    Binding("question_mark", "help", "Help", id="help", key_display="?"),
    Binding("q", "quit", "Quit", id="quit"),
    Binding("escape", "leave", "Back", id="leave", show=False),
]

PALETTE = (
    ("Search", "Everything that was said", "search"),
    ("Ask", "What past conversations and memories answer", "ask"),
    ("Filter", "One project or agent", "pick"),
    ("Copy turn", "To the clipboard, redacted", "copy"),
    ("Copy turn with its secrets", "To the clipboard, as it was", "copy_raw"),
    ("Copy turn as Markdown", "To the clipboard, redacted", "copy_turn_markdown"),
    ("Copy conversation as Markdown", "To the clipboard, redacted", "copy_markdown"),
    ("Export", "The conversation as .md or .html", "export"),
    ("Open in pager", "With $PAGER", "pager"),
    ("Resume", "Continue it in its agent", "resume"),
    ("Star", "Or take the star away", "star"),
    ("Tag", "Add and remove tags", "tag"),
    ("Rename", "A title of your own", "rename"),
    ("Delete", "From the archive; asks first", "delete"),
    ("Bring back", "What was deleted last", "undelete"),
    ("Reload", "Read the archive again", "reload"),
    ("Import", "Read agents' histories in", "import"),
)
"""What the palette offers: its name, what it does, and the action."""

_NAMED = {one.id: one for one in BINDINGS if isinstance(one, Binding) and one.id}


class Keys:
    """The keys in force. `chosen`: by the name of an action, the key of the settings."""

    def __init__(self) -> None:
        self.chosen: dict[str, str] = {}

    def choose(self, chosen: Mapping[str, str]) -> None:
        """Put the keys of the settings in place of ours.

        Raises:
            ConfigError: some are for actions that there are none of; the others are chosen.
        """
        self.chosen = {name: key for name, key in chosen.items() if name in _NAMED}
        if unknown := sorted(chosen.keys() - _NAMED.keys()):
            known = ", ".join(sorted(_NAMED))
            raise ConfigError(f"[keys]: {', '.join(unknown)} is unknown; known: {known}")

    def in_force(self, shown: Callable[[Binding], str]) -> dict[str, tuple[str, str]]:
        """By the name of an action: the key that runs it, and how that is written."""
        keys: dict[str, tuple[str, str]] = {}
        for name, one in _NAMED.items():
            key = self.chosen.get(name, one.key).partition(",")[0].strip()
            own = one.key_display if key == one.key else None
            keys[name] = key, own or shown(Binding(key, ""))
        return keys
