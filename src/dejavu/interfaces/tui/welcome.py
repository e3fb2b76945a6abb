"""What stands where no conversation is open yet: how to begin, in five lines."""

from rich.text import Text
from textual.widgets import Static

_TEXT = (
    ("↑ ↓", "walk through the conversations"),
    ("Enter", "read one"),
    ("/", "search everything that was said"),
    ("w", "one workspace or agent"),
    ("?", "all keys"),
)


class Welcome(Static):
    """A quiet page."""

    DEFAULT_CSS = """
    Welcome {
        border: round $foreground 30%; width: 1fr; height: 1fr; content-align: center middle;
    }
    """

    def __init__(self) -> None:
        text = Text("Déjà Vu\n", "bold", justify="left")
        text.append("what you and your agents said, kept\n\n", "dim not bold")
        for key, does in _TEXT:
            text.append(f"{key:>6}  ", "bold")
            text.append(f"{does:34}\n", "not bold")
        super().__init__(text, id="welcome")
