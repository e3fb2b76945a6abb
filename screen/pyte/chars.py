"""Cells of the grid as pyte's `Char`, and back.

A `Char` names its colours: the sixteen by name, all others as hexadecimal digits. It has no dim,
invisible, overlined or linked text, and one kind of underline; those are left out.
Cost: one look-up a cell.

Tested in: tests/screen/test_pyte.py
"""

import unicodedata
from functools import lru_cache

from pyte import graphics
from pyte.screens import Char

from ..attributes import Color, Palette, parse_sgr
from ..row import FILLER, Clusters

_NAMES = [
    *(graphics.FG_ANSI[30 + n] for n in range(8)),
    *(graphics.FG_AIXTERM[90 + n] for n in range(8)),
]

_TABLE_LIMIT = 1 << 16  # characters a table remembers


def _color_name(color: Color) -> str:
    if color is None:
        return "default"
    if isinstance(color, str):
        return color[1:]
    return _NAMES[color] if color < len(_NAMES) else graphics.FG_BG_256[color]


class CharTable(dict[tuple[str, str], Char]):
    """The `Char` of a cell and its attribute, made when it is first asked for.

    `inverted` is DECSCNM, which swaps the colours of all cells. The right half of a wide character
    is "", a cell that holds nothing a blank.
    """

    def __init__(self, palette: Palette, clusters: Clusters, inverted: bool) -> None:
        super().__init__()
        self.palette, self.clusters, self.inverted = palette, clusters, inverted

    def __missing__(self, key: tuple[str, str]) -> Char:
        cell, attribute = key
        style = self.palette.style(attribute)
        if len(self) >= _TABLE_LIMIT:
            self.clear()
        char = self[key] = Char(
            "" if cell == FILLER else composed(self.clusters.text(cell)),
            _color_name(style.fg),
            _color_name(style.bg),
            style.bold,
            style.italic,
            style.underline > 0,
            style.strike,
            style.inverse is not self.inverted,
            style.blink,
        )
        return char


def composed(text: str) -> str:
    """Text with letters and their marks composed (NFC), as pyte keeps them."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def style_of(char: Char) -> int:
    """The style of a `Char`, in the bits of `attributes`."""
    return _style(*char[1:])


@lru_cache(maxsize=1024)
def _style(
    fg: str,
    bg: str,
    bold: bool,
    italics: bool,
    underscore: bool,
    strikethrough: bool,
    reverse: bool,
    blink: bool,
) -> int:
    flags = {1: bold, 3: italics, 4: underscore, 5: blink, 7: reverse, 9: strikethrough}
    codes = [str(code) for code, on in flags.items() if on]
    codes += [*_color_codes(fg, 30, 90), *_color_codes(bg, 40, 100)]
    return parse_sgr(f"\x1b[{';'.join(codes)}m")[1] if codes else 0


def _color_codes(name: str, dark: int, bright: int) -> list[str]:
    """The SGR codes of a colour; none where it is the terminal's own, or no colour at all."""
    if name in _NAMES:
        index = _NAMES.index(name)
        return [str(dark + index if index < 8 else bright + index - 8)]
    try:
        red, green, blue = bytes.fromhex(name)
    except ValueError:
        return []
    return [f"{dark + 8};2;{red};{green};{blue}"]
