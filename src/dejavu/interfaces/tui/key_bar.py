"""The last line: the keys that work now, each a click away.

One line, cut at whole keys. One widget, where Textual's own footer is one a key: opening has to be
quick.
"""

# Textual leaves the types of `App`, `Screen` and `Signal` open.
# pyright: reportUnknownMemberType=false

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Input

_LAST = ("help", "app.quit", "quit")


class KeyBar(Widget):
    """Keys and what they do."""

    DEFAULT_CSS = """
    KeyBar {
        dock: bottom; height: 1; width: 1fr; padding: 0 1;
        link-style: none; link-color: $dim; link-background: transparent;
        link-style-hover: bold; link-color-hover: $accent; link-background-hover: transparent;
    }
    """

    def on_mount(self) -> None:
        """Follow the focus."""
        self.screen.bindings_updated_signal.subscribe(self, self._changed)
        self.call_after_refresh(self.refresh)  # the focus may be older than we are

    def _changed(self, _screen: object) -> None:
        self.refresh()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 - Textual's signature
        """One line."""
        return 1

    def render(self) -> Content:
        """As many as fit, help and the way out always."""
        keys = self._keys()
        last = _row([keys.pop(action) for action in _LAST if action in keys])
        room, first = self.size.width - last.cell_length, list[Content]()
        for piece in keys.values():
            if _row([*first, piece]).cell_length + 2 > room:
                break
            first.append(piece)
        shown = _row(first)
        return Content.assemble(shown, " " * max(0, room - shown.cell_length), last)

    def _keys(self) -> dict[str, Content]:
        """By action, the key and a word; of several keys of one action, the first."""
        keys: dict[str, Content] = {}
        typing = isinstance(self.screen.focused, Input)
        for node, binding, enabled, _ in self.screen.active_bindings.values():
            if typing and not isinstance(node, Input):
                continue  # where one types, `q` is a letter
            if binding.show and enabled and binding.description and binding.action not in keys:
                shown = self.app.get_key_display(binding)
                piece = Content.assemble((shown, "bold"), f" {binding.description}")
                keys[binding.action] = piece.stylize(f"@click=app.click_key({binding.key!r})")
        return keys


def _row(pieces: list[Content]) -> Content:
    return Content("  ").join(pieces)
