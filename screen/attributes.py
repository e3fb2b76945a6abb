"""Colours, attributes and links of a cell: one integer each, interned to one character each.

`Style` is what readers get. A row keeps its attributes as a `str` with one
character a cell, so drawing and erasing are slicing; `Palette` says which style a character
means. A style is an integer of fixed fields, so every SGR run, however long, is one
`style & keep | bits`. A palette only grows; when it is near its bound the grid asks for one that
keeps what is still in use (`retain`), and old snapshots keep the old one.
Cost: O(1) a known SGR run, O(length) a new one.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from .tables import graphics

Color = int | str | None  # palette index 0-255, "#rrggbb", or the terminal's own

# Fields of a style. A colour is 26 bits: 24 of value under 2 of kind.
_BOLD, _DIM, _ITALIC, _BLINK, _INVERSE, _INVISIBLE, _STRIKE, _OVERLINE = (1 << n for n in range(8))
_UNDERLINE_AT, _FG_AT, _BG_AT, _UNDERLINE_COLOR_AT, LINK_AT = 8, 12, 38, 64, 90
_UNDERLINE = 7 << _UNDERLINE_AT
_COLOR = (1 << 26) - 1
_INDEXED, _RGB = 1 << 24, 2 << 24
_FG, BG, _UNDERLINE_COLOR = _COLOR << _FG_AT, _COLOR << _BG_AT, _COLOR << _UNDERLINE_COLOR_AT
LINK = -1 << LINK_AT

DEFAULT = "\0"  # the attribute character of style 0, in every palette
LIMIT = 0xF000  # styles a palette may hold before it is swept
_LINK_LIMIT = 4096
_LINK_LENGTH = 2083  # as vte has it; a longer URI is no link


@dataclass(frozen=True, slots=True)
class Style:
    """How a cell looks. Colours: None (the terminal's own), 0-255, or "#rrggbb".

    `underline` is 0 for none, then 1 single, 2 double, 3 curly, 4 dotted, 5 dashed.
    """

    fg: Color = None
    bg: Color = None
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: int = 0
    blink: bool = False
    inverse: bool = False
    invisible: bool = False
    strike: bool = False
    overline: bool = False
    underline_color: Color = None
    link: str | None = None


PLAIN = Style()


def _color(field: int) -> Color:
    field &= _COLOR
    if field & _RGB:
        return f"#{field & 0xFFFFFF:06x}"
    return field & 0xFF if field & _INDEXED else None


class Palette:
    """Which style each attribute character means; `ids` and `styles` mirror each other."""

    __slots__ = ("_free", "_next", "_readable", "ids", "link_ids", "links", "styles")

    def __init__(self) -> None:
        self.ids: dict[int, str] = {0: DEFAULT}
        self.styles: dict[str, int] = {DEFAULT: 0}
        self.links: dict[int, str] = {}
        self.link_ids: dict[str, int] = {}
        self._readable: dict[str, Style] = {DEFAULT: PLAIN}
        self._free: list[str] = []
        self._next = 1

    def intern(self, style: int) -> str:
        """The character of a style, made if it is new."""
        cached = self.ids.get(style)
        if cached is not None:
            return cached
        if self._free:
            character = self._free.pop()
        else:
            character = chr(self._next)
            self._next += 1
        self.ids[style] = character
        self.styles[character] = style
        return character

    def link(self, uri: str) -> int:
        """The link field of a URI; 0 where there is none or it is out of bounds."""
        if not uri or len(uri) > _LINK_LENGTH:
            return 0
        number = self.link_ids.get(uri)
        if number is None:
            number = self.link_ids[uri] = len(self.links) + 1
            self.links[number] = uri
        return number << LINK_AT

    def style(self, character: str) -> Style:
        """What an attribute character looks like."""
        style = self._readable.get(character)
        if style is None:
            bits = self.styles.get(character, 0)
            style = self._readable[character] = Style(
                fg=_color(bits >> _FG_AT),
                bg=_color(bits >> _BG_AT),
                bold=bool(bits & _BOLD),
                dim=bool(bits & _DIM),
                italic=bool(bits & _ITALIC),
                underline=(bits & _UNDERLINE) >> _UNDERLINE_AT,
                blink=bool(bits & _BLINK),
                inverse=bool(bits & _INVERSE),
                invisible=bool(bits & _INVISIBLE),
                strike=bool(bits & _STRIKE),
                overline=bool(bits & _OVERLINE),
                underline_color=_color(bits >> _UNDERLINE_COLOR_AT),
                link=self.links.get(bits >> LINK_AT),
            )
        return style

    def sgr(self, style: int) -> str:
        """The parameters that set a style from any other (DECRQSS, dumps); links are apart."""
        parts = ["0"]
        parts += [str(code) for code, bit in _SET_BY.items() if style & bit]
        if underline := (style & _UNDERLINE) >> _UNDERLINE_AT:
            parts.append("4" if underline == 1 else f"4:{underline}")
        for code, (_, shift) in _COLORS.items():
            colour = style >> shift & _COLOR
            if colour & _RGB:
                red, green, blue = colour >> 16 & 0xFF, colour >> 8 & 0xFF, colour & 0xFF
                parts.append(f"{code}:2::{red}:{green}:{blue}")
            elif colour & _INDEXED:
                parts.append(f"{code}:5:{colour & 0xFF}")
        return ";".join(parts)

    @property
    def nearly_full(self) -> bool:
        """True when the next block of input might need more than there is room for."""
        return len(self.ids) > LIMIT or len(self.links) > _LINK_LIMIT

    @property
    def capacity(self) -> int:
        """How many styles a sweep should leave, so that the next one is far off."""
        return _LINK_LIMIT // 2 if len(self.links) > _LINK_LIMIT else LIMIT // 2

    def retain(self, used: Iterable[str]) -> "Palette":
        """A palette of these characters alone, each with the meaning it had."""
        palette = Palette()
        palette.styles = {c: self.styles[c] for c in {DEFAULT, *used} if c in self.styles}
        palette.ids = {style: character for character, style in palette.styles.items()}
        palette._next = self._next
        palette._free = [chr(n) for n in range(1, self._next) if chr(n) not in palette.styles]
        for style in palette.ids:
            if number := style >> LINK_AT:
                palette.links[number] = self.links[number]
        palette.link_ids = {uri: number for number, uri in palette.links.items()}
        return palette


# ------------------------------------------------------------------------------------------ SGR

# Which bits pyte's names of attributes stand for: (the field they live in, the value that is on).
_ATTRIBUTES = {
    "bold": (_BOLD, _BOLD),
    "italics": (_ITALIC, _ITALIC),
    "underscore": (_UNDERLINE, 1 << _UNDERLINE_AT),
    "blink": (_BLINK, _BLINK),
    "reverse": (_INVERSE, _INVERSE),
    "strikethrough": (_STRIKE, _STRIKE),
}
_CODES: dict[int, tuple[int, int]] = {  # SGR code: (field cleared, bits set)
    code: (_ATTRIBUTES[text[1:]][0], _ATTRIBUTES[text[1:]][1] if text[0] == "+" else 0)
    for code, text in graphics.TEXT.items()
}
_CODES |= {  # what pyte does not know, after ECMA-48 8.3.117 and xterm
    0: (~LINK, 0),  # a hyperlink is no attribute: SGR 0 leaves it
    2: (_DIM, _DIM),
    6: (_BLINK, _BLINK),
    8: (_INVISIBLE, _INVISIBLE),
    21: (_UNDERLINE, 2 << _UNDERLINE_AT),
    22: (_BOLD | _DIM, 0),  # in pyte it leaves dim, which pyte does not have
    28: (_INVISIBLE, 0),
    53: (_OVERLINE, _OVERLINE),
    55: (_OVERLINE, 0),
    59: (_UNDERLINE_COLOR, 0),
}
for _table, _first, _bright, _field, _at in (
    (graphics.FG_ANSI, 30, 0, _FG, _FG_AT),
    (graphics.FG_AIXTERM, 90, 8, _FG, _FG_AT),
    (graphics.BG_ANSI, 40, 0, BG, _BG_AT),
    (graphics.BG_AIXTERM, 100, 8, BG, _BG_AT),
):
    for _code, _name in _table.items():
        _value = 0 if _name == "default" else _INDEXED | _code - _first + _bright
        _CODES[_code] = (_field, _value << _at)
_SET_BY = {  # the codes that set one bit, for writing a style out; 6 is another 5
    code: bits for code, (field, bits) in sorted(_CODES.items()) if bits == field and code != 6
}

_COLORS = {38: (_FG, _FG_AT), 48: (BG, _BG_AT), 58: (_UNDERLINE_COLOR, _UNDERLINE_COLOR_AT)}
PARAMETERS = 32  # so many are read, as vte does
_PARAMETERS = re.compile("[0-9:;]*")
_LENGTH = 1024  # characters of a sequence; a longer one is ignored


def number(text: str) -> int:
    """A parameter's value; an empty one is 0, one past 16 bits is held there."""
    if len(text) > 5:
        text = text.lstrip("0")
        if len(text) > 5:
            return 0xFFFF
    return min(int(text), 0xFFFF) if text else 0


def _color_field(kind: int, values: list[int]) -> int:
    """The colour field of `5, index` or `2, r, g, b`; -1 where it is no colour."""
    if kind == 2 and len(values) == 3:
        red, green, blue = values
        if red <= 0xFF and green <= 0xFF and blue <= 0xFF:
            return _RGB | red << 16 | green << 8 | blue
    elif kind == 5 and len(values) == 1 and values[0] <= 0xFF:
        return _INDEXED | values[0]
    return -1


def parse_sgr(run: str) -> tuple[int, int]:
    """One or more whole SGR sequences as `(keep, bits)`: the style after is `style & keep | bits`.

    Both spellings of colours are read, `38;2;r;g;b` and `38:2::r:g:b`; unknown codes do nothing.
    """
    keep, bits = -1, 0
    for body in run[2:-1].split("m\x1b["):
        if len(body) > _LENGTH:
            continue
        try:
            fields = _fields(list(map(int, body.split(";"))))
        except ValueError:  # an empty code, a colon, or no SGR at all: XTMODKEYS ends in m too
            fields = _colon_fields(body) if _PARAMETERS.fullmatch(body) else []
        for field, value in fields:
            keep &= ~field
            bits = bits & ~field | value
    return keep, bits


def _fields(values: list[int]) -> list[tuple[int, int]]:
    """Each code as the field it clears and the bits it sets."""
    if len(values) == 5 and values[1] == 2 and values[0] in _COLORS:  # one direct colour
        field, shift = _COLORS[values[0]]
        colour = _color_field(2, values[2:])
        return [(field, colour << shift)] if colour >= 0 else []
    changes: list[tuple[int, int]] = []
    position = 0
    count = min(len(values), PARAMETERS)
    while position < count:
        code = values[position]
        position += 1
        if code in _COLORS:
            kind = values[position] if position < count else 0
            after = position + (4 if kind == 2 else 2 if kind == 5 else 1)
            colour = _color_field(kind, values[position + 1 : min(after, count)])
            position = after
            if colour >= 0:
                field, shift = _COLORS[code]
                changes.append((field, colour << shift))
        elif code in _CODES:
            changes.append(_CODES[code])
    return changes


def _colon_fields(body: str) -> list[tuple[int, int]]:
    """The same where codes are empty or have sub-parameters: underline styles and colours."""
    changes: list[tuple[int, int]] = []
    simple: list[int] = []
    for code in body.split(";")[:PARAMETERS]:
        if ":" not in code:
            simple.append(number(code))
            continue
        changes += _fields(simple)
        simple = []
        numbers = [number(part) for part in code.split(":")]
        if numbers[0] == 4 and numbers[1] <= 5:
            changes.append((_UNDERLINE, numbers[1] << _UNDERLINE_AT))
        elif numbers[0] in _COLORS:
            field, shift = _COLORS[numbers[0]]
            # 2 may be followed by a colour space, often empty: 38:2::r:g:b, and 38:2:r:g:b.
            direct = numbers[1] == 2
            values = (
                numbers[3:6] if direct and len(numbers) > 5 else numbers[2 : 5 if direct else 3]
            )
            if (colour := _color_field(numbers[1], values)) >= 0:
                changes.append((field, colour << shift))
    return changes + _fields(simple)
