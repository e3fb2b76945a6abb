"""The browser's two themes, and which of them a person last chose.

Textual's own light theme has orange text at a contrast of 1.5:1, and dims by half. Ours keep every
text role at 4.5:1 or more, on the page and on the row of the cursor (WCAG 2.2, 1.4.3; computed in
the tests), and have their own colour for what is secondary: `$dim`. A terminal of 16 colours
keeps its own palette, and the terminal's dim.
"""

# Textual leaves the types of `App` open.
# pyright: reportUnknownMemberType=false

import os
from pathlib import Path

from textual.app import App, ReturnType
from textual.color import Color
from textual.theme import Theme

from dejavu.config.paths import private_folder, state_home

DARK = Theme(
    name="dejavu-dark", dark=True, primary="#0178D4", secondary="#004578", accent="#FFA62B",
    warning="#FFA62B", error="#FF7088", success="#4EBF71", foreground="#E0E0E0",
    background="#121212", surface="#1E1E1E",
)  # fmt: skip
LIGHT = Theme(
    name="dejavu-light", dark=False, primary="#004578", secondary="#0178D4", accent="#854300",
    warning="#7A4700", error="#A01238", success="#14602C", foreground="#1F1F1F",
    background="#F2F2F2", surface="#E8E8E8", panel="#DADADA",
)  # fmt: skip
_DIM = 0.28
"""How much of the background is in `$dim`."""
_CURSOR = {True: 0.3, False: 0.14}
"""How much of the primary colour is in the cursor's row, by whether the theme is dark."""


_RICH_TERMS = {"xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm", "tmux", "contour"}


class ThemedApp(App[ReturnType]):
    """An app in one of the themes; `action_theme` takes the other and remembers it."""

    def __init__(self) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self._set_dark(load_dark())

    def action_theme(self) -> None:
        """Dark, light; remembered for the next start."""
        dark = not self.current_theme.dark
        self._set_dark(dark)
        try:
            save_dark(dark)
        except OSError as error:
            self.notify(str(error), severity="error", markup=False)

    def _set_dark(self, dark: bool) -> None:
        if _many_colours():
            self.theme = DARK.name if dark else LIGHT.name
        else:
            self.theme = "ansi-dark" if dark else "ansi-light"

    def get_css_variables(self) -> dict[str, str]:
        """Add the browser's own colours to the theme's."""
        variables = super().get_css_variables()
        own = derived(variables, dark=self.current_theme.dark)
        self.theme_variables = {**variables, **own}  # where `Content` looks for `$dim`
        return self.theme_variables


def _many_colours() -> bool:
    """Whether the terminal says that it has more than 16 colours."""
    term, depth = os.environ.get("TERM", ""), os.environ.get("COLORTERM", "")
    return bool(depth) or "256" in term or "direct" in term or term in _RICH_TERMS


def derived(variables: dict[str, str], *, dark: bool) -> dict[str, str]:
    """Return the colours that the browser's styles have beyond a theme's own."""
    background, foreground = variables["background"], variables["foreground"]
    if "ansi" in background or "ansi" in foreground:
        return {"dim": "ansi_default", "cursor": "ansi_default"}
    page = Color.parse(background)
    return {
        "dim": Color.parse(foreground).blend(page, _DIM).hex,
        "cursor": page.blend(Color.parse(variables["primary"]), _CURSOR[dark]).hex,
    }


def load_dark() -> bool:
    """Return whether the dark theme is to be shown: what was last saved, else True."""
    try:
        return _file().read_text("ascii").strip() != "light"
    except (OSError, ValueError):
        return True


def save_dark(dark: bool) -> None:
    """Remember the choice for the next start. Raises OSError."""
    private_folder(_file().parent)
    descriptor = os.open(_file(), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write("dark\n" if dark else "light\n")


def _file() -> Path:
    return state_home() / "theme"
