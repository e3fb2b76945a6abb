"""One row of cells: `(cells, attributes, flags)`, and how to read it as text or as runs.

The flags say whether the row continues the one above (a soft wrap) and which prompt marks (OSC 133)
were set on it: they go when the row is erased.
Rows are plain
tuples because everything that draws makes one. Cost: O(columns) a row read.
"""

import re
from typing import NamedTuple

from .attributes import DEFAULT, PLAIN, Palette, Style
from .clusters import EMPTY, FILLER, Clusters
from .widths import MARKS, NARROW, PRIVATE, WIDE

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
