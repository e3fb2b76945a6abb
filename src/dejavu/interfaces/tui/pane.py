"""A pane: the frame and the scroll bar that the browser's lists and threads have in common.

Draws nothing itself; its subclasses draw line by line, so that what is not shown costs nothing.
"""

from typing import ClassVar

from textual.scroll_view import ScrollView


class Pane(ScrollView, can_focus=True):
    """A framed part of the browser that scrolls and can have the focus."""

    DEFAULT_CSS: ClassVar[str] = """
    Pane {
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
        scrollbar-color: $foreground 25%; scrollbar-background: $background;
        scrollbar-color-hover: $foreground 50%; scrollbar-background-hover: $background;
        scrollbar-color-active: $accent; scrollbar-background-active: $background;
        border: round $foreground 30%;
        border-title-color: $foreground;
        border-subtitle-color: $dim;
        &:focus { border: round $accent; border-title-color: $accent; }
    }
    """
