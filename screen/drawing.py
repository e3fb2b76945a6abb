"""Drawing text: what a printable character does, wrapping and widths included.

The pieces of a text (narrow, wide, marks, private) go their own ways; narrow text that fits is one
slice into a row. Cost: O(length + columns).

`Graphemes` puts emoji of several characters in one cell, for those who ask for it. Terminals
disagree: xterm.js and tmux put every emoji of `🧑‍💻` in its own cells, terminals with DEC private
mode 2027 (and most agents' own idea of widths) take the whole for two columns. An agent that moves
its cursor by the second idea overwrites, on a terminal of the first, what it has just drawn. A caller
that wants what the agent meant, and not what xterm.js shows, asks for graphemes: then what follows a
ZWJ, a skin tone, and the second of two regional indicators join the cell before the cursor. A program
that asks about mode 2027 gets the answer that it is unknown and counts cell by cell, and one that sets
it counts by clusters: from there on that is what is done. Narrow signs after a ZWJ (♂ ♀) stand alone
in either case.
"""

import re

from .attributes import DEFAULT
from .editing import Editing
from .row import CONTINUED, EMPTY, FILLER, split_wide
from .tables import MARKS, NARROW, PRIVATE, WIDE, charsets

_PIECES = re.compile(f"([{NARROW}]++)|([{WIDE}]++)|([{MARKS}]++)|([{PRIVATE}])")

# DEC Special Graphics (ESC ( 0). The Linux console's table, which pyte has, also redefines
# + , - . 0, and shows 5F and 68 otherwise than table 3-9 of the VT100 User Guide, which terminals
# follow. The UK set (A), unknown to pyte, differs from ASCII in one character.
_GRAPHICS = {code: charsets.VT100_MAP[code] for code in range(0x60, 0x7F)}
_CHARSETS = {"0": _GRAPHICS | {0x5F: " ", 0x68: "\N{SYMBOL FOR NEWLINE}"}, "A": {0x23: "£"}}

# What MIXED text looks like in cells: "" for marks alone, _BOTH if there is more to it.
_BOTH = EMPTY
_CELLS: dict[str, str] = {}
_CACHE_SIZE = 4096
_MARKS_ALONE = re.compile(f"[{MARKS}]+")
_WIDE_ALONE = re.compile(f"[{WIDE}]+")


def _classify_cells(text: str) -> str:
    """Fill in the table above."""
    cells = _BOTH
    if _WIDE_ALONE.fullmatch(text):
        cells = FILLER.join(text) + FILLER
    elif _MARKS_ALONE.fullmatch(text):
        cells = ""
    if len(text) <= 32:
        if len(_CELLS) >= _CACHE_SIZE:
            _CELLS.clear()
        _CELLS[text] = cells
    return cells


class Drawing(Editing):
    """Everything that puts text on the screen."""

    __slots__ = ()

    def draw(self, text: str) -> None:
        """Printable text at the cursor; wraps where autowrap is on. Controls in it are left out."""
        for narrow, wide, marks, private in _PIECES.findall(text):
            if narrow:
                self.put_text(narrow)
            elif wide:
                self.put_wide(wide)
            elif marks:
                self.put_marks(marks)
            else:
                self.put_narrow(self.clusters.intern(private))

    def draw_mixed(self, text: str) -> None:
        """Text of the tokenizer's MIXED class: as `draw`, but what was met before is at hand."""
        cells = _CELLS.get(text)
        if cells is None:
            cells = _classify_cells(text)
        if not cells:
            self.put_marks(text)
        elif cells != _BOTH and self.fast_path and self.x + len(cells) <= self.columns:
            self.write_cells(cells)
        else:
            self.draw(text)

    def put_text(self, text: str) -> None:
        """NARROW text at the cursor."""
        if not self.fast_path and (table := _CHARSETS.get(self.charsets[self.charset])):
            text = text.translate(table)
        self.put_narrow(text)

    def put_narrow(self, text: str) -> None:
        """Cells of one column each at the cursor."""
        end = self.x + len(text)
        if self.fast_path and end <= self.columns:
            self.write_cells(text)
            return
        columns = self.columns
        while text:
            room = columns - self.x
            if room <= 0:
                room = self.wrap_for_next()
            if self.autowrap:
                piece, text = text[:room], text[room:]
            else:  # what does not fit overwrites the last column
                piece, text = text[: room - 1] + text[room - 1 :][-1:], ""
            if self.insert:
                self.open_gap(self.y, self.x, len(piece), self.pen)
            self.write_cells(piece)

    def put_wide(self, text: str) -> None:
        """WIDE text at the cursor: two columns a character, never split between rows."""
        columns = self.columns
        if columns < 2:
            return
        cells = FILLER.join(text) + FILLER
        while cells:
            room = columns - self.x & ~1
            if room < 2:
                room = self.wrap_for_next() & ~1
                if room < 2:
                    return
            piece, cells = cells[:room], cells[room:]
            if self.insert:
                self.open_gap(self.y, self.x, len(piece), self.pen)
            self.write_cells(piece)

    def wrap_for_next(self) -> int:
        """Wrap, so that another character fits; how many columns there are then.

        Without autowrap the cursor stays on the last column, where no wide character fits.
        """
        if not self.autowrap:
            self.x = self.columns - 1
            return 1
        if self.x < self.columns:  # a wide character leaves the last column blank
            self.erase(self.y, self.x, self.columns, DEFAULT)
        self.wrap()
        return self.columns

    def put_marks(self, marks: str) -> None:
        """MARKS join the cell before the cursor; where there is none they are nothing."""
        column = min(self.x, self.columns) - 1
        if column < 0:
            return
        cells, attributes, flags = self.rows[self.y]
        if column >= len(cells):
            cells = cells.ljust(column + 1, EMPTY)
            attributes = attributes.ljust(column + 1, DEFAULT)
        cell = cells[column]
        filler = cell == FILLER
        if filler:
            column -= 1
            cell = cells[column]
        cell = self.clusters.join(cell, marks)
        self.rows[self.y] = (cells[:column] + cell + cells[column + 1 :], attributes, flags)
        if self.last:
            self.last = cell + FILLER if filler else cell

    def write_cells(self, cells: str) -> None:
        """Cells that fit, at the cursor, in the pen's style; the cursor goes past them."""
        x, y = self.x, self.y
        old, attributes, flags = self.rows[y]
        end = x + len(cells)
        length = len(old)
        if x < length:
            if FILLER in old:
                old = split_wide(split_wide(old, x), end)
            self.rows[y] = (
                old[:x] + cells + old[end:],
                attributes[:x] + self.pen * len(cells) + attributes[end:],
                flags,
            )
        else:
            if x > length:
                old = old.ljust(x, EMPTY)
                attributes = attributes.ljust(x, DEFAULT)
            self.rows[y] = (old + cells, attributes + self.pen * len(cells), flags)
        self.x = end
        self.last = cells

    def repeat(self, count: int = 1) -> None:
        """REP: the character just drawn, again; nothing if anything came between."""
        if not self.last:
            return
        count = min(count or 1, self.columns * self.lines)
        cell = self.last[-2:] if self.last[-1] == FILLER else self.last[-1]
        if len(cell) == 1:
            self.put_narrow(cell * count)
        else:
            self.put_wide(cell[0] * count)
        self.last = ""

    def wrap(self) -> None:
        """To the start of the next row, which continues this one."""
        self.x = 0
        self.index()
        cells, attributes, _ = self.rows[self.y]
        self.rows[self.y] = (cells, attributes, CONTINUED)


GRAPHEME_MODE = 2027  # as contour, ghostty and wezterm have it
_ZWJ = "\u200d"
_TONES = "\U0001f3fb-\U0001f3ff"
_FLAGS = "\U0001f1e6-\U0001f1ff"
JOINING = re.compile(f"[{_ZWJ}{_TONES}{_FLAGS}]")
_TONE = re.compile(f"[{_TONES}]")
_FLAG = re.compile(f"[{_FLAGS}]")
_PICTURE = re.compile("[\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]")
_BASE = re.compile("[\u261d\u26f9\u270a-\u270d\U0001f385-\U0001faff]")  # what a skin tone can be on


class Graphemes(Drawing):
    """Drawing that knows clusters of emoji, where `graphemes` is on."""

    __slots__ = ()

    def draw_mixed(self, text: str) -> None:
        """Text of the tokenizer's MIXED class."""
        if self.graphemes and (JOINING.search(text) or self._before().endswith(_ZWJ)):
            for character in text:
                self._draw_one(character)
        else:
            super().draw_mixed(text)

    def _before(self) -> str:
        """What is in the cell just drawn; empty if anything came between."""
        cells = self.last.rstrip(FILLER)[-1:]
        return self.clusters.texts.get(cells, cells)

    def _draw_one(self, character: str) -> None:
        before = self._before()
        joined = before.endswith(_ZWJ) and _PICTURE.match(character)
        toned = _TONE.match(character) and _BASE.fullmatch(before)
        if joined or toned:
            self.put_marks(character)
        elif _FLAG.match(character) and _FLAG.fullmatch(before):
            self._widen(character)
        else:
            self.draw(character)

    def _widen(self, second: str) -> None:
        """Two regional indicators make one flag of two columns, where there is room for it."""
        if self.x >= self.columns:
            self.draw(second)
            return
        self.put_marks(second)
        cell = self.last
        self.write_cells(FILLER)
        self.last = cell + FILLER
