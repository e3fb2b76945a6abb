"""A virtual list of rows of one height: what is not on the screen is neither asked for nor drawn.

Takes (from its subclasses) a count and the text of one row; gives `Moved` when the cursor moves
and `Chosen` on Enter or a click. Drawing costs O(rows shown).
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
from textual.scroll_view import ScrollView
from textual.strip import Strip


class Rows(ScrollView, can_focus=True):
    """A list to walk through by keys and mouse; subclasses give `length` and `row`."""

    LINES: ClassVar[int] = 2
    """Lines of a row."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Next", show=False),
        Binding("up,k", "move(-1)", "Previous", show=False),
        Binding("pagedown,space", "page(1)", "Page down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("home,g", "move(-1000000000)", "First", show=False),
        Binding("end,G", "move(1000000000)", "Last", show=False),
        Binding("enter", "choose", "Open"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "rows--cursor", "rows--cursor-blurred", "rows--dim", "rows--strong", "rows--mark",
        "rows--good", "rows--busy", "rows--bad",
    }  # fmt: skip
    DEFAULT_CSS = """
    Rows {
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
        border: round $foreground 30%;
        border-title-color: $foreground;
        border-subtitle-color: $foreground 60%;
        &:focus { border: round $accent; border-title-color: $accent; }
        & > .rows--cursor { background: $primary 50%; text-style: bold; }
        & > .rows--cursor-blurred { background: $foreground 10%; }
        & > .rows--dim { text-style: dim; }
        & > .rows--strong { text-style: bold; }
        & > .rows--mark { color: $warning; text-style: bold underline; }
        & > .rows--good { color: $success; text-style: bold; }
        & > .rows--busy { color: $warning; }
        & > .rows--bad { color: $error; text-style: bold; }
    }
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
        """The cursor stands on another row."""

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

    def look(self, name: str) -> Style:
        """The style of a component, without its background."""
        return self.get_component_rich_style(f"rows--{name}", partial=True)

    def resized(self) -> None:
        """Say so after the number of rows changed."""
        self.virtual_size = Size(0, self.length() * self.LINES)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line of what is on the screen."""
        width = self.scrollable_content_region.width
        index, line = divmod(y + self.scroll_offset.y, self.LINES)
        base = self.rich_style
        if index >= self.length():
            return Strip.blank(width, base)
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
        self.approach(int(new_value + self.size.height) // self.LINES)

    def watch_cursor(self) -> None:
        """Keep the cursor on the screen, and tell."""
        top, height = self.cursor * self.LINES, self.scrollable_content_region.height
        if height and top < self.scroll_y:
            self.scroll_to(y=top, animate=False)
        elif height and top + self.LINES > self.scroll_y + height:
            self.scroll_to(y=top + self.LINES - height, animate=False)
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
        index = max(0, min(self.cursor + by, self.length() - 1))
        if index != self.cursor:
            self.cursor = index
            self.post_message(self.Moved(self, index))

    def action_page(self, by: int) -> None:
        """Go `by` screens down."""
        self.action_move(by * max(1, self.scrollable_content_region.height // self.LINES))

    def action_choose(self) -> None:
        """Open the row under the cursor."""
        if self.cursor < self.length():
            self.post_message(self.Chosen(self, self.cursor))

    def on_click(self, event: Click) -> None:
        """A click chooses."""
        at = event.get_content_offset(self)
        index = -1 if at is None else (at.y + self.scroll_offset.y) // self.LINES
        if 0 <= index < self.length():
            self.cursor = index
            self.action_choose()
