"""Style conditions of rules: words that the cells at a group's start must satisfy.

`parse_style` compiles the words of a rule (`bold italic !bg`) into a `StyleMatcher`, a predicate on
`Style`. Themes change colours, so the words name attributes, the presence of a colour, and the two
colours that mean the same in every theme (grey, red); never a colour's value.
"""

from collections.abc import Callable

from dejavu.model import RulePackError
from dejavu.screen import Style

Color = int | str | None
StyleMatcher = Callable[[Style], bool]


def _grey(style: Style) -> bool:
    """The foreground is a shade between black and white."""
    if style.fg == 8:  # bright black
        return True
    rgb = rgb_of(style.fg)
    return rgb is not None and max(rgb) - min(rgb) <= 12 and 40 <= max(rgb) <= 200


def is_greyed(style: Style) -> bool:
    """Whether a text is drawn fainter than usual: dim, or in grey."""
    return style.dim or _grey(style)


def _red(style: Style) -> bool:
    """The foreground is red: palette 1 or 9, or a colour whose red dominates."""
    if style.fg in (1, 9):
        return True
    rgb = rgb_of(style.fg)
    return rgb is not None and rgb[0] >= 140 and rgb[0] * 10 >= max(rgb[1:]) * 14


def _sunk(style: Style) -> bool:
    """The foreground nearly equals the background: drawn not to be seen."""
    fore, back = rgb_of(style.fg), rgb_of(style.bg)
    if fore is None or back is None:
        return style.invisible
    return max(abs(one - other) for one, other in zip(fore, back, strict=True)) <= 12


def rgb_of(colour: Color) -> tuple[int, int, int] | None:
    """Return red, green, blue of a 24-bit or 256-palette colour; None for the 16 a theme sets."""
    if isinstance(colour, str):
        value = int(colour[1:], 16)
        return value >> 16, value >> 8 & 255, value & 255
    if colour is None or colour < 16:
        return None
    if colour >= 232:
        shade = 8 + 10 * (colour - 232)
        return shade, shade, shade
    steps = (0, 95, 135, 175, 215, 255)
    index = colour - 16
    return steps[index // 36], steps[index // 6 % 6], steps[index % 6]


_WORDS: dict[str, StyleMatcher] = {
    "bold": lambda style: style.bold,
    "dim": lambda style: style.dim,
    "italic": lambda style: style.italic,
    "underline": lambda style: style.underline > 0,
    "inverse": lambda style: style.inverse,
    "strike": lambda style: style.strike,
    "fg": lambda style: style.fg is not None,
    "bg": lambda style: style.bg is not None,
    "grey": _grey,
    "red": _red,
    "sunk": _sunk,
}


def parse_style(words: str) -> StyleMatcher:
    """Compile `words` into one predicate. Raise `RulePackError` for an unknown word."""
    tests: list[tuple[StyleMatcher, bool]] = []
    for word in words.split():
        name = word.removeprefix("!")
        if name not in _WORDS:
            raise RulePackError(
                f"{name!r} is not a word of style; use one of {', '.join(sorted(_WORDS))}"
            )
        tests.append((_WORDS[name], not word.startswith("!")))
    return lambda style: all(test(style) is wanted for test, wanted in tests)
