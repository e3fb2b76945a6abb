"""Cells of more than one character: a base and its marks, interned to one private character.

A row is a `str` with one character a cell (a wide character is followed by a NUL filler). A cell
that holds several (`e` + U+0301) is kept as one code point of plane 16, and `Clusters` says what
it means. Like a palette it only grows, and is replaced by one that keeps what is in use.
Marks past 16 in one cell are dropped, so a flood of them costs O(its length).
"""

import re
from collections.abc import Iterable

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
