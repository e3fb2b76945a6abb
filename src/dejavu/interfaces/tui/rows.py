"""A virtual list: what is not on the screen is neither fetched nor drawn.

Subclasses have the number of rows and the text of each. Posts `Moved` when the cursor moves and
`Chosen` on Enter or a click. Rows have one height, unless a subclass measures them. O(rows shown).
"""

# Textual leaves the types of `App`, `Screen` and `Worker` open.
# pyright: reportUnknownMemberType=false

from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from .pane import Pane


class Rows(Pane):
    """A list to walk through by keys and mouse; subclasses give `length` and `row`."""

    LINES: ClassVar[int] = 2
    """Lines of a row."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Next", show=False),
        Binding("up,k", "move(-1)", "Previous", show=False),
        Binding("pagedown,space", "page(1)", "Page down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("ctrl+f", "page(1)", "Page down", show=False),
        Binding("ctrl+b", "page(-1)", "Page up", show=False),
        Binding("ctrl+d", "page(0.5)", "Half a page down", show=False),
        Binding("ctrl+u", "page(-0.5)", "Half a page up", show=False),
        Binding("home,g", "move(-1000000000)", "First", show=False),
        Binding("end,G", "move(1000000000)", "Last", show=False),
        Binding("enter", "choose", "Open"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "rows--cursor", "rows--cursor-blurred", "rows--dim", "rows--strong", "rows--mark",
        "rows--good", "rows--busy", "rows--bad", "rows--heading",
    }  # fmt: skip
    DEFAULT_CSS = """
    Rows {
        & > .rows--cursor { background: $cursor; text-style: bold; }
        & > .rows--cursor-blurred { background: $foreground 10%; }
        & > .rows--dim { color: $dim; }
        & > .rows--heading { color: $dim; text-style: bold; }
        & > .rows--strong { text-style: bold; }
        & > .rows--mark { color: $warning; text-style: bold underline; }
        & > .rows--good { color: $success; text-style: bold; }
        & > .rows--busy { color: $warning; }
        & > .rows--bad { color: $error; text-style: bold; }
    }
    Rows:ansi > .rows--dim { text-style: dim; }
    Rows:ansi > .rows--heading { text-style: bold dim; }
    Rows:ansi > .rows--cursor { background: ansi_default; text-style: reverse; }
    Rows:ansi > .rows--cursor-blurred { background: ansi_default; text-style: bold; }
    Rows:nocolor > .rows--cursor { text-style: reverse; }
    Rows:nocolor > .rows--cursor-blurred { text-style: bold; }
    """

    cursor: reactive[int] = reactive(0, repaint=False)

    class About(Message):
        """Something about one row."""

        def __init__(self, rows: "Rows", index: int) -> None:
            super().__init__()
            self.rows, self.index = rows, index

        @property
        def control(self) -> "Rows":
            """The list, for `@on` selectors."""
            return self.rows

    class Moved(About):
        """The cursor is on another row."""

    class Chosen(About):
        """Enter or a click on a row."""

    def length(self) -> int:
        """How many rows are known."""
        raise NotImplementedError

    def row(self, index: int, width: int) -> list[Text]:
        """The lines of one row, at most `LINES`; safe text only."""
        raise NotImplementedError

    def approach(self, index: int) -> None:
        """The row at `index` is about to be shown: time to load what follows it."""

    def top(self, index: int) -> int:
        """The first line of a row."""
        return index * self.LINES

    def at(self, line: int) -> int:
        """The row that a line is of."""
        return line // self.LINES

    def selectable(self, index: int) -> bool:  # noqa: ARG002 - subclasses look
        """Whether the cursor may stand on a row."""
        return True

    def look(self, name: str) -> Style:
        """The style of a component, without its background."""
        return self.get_component_rich_style(f"rows--{name}", partial=True)

    def resized(self) -> None:
        """Say so after the number of rows changed."""
        self.virtual_size = Size(0, self.top(self.length()))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line of what is on the screen."""
        width = self.scrollable_content_region.width
        index = self.at(y + self.scroll_offset.y)
        base = self.rich_style
        if index >= self.length():
            return Strip.blank(width, base)
        line = y + self.scroll_offset.y - self.top(index)
        lines = self.row(index, width)
        text = lines[line] if line < len(lines) else Text()
        text.no_wrap, text.end = True, ""
        text.truncate(width, overflow="ellipsis", pad=True)
        strip = Strip(text.render(self.app.console)).adjust_cell_length(width)
        if index == self.cursor:
            name = "cursor" if self.has_focus else "cursor-blurred"
            full, own = self.get_component_rich_style(f"rows--{name}"), self.look(name)
            strip = strip.apply_style(
                Style(bgcolor=full.bgcolor, bold=own.bold, reverse=own.reverse)
            )
        return strip.apply_style(base)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Load what the mouse wheel comes near to."""
        super().watch_scroll_y(old_value, new_value)
        self.approach(self.at(int(new_value) + self.size.height))

    def watch_cursor(self) -> None:
        """Keep the cursor on the screen, and tell."""
        height = self.scrollable_content_region.height
        top, end = self.top(self.cursor), self.top(self.cursor + 1)
        if height and top < self.scroll_y:
            # A heading above the first rows comes into view with them.
            self.scroll_to(y=0 if top <= 1 else top, animate=False)
        elif height and end > self.scroll_y + height:
            self.scroll_to(y=end - height, animate=False)
        self.refresh()

    def on_focus(self) -> None:
        """The cursor looks different with the focus."""
        self.refresh()

    def on_blur(self) -> None:
        """As above."""
        self.refresh()

    def action_move(self, by: int) -> None:
        """Go `by` rows down."""
        self.approach(self.cursor + by)
        self.stand(max(0, min(self.cursor + by, self.length() - 1)), 1 if by > 0 else -1)

    def stand(self, index: int, step: int = 1) -> None:
        """Put the cursor on a row, or on the nearest it may stand on, `step`wards first."""
        for way in (step, -step):
            at = index
            while 0 <= at < self.length() and not self.selectable(at):
                at += way
            if 0 <= at < self.length():
                if at != self.cursor:
                    self.cursor = at
                    self.post_message(self.Moved(self, at))
                return

    def action_page(self, by: float) -> None:
        """Go `by` screens down."""
        line = self.top(self.cursor) + int(by * max(2, self.scrollable_content_region.height))
        self.approach(max(0, self.at(max(0, line))))
        self.action_move(min(self.at(max(0, line)), self.length()) - self.cursor)

    def action_choose(self) -> None:
        """Open the row under the cursor."""
        if self.cursor < self.length():
            self.post_message(self.Chosen(self, self.cursor))

    def on_click(self, event: Click) -> None:
        """A click chooses."""
        at = event.get_content_offset(self)
        index = -1 if at is None else self.at(at.y + self.scroll_offset.y)
        if 0 <= index < self.length() and self.selectable(index):
            self.cursor = index
            self.action_choose()
