"""`Screen`: what a person sees at one moment, with what a test asks of it.

Immutable except for `history`, which is read when it is first asked for. O(cells) for text and styles,
made once.

Tested in: tests/extensions/testing/test_masks.py
"""

import re
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from dejavu.screen import Line, Snapshot, Style, unwrap


class Link(NamedTuple):
    """A hyperlink (OSC 8): its text, its address, and the cell it begins at, counted from 0."""

    text: str
    url: str
    row: int
    column: int


class Screen:
    """The screen at one moment. Rows and columns are counted from 0.

    `text in screen` looks for text in the rows, and across the rows that the terminal wrapped.
    """

    def __init__(self, snapshot: Snapshot, history: Sequence[Line] = ()) -> None:
        self.snapshot = snapshot
        self._history = history

    @property
    def columns(self) -> int:
        """The width in cells."""
        return self.snapshot.columns

    @property
    def lines(self) -> int:
        """The height in rows."""
        return self.snapshot.lines

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """The text of each row, without the blanks at its end."""
        return tuple(row.rstrip() for row in self.snapshot.rows)

    @cached_property
    def text(self) -> str:
        """All rows, a line each, without the blank ones at the end."""
        return "\n".join(self.rows).rstrip("\n")

    @cached_property
    def unwrapped(self) -> str:
        """The text with the rows joined that the terminal wrapped."""
        joined: list[str] = []
        for row, wraps in zip(self.snapshot.rows, self.snapshot.wrapped, strict=True):
            joined.append(row if wraps else f"{row.rstrip()}\n")
        return "".join(joined).rstrip("\n")

    @property
    def cursor(self) -> tuple[int, int]:
        """Row and column of the cursor."""
        return self.snapshot.cursor

    @property
    def cursor_visible(self) -> bool:
        """Whether the cursor is shown."""
        return self.snapshot.cursor_visible

    @property
    def title(self) -> str:
        """The window's title."""
        return self.snapshot.title

    @property
    def alternate(self) -> bool:
        """Whether the program is in the alternate screen, which leaves no history."""
        return self.snapshot.alternate

    @cached_property
    def history(self) -> tuple[str, ...]:
        """The lines that scrolled off the top, oldest first, joined where they were wrapped."""
        return tuple(unwrap(self._history))

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """The hyperlinks, from the top left."""
        return tuple(
            Link(
                self.snapshot.crop(row, run.start, run.end).strip(), run.style.link, row, run.start
            )
            for row, styled in enumerate(self.snapshot.styles)
            for run in styled
            if run.style.link
        )

    def style(self, row: int, column: int) -> Style:
        """Return how a cell looks. Raise IndexError outside the screen."""
        if not (0 <= row < self.lines and 0 <= column < self.columns):
            raise IndexError(f"no cell {row}, {column} on a screen of {self.columns}x{self.lines}")
        for run in self.snapshot.styles[row]:
            if run.start <= column < run.end:
                return run.style
        return Style()

    def find(self, text: str) -> tuple[int, int] | None:
        """Return row and column of the first `text` within a row; None where it is not shown."""
        for row, line in enumerate(self.snapshot.rows):
            if (index := line.find(text)) >= 0:
                return row, self.column_of(row, index)
        return None

    def column_of(self, row: int, index: int) -> int:
        """Return the column of a character of a row: wide ones take two, some share a cell."""
        length = 0
        for column, cell in enumerate(self.snapshot.cells(row)):
            if cell and length + len(cell) > index:
                return column
            length += len(cell)
        return self.columns

    def search(self, pattern: str | re.Pattern[str]) -> re.Match[str] | None:
        """Return the first match of a regular expression in `text`, else in `unwrapped`."""
        return re.search(pattern, self.text) or re.search(pattern, self.unwrapped)

    def __contains__(self, text: str) -> bool:
        return text in self.text or text in self.unwrapped

    def __eq__(self, other: object) -> bool:
        return self.snapshot == other.snapshot if isinstance(other, Screen) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.snapshot)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Screen {self.columns}x{self.lines} cursor={self.cursor} {self.title!r}>"

    def boxed(self, caption: str = "", columns: int = 160) -> str:
        """Return the screen in a frame, for a message: blank rows at the end and width cut."""
        width = min(self.columns, columns)
        head = f" {caption} "[: max(0, width)]
        shown = max((n for n, row in enumerate(self.rows, 1) if row), default=0)
        shown = min(self.lines, max(shown, self.cursor[0] + 1))
        lines = [f"┌{head}{'─' * (width - len(head))}┐"]
        lines += [f"│{self.snapshot.crop(row, 0, width)}│" for row in range(shown)]
        lines.append(f"└{'─' * width}┘")
        notes = [
            f"cursor {self.cursor[0]},{self.cursor[1]}" + " (hidden)" * (not self.cursor_visible)
        ]
        if shown < self.lines:
            notes.append(f"{self.lines - shown} blank rows below")
        if width < self.columns:
            notes.append(f"{self.columns - width} more columns")
        if self.title:
            notes.append(f"title {self.title!r}")
        return "\n".join([*lines, ", ".join(notes)])
