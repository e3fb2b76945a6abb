"""One row of cells: `(cells, attributes, flags)`, and how to read it as text or as runs.

The flags say whether the row continues the one above (a soft wrap) and which prompt marks (OSC 133)
were set on it: they go when the row is erased. Rows are plain tuples because everything that draws
makes one. Cost: O(columns) a row read.

A row is a `str` with one character a cell (a wide character is followed by a NUL filler). A cell
that holds several (`e` + U+0301) is interned to one code point of plane 16, and `Clusters` says what
it means. Like a palette it only grows, and is replaced by one that keeps what is in use. Marks past
16 in one cell are dropped, so a flood of them costs O(its length).
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from .attributes import DEFAULT, PLAIN, Palette, Style
from .tables import MARKS, NARROW, PRIVATE, WIDE

FILLER = "\0"  # the right half of a wide character
EMPTY = "\x01"  # a cell that holds nothing: a gap the cursor jumped, or one erased with a colour
MARKS_PER_CELL = 16
LIMIT = 0x8000  # clusters held before a sweep; plane 16 has room for a block's worth more
_RECENT = 256
_FIRST, _LAST = 0x100000, 0x10FFFF
_CLUSTER = re.compile("[\U00100000-\U0010ffff]")


class Clusters:
    """Which text each private character means; `ids` and `texts` mirror each other."""

    __slots__ = ("_free", "_next", "_recent", "ids", "texts")

    def __init__(self) -> None:
        self.ids: dict[str, str] = {}
        self.texts: dict[str, str] = {}
        self._free: list[str] = []
        self._next = _FIRST
        self._recent: dict[str, str] = {}  # rows read lately: most are the same the next time

    def intern(self, text: str) -> str:
        """The character that represents a cell's text."""
        cached = self.ids.get(text)
        if cached is not None:
            return cached
        if self._free:
            character = self._free.pop()
        elif self._next <= _LAST:
            character = chr(self._next)
            self._next += 1
        else:  # a screen of more than 65,536 different clusters: the marks have to go
            return text[0] if text[0] < "\U00100000" else "\ufffd"
        self.ids[text] = character
        self.texts[character] = text
        return character

    def join(self, cell: str, marks: str) -> str:
        """The cell with these marks added, as many as a cell may hold."""
        cached = self.ids.get(cell + marks)  # true only of a cell that is no cluster yet
        if cached is not None and len(marks) <= MARKS_PER_CELL:
            return cached
        base = " " if cell == EMPTY else self.texts.get(cell, cell)
        return self.intern((base + marks)[: MARKS_PER_CELL + 1])

    def text(self, cells: str) -> str:
        """What these cells hold, fillers left out and clusters spelt out."""
        if EMPTY in cells:
            cells = cells.replace(EMPTY, " ")
        if cells.isascii():  # a filler only ever follows a wide character
            return cells
        text = self._recent.get(cells)
        if text is None:
            texts = self.texts
            text = _CLUSTER.sub(lambda match: texts[match[0]], cells.replace(FILLER, ""))
            if len(self._recent) >= _RECENT:
                self._recent.clear()
            self._recent[cells] = text
        return text

    @property
    def nearly_full(self) -> bool:
        """True when the next block of input might need more than there is room for."""
        return len(self.ids) > LIMIT

    @property
    def capacity(self) -> int:
        """How many different cells a sweep should leave, so that the next one is far off."""
        return LIMIT // 2

    def retain(self, used: Iterable[str]) -> "Clusters":
        """A table of these characters alone, each with the meaning it had."""
        table = Clusters()
        table.texts = {c: self.texts[c] for c in set(used) if c in self.texts}
        table.ids = {text: character for character, text in table.texts.items()}
        table._next = self._next
        table._free = [chr(n) for n in range(_FIRST, self._next) if chr(n) not in table.texts]
        return table


Row = tuple[str, str, int]

CONTINUED = 1
# OSC 133: a prompt or a message begins here (A), a command line (B), its output (C).
PROMPT, COMMAND, OUTPUT = 2, 4, 8

BLANK: Row = ("", "", 0)

_PIECES = re.compile(f"([{NARROW}]*+)([{WIDE}]*+)([{MARKS}]*+)([{PRIVATE}]*+)")
MARK_LETTERS = ("", "A", "B", "AB", "C", "AC", "BC", "ABC")
SAME_STYLE = re.compile(r"(.)\1*", re.DOTALL)


class Run(NamedTuple):
    """Cells `[start, end)` of a row, in columns, that share a style."""

    start: int
    end: int
    style: Style


def marks_of(row: Row) -> str:
    """The prompt marks on a row, as letters in the order of the alphabet."""
    flags = row[2] >> 1
    return MARK_LETTERS[flags] if flags else ""


def split_wide(cells: str, column: int) -> str:
    """The cells with no wide character standing across this column: both halves go empty."""
    if 0 < column < len(cells) and cells[column] == FILLER:
        return f"{cells[: column - 1]}{EMPTY}{EMPTY}{cells[column + 1 :]}"
    return cells


def runs(attributes: str, palette: Palette) -> tuple[Run, ...]:
    """The stretches of one style each; stretches of the plain style are left out."""
    styled: list[Run] = []
    for match in SAME_STYLE.finditer(attributes):
        if (character := match[1]) != DEFAULT:
            style = palette.style(character)
            if style is not PLAIN:
                styled.append(Run(match.start(), match.end(), style))
    return tuple(styled)


def from_text(text: str, clusters: Clusters) -> str:
    """Text as cells: a filler after every wide character, marks joined to what they follow.

    Control characters are left out, and so are marks with nothing to join.
    """
    if text.isascii() and text.isprintable():
        return text
    cells = ""
    for narrow, wide, marks, private in _PIECES.findall(text):
        cells += narrow
        if wide:
            cells += FILLER.join(wide) + FILLER
        if marks and cells:
            base = -2 if cells[-1] == FILLER else -1
            cells = cells[:base] + clusters.join(cells[base], marks) + FILLER * (-1 - base)
        cells += "".join(map(clusters.intern, private))
    return cells
