"""What is shown where no conversation is open yet: how to begin, in five lines."""

from textual.content import Content
from textual.widgets import Static

_TEXT = (
    ("↑ ↓", "walk through the conversations"),
    ("Enter", "read one"),
    ("/", "search everything that was said"),
    ("w", "one project or agent"),
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
        pieces: list[str | tuple[str, str]] = [
            ("Déjà Vu\n", "bold"),
            ("what you and your agents said, kept\n\n", "$dim"),
        ]
        for key, does in _TEXT:
            pieces += [(f"{key:>6}  ", "bold"), f"{does:34}\n"]
        super().__init__(Content.assemble(*pieces), id="welcome")
